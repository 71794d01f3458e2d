<?php
/** The log-in page. $username */
?>
<h1>Login</h1>
<form class="panel" action="/users/login" method="post">
<p>Login: your user name and password, please.</p>
<?= $this->tokenField() ?>
<div class="fields">
<?= $this->part('field', ['name' => 'username', 'sentAs' => 'users[username]', 'label' => 'Username', 'value' => $username, 'max' => 25, 'required' => true, 'extra' => ' autocomplete="username"', 'wrong' => []]) ?>
<?= $this->part('field', ['name' => 'password', 'sentAs' => 'users[password]', 'label' => 'Password', 'value' => '', 'max' => 25, 'required' => true, 'extra' => ' type="password" autocomplete="current-password"', 'wrong' => []]) ?>
</div>
<p class="actions"><button name="submit" value="Login">Login</button>
<a href="/users/new">Register instead</a></p>
</form>
