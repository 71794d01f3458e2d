<?php
/** Who attends, and the button that joins or leaves. $event, $count, $others, $viewerAttends */
use Olio\Data\Attendance;

use function Olio\e;

$isSelf = $viewerAttends && $this->viewer !== null;
$others = array_slice($others, 0, Attendance::SHOWN - (int) $isSelf);
$hidden = $count - count($others) - (int) $isSelf;
?>
<section class="panel" id="attendees">
<h2>Attendees (<?= $count ?>)</h2>
<?php if ($count === 0): ?>
<p class="quiet">Nobody yet.</p>
<?php else: ?>
<ul class="names">
<?php if ($isSelf): ?>
<li class="self"><a href="/users/<?= $this->viewer['id'] ?>"><?= e($this->viewer['username']) ?></a></li>
<?php endif ?>
<?php foreach ($others as $person): ?>
<li><a href="/users/<?= $person['id'] ?>"><?= e($person['username']) ?></a></li>
<?php endforeach ?>
</ul>
<?php if ($hidden > 0): ?>
<p class="quiet">and <?= $hidden ?> more</p>
<?php endif ?>
<?php endif ?>
<?php if ($this->viewer !== null): ?>
<form action="/events/<?= $event ?>/<?= $isSelf ? 'unattend' : 'attend' ?>" method="post" data-fragment="attendees">
<?= $this->tokenField() ?>
<?php if ($isSelf): ?>
<p>You are attending. <button class="plain small">Unattend</button></p>
<?php else: ?>
<p><button>Attend</button></p>
<?php endif ?>
</form>
<?php endif ?>
</section>
