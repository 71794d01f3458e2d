<?php
/** Heading of the events with a tag. $tag */
use function Olio\e;
?>
<h1>Events tagged “<?= e($tag) ?>”</h1>
