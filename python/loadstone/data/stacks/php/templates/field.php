<?php
/**
 * A field of a form with its label, and what is wrong with it.
 * $name, $label, $wrong; if given: $kind ('line', 'area' or 'file'), $sentAs, $value, $max, $required, $extra, $hint
 */
use function Olio\e;

$kind ??= 'line';
$sentAs ??= $name;
$required ??= false;
$extra ??= '';
$attributes = ($kind === 'file' ? '' : " maxlength=\"$max\"" . ($required ? ' required' : ''))
    . (isset($wrong[$name]) ? " aria-invalid=\"true\" aria-describedby=\"w-$name\"" : '') . $extra;
?>
<div class="field<?= ($max ?? 0) > 100 ? ' wide' : '' ?>">
<label for="f-<?= $name ?>"<?= $required ? ' class="required"' : '' ?>><?= $label ?></label>
<?php if ($kind === 'area'): ?>
<textarea id="f-<?= $name ?>" name="<?= $sentAs ?>"<?= $attributes ?>>
<?= e($value) ?></textarea>
<?php elseif ($kind === 'file'): ?>
<input type="file" id="f-<?= $name ?>" name="<?= $sentAs ?>"<?= $attributes ?>>
<p class="hint"><?= $hint ?></p>
<?php else: ?>
<input id="f-<?= $name ?>" name="<?= $sentAs ?>" value="<?= e($value) ?>"<?= $attributes ?>>
<?php endif ?>
<?= $this->part('complaint', ['name' => $name, 'wrong' => $wrong]) ?>
</div>
