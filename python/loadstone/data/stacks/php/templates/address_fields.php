<?php
/** The six fields of an address. $entered, $wrong */
$fields = [
    ['street1', 'Street', 55, true],
    ['street2', 'More of the street', 55, false],
    ['city', 'City', 55, true],
    ['state', 'State', 25, false],
    ['zip', 'Zip code', 12, true],
    ['country', 'Country', 55, true],
];
?>
<fieldset>
<legend>Address</legend>
<div class="fields">
<?php foreach ($fields as [$name, $label, $max, $required]): ?>
<?= $this->part('field', ['sentAs' => "address[$name]", 'value' => $entered[$name] ?? ''] + compact('name', 'label', 'max', 'required', 'wrong')) ?>
<?php endforeach ?>
</div>
</fieldset>
