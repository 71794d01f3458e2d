<?php
/** An event's page. $event; as text: $main, $attendees, $description, $tags, $comments */
?>
<?= $main ?>
<?php if ($this->isViewer($event['user_id'])): ?>
<p class="actions owner"><a class="button plain small" href="/events/<?= $event['id'] ?>/edit">Edit</a>
<a class="button plain small" href="/events/<?= $event['id'] ?>/edit#delete">Delete</a></p>
<?php endif ?>
<?= $attendees ?>
<?= $description ?>
<?= $tags ?>
<?= $comments ?>
