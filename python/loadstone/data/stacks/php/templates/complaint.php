<?php
/** What is wrong with a field, if anything. $name, $wrong */
use function Olio\e;
?>
<?php if (isset($wrong[$name])): ?>
<p class="wrong" id="w-<?= $name ?>"><?= e($wrong[$name]) ?></p>
<?php endif ?>
