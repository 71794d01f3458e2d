<?php
/** Adding (id 0) and editing an event. $id, $entered, $wrong */
use Olio\Dates;

use function Olio\two;

$label = $id === 0 ? 'Add event' : 'Save';
$path = '/events' . ($id === 0 ? '' : "/$id");
$field = fn (string $name, string $label, int $max, array $more = []): string => $this->part('field', $more + [
    'name' => $name, 'sentAs' => "event[$name]", 'label' => $label, 'value' => $entered[$name] ?? '', 'max' => $max,
    'wrong' => $wrong,
]);
[$year, $month, $day, $hour, $minute] = $entered['when'];
$first = Dates::civil($this->today)[0];
// A year from elsewhere stands alone, so that the list stays short.
$years = range($first, $first + 3);
$years = array_unique($year < $first ? [$year, ...$years] : [...$years, $year]);
$numbers = fn (array $values): array => array_combine($values, $values);
$selects = [
    1 => ['Year', $year, $numbers($years)],
    2 => ['Month', $month, array_combine(range(1, 12), array_map(Dates::monthName(...), range(1, 12)))],
    3 => ['Day', $day, $numbers(range(1, 31))],
    4 => ['Hour', $hour, array_map(two(...), range(0, 23))],
    5 => ['Minute', $minute, array_map(two(...), range(0, 59))],
];
?>
<h1><?= $id === 0 ? 'Add an event' : 'Edit the event' ?></h1>
<form action="<?= $path ?>" method="post" enctype="multipart/form-data">
<?= $id === 0 ? '' : $this->methodField('put') ?>
<?= $this->tokenField() ?>
<fieldset>
<legend>What</legend>
<div class="fields">
<?= $field('title', 'Title', 100, ['required' => true]) ?>
<?= $field('summary', 'In one sentence', 100) ?>
<?= $field('description', 'Description', 500, ['kind' => 'area', 'required' => true]) ?>
<?= $field('telephone', 'Telephone', 20, ['required' => true, 'extra' => ' type="tel" pattern="[0-9\-]{7,20}" title="7 to 20 digits and dashes"']) ?>
<?= $field('tag_list', 'Tags, separated by blanks', 700, ['sentAs' => 'tag_list']) ?>
</div>
</fieldset>
<fieldset>
<legend>When</legend>
<div class="when-fields">
<?php foreach ($selects as $index => [$name, $chosen, $options]): ?>
<div class="field"><label for="f-when-<?= $index ?>"><?= $name ?></label><select id="f-when-<?= $index ?>" name="event[event_timestamp(<?= $index ?>i)]"><?php foreach ($options as $value => $shown): ?><option value="<?= $value ?>"<?= $value === $chosen ? ' selected' : '' ?>><?= $shown ?></option><?php endforeach ?></select></div>
<?php endforeach ?>
</div>
<?= $this->part('complaint', ['name' => 'event_timestamp', 'wrong' => $wrong]) ?>
<?= $field('timezone', 'Time zone', 100, ['value' => ($entered['timezone'] ?? '') ?: 'UTC']) ?>
</fieldset>
<?= $this->part('address_fields', ['entered' => $entered, 'wrong' => $wrong]) ?>
<fieldset>
<legend>Files</legend>
<div class="fields">
<?= $this->part('field', ['kind' => 'file', 'name' => 'event_image', 'label' => 'Picture', 'extra' => ' accept="image/jpeg,image/png,image/gif" data-thumbnail="event_thumbnail"', 'hint' => 'JPEG, PNG or GIF, at most 4 MiB.', 'wrong' => $wrong]) ?>
<input type="file" name="event_thumbnail" hidden>
<?= $this->part('field', ['kind' => 'file', 'name' => 'event_document', 'label' => 'Document', 'extra' => ' accept="application/pdf"', 'hint' => 'PDF, at most 4 MiB.', 'wrong' => $wrong]) ?>
</div>
</fieldset>
<p class="actions"><button name="submit" value="<?= $label ?>"><?= $label ?></button></p>
</form>
<?php if ($id !== 0): ?>
<form class="actions" id="delete" action="<?= $path ?>" method="post">
<?= $this->methodField('delete') ?>
<?= $this->tokenField() ?>
<button class="plain" data-confirm="Delete this event?">Delete event</button>
</form>
<?php endif ?>
