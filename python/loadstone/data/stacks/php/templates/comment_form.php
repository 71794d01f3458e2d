<?php
/** The form for an own comment; id 0 for a new one. $event, $id, $text, $rating, $wrong */
?>
<h1>Your comment</h1>
<form class="panel" action="/events/<?= $event ?>/comments<?= $id === 0 ? '' : "/$id" ?>" method="post">
<?= $id === 0 ? '' : $this->methodField('put') ?>
<?= $this->tokenField() ?>
<?= $this->part('comment_fields', ['text' => $text, 'rating' => $rating]) ?>
<?= $this->part('complaint', ['name' => 'rating', 'wrong' => $wrong]) ?>
<?= $this->part('complaint', ['name' => 'comment', 'wrong' => $wrong]) ?>
<p class="actions"><button>Save</button>
<a href="/events/<?= $event ?>">Back</a></p>
</form>
