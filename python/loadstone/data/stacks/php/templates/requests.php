<?php
/** Requests that wait for the viewer's answer, and their own that wait for others. $incoming, $outgoing */
use Olio\Data\Relation;

use function Olio\e;

$lists = [
    ['Waiting for your answer', Relation::AskedBy, $incoming],
    ['Waiting for theirs', Relation::Asked, $outgoing],
];
?>
<h1>Friendship requests</h1>
<?php foreach ($lists as [$heading, $relation, $people]): ?>
<section class="panel">
<h2><?= $heading ?></h2>
<?php if (!$people): ?>
<p class="quiet">None.</p>
<?php else: ?>
<ul class="rows">
<?php foreach ($people as $person): ?>
<li><a href="/users/<?= $person['id'] ?>"><?= e($person['username']) ?></a>
<?= $this->part('friendship', ['other' => $person['id'], 'relation' => $relation]) ?>
</li>
<?php endforeach ?>
</ul>
<?php endif ?>
</section>
<?php endforeach ?>
