<?php
/** The tags of an event, sized by use, and a form for more. $event, $tags */
use function Olio\e;

$sizes = $this->sizes($tags);
?>
<section class="panel" id="tags">
<h2>Tags</h2>
<?php if (!$tags): ?>
<p class="quiet">No tags yet.</p>
<?php else: ?>
<ul class="cloud">
<?php foreach ($tags as $index => ['name' => $name]): ?>
<li style="font-size:<?= $sizes[$index] ?>%"><a href="/events/tagged?tag=<?= rawurlencode($name) ?>"><?= e($name) ?></a></li>
<?php endforeach ?>
</ul>
<?php endif ?>
<?php if ($this->viewer !== null): ?>
<form class="search actions" action="/events/<?= $event ?>/tag" method="post" data-fragment="tags">
<?= $this->methodField('put') ?>
<?= $this->tokenField() ?>
<label class="unseen" for="tag-list">More tags</label>
<input id="tag-list" name="tag_list" maxlength="250" placeholder="More tags" required>
<button class="plain">Add</button>
</form>
<?php endif ?>
</section>
