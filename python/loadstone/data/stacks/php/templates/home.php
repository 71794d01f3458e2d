<?php
/** Heading and filter of the home page. $byCreated, $zip, $day */
use function Olio\e;

$heading = match (true) {
    $day !== '' => 'Events on one day',
    $byCreated => 'Upcoming events, newest first',
    default => 'Upcoming events',
};
?>
<h1><?= $heading ?></h1>
<form class="panel filter" action="/" method="get">
<div class="fields">
<div class="field"><label for="by-zip">Zip code</label><input id="by-zip" name="zip" maxlength="12" value="<?= e($zip) ?>"></div>
<div class="field"><label for="by-day">Day</label><input id="by-day" name="day" type="date" value="<?= $day ?>"></div>
<div class="field"><label for="by-order">Order by</label><select id="by-order" name="order"><option value="date"<?= $byCreated ? '' : ' selected' ?>>event date</option><option value="created"<?= $byCreated ? ' selected' : '' ?>>created date</option></select></div>
<div><button class="plain">Filter</button></div>
</div>
</form>
