<?php
/** The most used tags, larger the more events carry them. $tags */
use function Olio\e;

$sizes = $this->sizes($tags);
?>
<section class="panel" id="cloud">
<h2>Tags</h2>
<ul class="cloud">
<?php foreach ($tags as $index => ['name' => $name, 'refcount' => $count]): ?>
<li style="font-size:<?= $sizes[$index] ?>%"><a href="/events/tagged?tag=<?= rawurlencode($name) ?>" title="<?= $count ?> event<?= $count === 1 ? '' : 's' ?>"><?= e($name) ?></a></li>
<?php endforeach ?>
</ul>
</section>
