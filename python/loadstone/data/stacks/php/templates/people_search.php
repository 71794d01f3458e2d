<?php
/** Looking for people. $query, $items, $page, $more */
use function Olio\e;

$link = fn (int $number): string => '/users/search?query=' . rawurlencode($query) . "&amp;page=$number";
?>
<h1>People</h1>
<form class="panel search" action="/users/search" method="get" role="search">
<label class="unseen" for="people-query">User name or name</label>
<input id="people-query" name="query" maxlength="25" placeholder="User name or name" value="<?= e($query) ?>">
<button class="plain">Search</button>
</form>
<?php if (!$items): ?>
<p class="empty">Nobody found.</p>
<?php else: ?>
<div class="panel">
<?= $this->part('people_list', ['people' => $items]) ?>
</div>
<?php endif ?>
<?= $this->part('pager', ['page' => $page, 'more' => $more, 'link' => $link]) ?>
