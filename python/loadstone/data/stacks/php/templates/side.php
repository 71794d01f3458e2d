<?php
/** The side column. $year, $month */
use Olio\Dates;

use function Olio\e;

$viewer = $this->viewer;
?>
<aside aria-label="Your Olio">
<section class="panel">
<?php if ($viewer === null): ?>
<p>Not logged in</p>
<?php else: ?>
<p>Hello <a href="/users/<?= $viewer['id'] ?>"><?= e($viewer['username']) ?></a> (<a href="/users/logout">Logout</a>)</p>
<h2>Your next events</h2>
<?php if (!$viewer['upcoming']): ?>
<p class="quiet">None yet: find one you like and attend.</p>
<?php else: ?>
<ul class="next">
<?php foreach ($viewer['upcoming'] as $event): ?>
<li><a href="/events/<?= $event['id'] ?>"><?= e($event['title']) ?></a><br><span class="quiet"><?= Dates::short(Dates::dayOf($event['event_timestamp'])) ?></span></li>
<?php endforeach ?>
</ul>
<p><a href="/users/<?= $viewer['id'] ?>/upcoming_events">more</a></p>
<?php endif ?>
<?php if ($viewer['requests'] > 0): ?>
<p><a href="/users/<?= $viewer['id'] ?>/requests">friendship requests (<?= $viewer['requests'] ?>)</a></p>
<?php endif ?>
<?php endif ?>
</section>
<?= $this->part('calendar', ['year' => $year, 'month' => $month]) ?>
<section class="panel">
<h2>Search by tag</h2>
<form class="search" action="/events/tag_search" method="get" role="search">
<label class="unseen" for="tag-search">Tag</label>
<input id="tag-search" name="tag" maxlength="30" placeholder="Tag" required>
<button class="plain" name="submit" value="Search Tags">Search</button>
</form>
</section>
</aside>
