<?php
/** The answer to whether a user name is free. $name, $verdict */
use function Olio\e;
?>
<p class="quiet" id="name-check" role="status">“<?= e($name) ?>” <?= $verdict ?>.</p>
