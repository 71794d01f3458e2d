<?php
/** What did not work. $title, $sentence */
use function Olio\e;
?>
<h1><?= e($title) ?></h1>
<p><?= e($sentence) ?></p>
<p><a href="/">Back to the events</a></p>
