<?php
/** Registering (id 0), and editing a profile. $id, $entered, $wrong */
$label = $id === 0 ? 'Register' : 'Save';
$path = '/users' . ($id === 0 ? '' : "/$id");
$field = fn (string $name, string $label, int $max, array $more = []): string => $this->part('field', $more + [
    'name' => $name, 'sentAs' => "user[$name]", 'label' => $label, 'value' => $entered[$name] ?? '', 'max' => $max,
    'wrong' => $wrong,
]);
$password = ['value' => '', 'required' => $id === 0, 'extra' => ' type="password" autocomplete="new-password"'];
?>
<h1><?= $id === 0 ? 'Register' : 'Edit profile' ?></h1>
<form action="<?= $path ?>" method="post" enctype="multipart/form-data">
<?= $id === 0 ? '' : $this->methodField('put') ?>
<?= $this->tokenField() ?>
<fieldset>
<legend>Account</legend>
<div class="fields">
<?= $field('username', 'User name', 25, ['required' => true, 'extra' => ' autocomplete="username" data-check-name']) ?>
<?= $field('password', $id === 0 ? 'Password' : 'New password', 25, $password) ?>
<?= $field('password_confirmation', 'Password again', 25, $password) ?>
</div>
<p class="quiet" id="name-check" role="status"></p>
</fieldset>
<fieldset>
<legend>About you</legend>
<div class="fields">
<?= $field('firstname', 'First name', 25, ['required' => true, 'extra' => ' autocomplete="given-name"']) ?>
<?= $field('lastname', 'Last name', 25, ['required' => true, 'extra' => ' autocomplete="family-name"']) ?>
<?= $field('email', 'Email', 90, ['required' => true, 'extra' => ' type="email" autocomplete="email"']) ?>
<?= $field('telephone', 'Telephone', 20, ['extra' => ' type="tel" pattern="[0-9\-]{7,20}" title="7 to 20 digits and dashes" autocomplete="tel"']) ?>
<?= $field('timezone', 'Time zone', 100, ['required' => true, 'value' => ($entered['timezone'] ?? '') ?: 'UTC']) ?>
<?= $this->part('field', ['kind' => 'file', 'name' => 'user_image', 'label' => 'Picture', 'extra' => ' accept="image/jpeg,image/png,image/gif" data-thumbnail="user_thumbnail"', 'hint' => 'JPEG, PNG or GIF, at most 4 MiB.', 'wrong' => $wrong]) ?>
<input type="file" name="user_thumbnail" hidden>
<?= $field('summary', 'Something about yourself', 2500, ['kind' => 'area']) ?>
</div>
</fieldset>
<?= $this->part('address_fields', ['entered' => $entered, 'wrong' => $wrong]) ?>
<p class="actions"><button name="submit" value="<?= $label ?>"><?= $label ?></button></p>
</form>
<?php if ($id !== 0): ?>
<form class="actions" id="delete" action="<?= $path ?>" method="post">
<?= $this->methodField('delete') ?>
<?= $this->tokenField() ?>
<button class="plain" data-confirm="Delete your account with all your events and comments?">Delete account</button>
</form>
<?php endif ?>
