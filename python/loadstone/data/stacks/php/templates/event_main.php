<?php
/** Picture, title, time and place of an event: the same for every viewer. $event */
use Olio\Dates;

use function Olio\e;
?>
<article class="panel hero">
<img src="/media/e<?= $event['id'] ?>t.jpg" width="100" height="75" alt="Picture of the event">
<div>
<h1><?= e($event['title']) ?></h1>
<p class="lead"><?= Dates::long($event['event_timestamp']) ?></p>
<dl class="facts">
<dt>Address</dt><dd><?= $this->part('address', ['address' => $event]) ?></dd>
<dt>Telephone</dt><dd><?= e($event['telephone']) ?></dd>
<dt>Added by</dt><dd><a href="/users/<?= $event['user_id'] ?>"><?= e($event['username']) ?></a></dd>
<?php if ($event['has_document']): ?>
<dt>Document</dt><dd><a href="/media/e<?= $event['id'] ?>l.pdf">Event literature (PDF)</a></dd>
<?php endif ?>
</dl>
</div>
</article>
