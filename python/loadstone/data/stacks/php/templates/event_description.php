<?php
/** Summary, description and map of an event: the same for every viewer. $event */
use function Olio\e;

// Whole degrees of a decimal, moved to 0..2*half on the plate.
$plate = fn (string $decimal, int $half, int $sign): int => min(max($half + $sign * (int) $decimal, 0), 2 * $half);
?>
<section class="panel">
<h2>What</h2>
<?php if ($event['summary'] !== ''): ?>
<p class="lead"><?= e($event['summary']) ?></p>
<?php endif ?>
<p class="text"><?= e($event['description']) ?></p>
</section>
<section class="panel">
<h2>Where</h2>
<svg class="map" viewBox="0 4 360 146" role="img" aria-label="Map: latitude <?= e($event['latitude']) ?>, longitude <?= e($event['longitude']) ?>">
<path class="land" d="M12 28 60 20 100 22 126 40 112 62 100 60 96 72 82 64 72 70 64 54 50 46 30 40Z"/>
<path class="land" d="M100 82 116 78 144 94 140 112 124 128 114 144 106 142 108 120 98 98Z"/>
<path class="land" d="M136 8 160 8 158 24 140 30 130 20Z"/>
<path class="land" d="M172 52 170 46 184 32 208 20 222 30 220 46 206 52 196 54 186 50 176 54Z"/>
<path class="land" d="M164 62 186 54 212 58 230 78 222 92 214 116 200 126 192 108 188 86 168 82Z"/>
<path class="land" d="M222 30 260 14 330 18 352 26 330 40 318 56 302 66 290 82 280 70 258 84 246 66 226 60 220 46Z"/>
<path class="land" d="M294 112 316 102 332 112 330 128 316 130 296 124Z"/>
<path class="grid" d="M0 90H360M180 0V180M90 0V180M270 0V180M0 45H360M0 135H360"/>
<circle class="pin" cx="<?= $plate($event['longitude'], 180, 1) ?>" cy="<?= $plate($event['latitude'], 90, -1) ?>" r="5"/>
</svg>
<p class="quiet">Latitude <?= e($event['latitude']) ?>, longitude <?= e($event['longitude']) ?></p>
</section>
