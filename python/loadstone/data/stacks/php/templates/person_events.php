<?php
/** Heading of a list of one person's events. $heading, $person */
use function Olio\e;
?>
<h1><?= $heading ?> <a href="/users/<?= $person['id'] ?>"><?= e($person['username']) ?></a></h1>
