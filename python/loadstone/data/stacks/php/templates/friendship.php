<?php
/** How the viewer and person $other stand to each other, with what can be done about it. $other, $relation */
use Olio\Data\Relation;

$me = $this->viewer['id'] ?? 0;
[$said, $buttons] = match ($relation) {
    Relation::Friends => ['You are friends.', ['remove' => 'Remove friend']],
    Relation::Asked => ['Request sent.', ['revoke' => 'Take back']],
    Relation::AskedBy => ['', ['approve' => 'Approve', 'reject' => 'Reject']],
    Relation::Same, Relation::None => ['', []],
};
?>
<div class="actions" id="friendship-<?= $other ?>">
<?php if ($relation === Relation::None): ?>
<form class="inline" action="/users/<?= $other ?>/friends" method="post" data-fragment="friendship-<?= $other ?>">
<?= $this->tokenField() ?>
<button class="small">Add as a friend</button>
</form>
<?php endif ?>
<?php if ($said !== ''): ?>
<span class="quiet"><?= $said ?></span>
<?php endif ?>
<?php foreach ($buttons as $action => $label): ?>
<form class="inline" action="/users/<?= $me ?>/friends/<?= $other ?>" method="post" data-fragment="friendship-<?= $other ?>">
<?= $this->methodField($action === 'approve' ? 'put' : 'delete') ?>
<?php if ($action !== 'approve'): ?>
<input type="hidden" name="friend_action" value="<?= $action ?>">
<?php endif ?>
<?= $this->tokenField() ?>
<button class="<?= $action === 'approve' ? 'small' : 'plain small' ?>"><?= $label ?></button>
</form>
<?php endforeach ?>
</div>
