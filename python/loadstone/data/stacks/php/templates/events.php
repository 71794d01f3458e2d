<?php
/** A page of a list of events with its pager. $items, $page, $more, $link(int $page): string */
use Olio\Dates;

use function Olio\e;
?>
<?php if (!$items): ?>
<p class="empty">No events here.</p>
<?php else: ?>
<ul class="events">
<?php foreach ($items as $event): ?>
<li>
<a class="thumb" href="/events/<?= $event['id'] ?>" tabindex="-1" aria-hidden="true"><img src="/media/e<?= $event['id'] ?>t.jpg" width="90" height="68" alt=""></a>
<div>
<h2><a href="/events/<?= $event['id'] ?>"><?= e($event['title']) ?></a></h2>
<p class="when"><?= Dates::long($event['event_timestamp']) ?> · <?= e($event['city']) ?></p>
<details>
<summary>More</summary>
<p><?= e($event['summary']) ?></p>
<p class="quiet">Added <?= Dates::short(Dates::dayOf($event['created_at'])) ?> by <a href="/users/<?= $event['user_id'] ?>"><?= e($event['username']) ?></a></p>
<?php if ($this->isViewer($event['user_id'])): ?>
<p><a href="/events/<?= $event['id'] ?>/edit">Edit</a> · <a href="/events/<?= $event['id'] ?>/edit#delete">Delete</a></p>
<?php endif ?>
</details>
</div>
</li>
<?php endforeach ?>
</ul>
<?php endif ?>
<?= $this->part('pager', ['page' => $page, 'more' => $more, 'link' => $link]) ?>
