<?php
/** People with their pictures. $people */
use function Olio\e;
?>
<ul class="people">
<?php foreach ($people as $person): ?>
<li><a href="/users/<?= $person['id'] ?>"><img src="/media/p<?= $person['id'] ?>t.jpg" width="90" height="68" alt=""><?= e($person['username']) ?></a></li>
<?php endforeach ?>
</ul>
