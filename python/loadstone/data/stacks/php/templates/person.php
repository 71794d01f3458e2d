<?php
/** A person's page. $person, $posted, $friends, $hasMoreFriends, $relation, $requests (null but for oneself) */
use Olio\Dates;

use function Olio\e;

$isSelf = $this->isViewer($person['id']);
?>
<article class="panel hero">
<img src="/media/p<?= $person['id'] ?>t.jpg" width="100" height="75" alt="Picture of <?= e($person['username']) ?>">
<div>
<h1><?= e($person['username']) ?></h1>
<p class="lead"><?= e($person['firstname']) ?> <?= e($person['lastname']) ?></p>
<?= $this->viewer === null || $isSelf ? '' : $this->part('friendship', ['other' => $person['id'], 'relation' => $relation]) ?>
<dl class="facts">
<dt>Time zone</dt><dd><?= e($person['timezone']) ?></dd>
<dt>Address</dt><dd><?= $this->part('address', ['address' => $person]) ?></dd>
<?php if ($person['telephone'] !== ''): ?>
<dt>Telephone</dt><dd><?= e($person['telephone']) ?></dd>
<?php endif ?>
<dt>Email</dt><dd><?= e($person['email']) ?></dd>
</dl>
<?php if ($isSelf): ?>
<p class="actions"><a class="button plain small" href="/users/<?= $person['id'] ?>/edit">Edit profile</a></p>
<?php endif ?>
</div>
</article>
<section class="panel">
<h2>About</h2>
<?php if ($person['summary'] === ''): ?>
<p class="quiet">Nothing yet.</p>
<?php else: ?>
<p class="text"><?= e($person['summary']) ?></p>
<?php endif ?>
</section>
<section class="panel">
<h2>Recently posted events</h2>
<?php if (!$posted): ?>
<p class="quiet">None yet.</p>
<p><?php else: ?>
<ul class="rows">
<?php foreach ($posted as $event): ?>
<li><a href="/events/<?= $event['id'] ?>"><?= e($event['title']) ?></a> <span class="quiet"><?= Dates::short(Dates::dayOf($event['event_timestamp'])) ?></span></li>
<?php endforeach ?>
</ul>
<p><a href="/users/<?= $person['id'] ?>/posted_events">all</a> · <?php endif ?><a href="/users/<?= $person['id'] ?>/upcoming_events">attending</a></p>
</section>
<section class="panel" id="friends">
<h2>Friends</h2>
<?php if (!$friends): ?>
<p class="quiet">None yet.</p>
<?php else: ?>
<?= $this->part('people_list', ['people' => $friends]) ?>
<?php if ($hasMoreFriends): ?>
<p class="actions"><a href="/users/<?= $person['id'] ?>/friends">more</a></p>
<?php endif ?>
<?php endif ?>
</section>
<?php if ($isSelf): ?>
<section class="panel">
<h2>Friendship requests</h2>
<p><a href="/users/<?= $person['id'] ?>/requests"><?= $requests[0] ?> waiting for your answer, <?= $requests[1] ?> for theirs</a></p>
</section>
<?php endif ?>
