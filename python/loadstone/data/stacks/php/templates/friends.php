<?php
/** All friends of a person. $person, $items, $page, $more */
use function Olio\e;
?>
<h1>Friends of <a href="/users/<?= $person['id'] ?>"><?= e($person['username']) ?></a></h1>
<?php if (!$items): ?>
<p class="empty">No friends here.</p>
<?php else: ?>
<div class="panel">
<?= $this->part('people_list', ['people' => $items]) ?>
</div>
<?php endif ?>
<?= $this->part('pager', ['page' => $page, 'more' => $more, 'link' => fn (int $number): string => "/users/$person[id]/friends?page=$number"]) ?>
