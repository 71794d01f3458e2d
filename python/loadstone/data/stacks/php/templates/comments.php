<?php
/** All comments of an event, and a form for another. $event, $comments */
use Olio\Dates;

use function Olio\e;
?>
<section class="panel" id="comments">
<h2>Comments (<?= count($comments) ?>)</h2>
<?php if (!$comments): ?>
<p class="quiet">No comments yet.</p>
<?php else: ?>
<ol class="comments">
<?php foreach ($comments as $comment): ?>
<li id="comment-<?= $comment['id'] ?>">
<p class="by"><a href="/users/<?= $comment['user_id'] ?>"><?= e($comment['username']) ?></a> <span class="stars" role="img" aria-label="<?= $comment['rating'] ?> of 5 stars"><?= str_repeat('★', $comment['rating']) . str_repeat('☆', 5 - $comment['rating']) ?></span> <span class="quiet"><?= Dates::long($comment['created_at']) ?></span></p>
<p class="text"><?= e($comment['comment']) ?></p>
<?php if ($this->isViewer($comment['user_id'])): ?>
<form class="actions" action="/events/<?= $event ?>/comments/<?= $comment['id'] ?>" method="post" data-fragment="comments">
<?= $this->methodField('delete') ?>
<?= $this->tokenField() ?>
<a class="button plain small" href="/events/<?= $event ?>/comments/<?= $comment['id'] ?>/edit">Edit</a>
<button class="plain small" data-confirm="Delete this comment?">Delete</button>
</form>
<?php endif ?>
</li>
<?php endforeach ?>
</ol>
<?php endif ?>
<?php if ($this->viewer === null): ?>
<p><a href="/users/login">Login to leave a comment</a></p>
<?php else: ?>
<form action="/events/<?= $event ?>/comments" method="post" data-fragment="comments">
<?= $this->tokenField() ?>
<?= $this->part('comment_fields', ['text' => '', 'rating' => 0]) ?>
<button>Add comment</button>
</form>
<?php endif ?>
</section>
