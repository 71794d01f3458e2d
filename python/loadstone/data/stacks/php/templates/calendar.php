<?php
/** A month; each day links to its events. Also the answer to a script that asks for another month. $year, $month */
use Olio\Dates;

$first = Dates::day($year, $month, 1);
[$lead, $length] = [Dates::weekday($first), (int) gmdate('t', $first * 86400)];
$before = $month === 1 ? [$year - 1, 12] : [$year, $month - 1];
$after = $month === 12 ? [$year + 1, 1] : [$year, $month + 1];
$turn = function (array $to, string $before, string $after): string {
    [$year, $month] = $to;
    if ($year < 1 || $year > 9999) {
        return '<span></span>';
    }
    $label = $before . substr(Dates::monthName($month), 0, 3) . " $year$after";
    return "<a data-calendar href=\"/events/update_calendar?year=$year&amp;month=$month\">$label</a>";
};
?>
<section class="panel" id="calendar" aria-label="Calendar">
<table class="calendar">
<caption><?= Dates::monthName($month) ?> <?= $year ?></caption>
<thead><tr><?php foreach (['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as $name): ?><th scope="col" abbr="<?= $name ?>"><?= substr($name, 0, 2) ?></th><?php endforeach ?></tr></thead>
<tbody>
<?php for ($start = -$lead; $start < $length; $start += 7): ?>
<tr><?php
    for ($index = $start; $index < $start + 7; $index++) {
        $today = $first + $index === $this->today;
        echo $index < 0 || $index >= $length ? '<td></td>' : '<td' . ($today ? ' class="today"' : '')
            . '><a href="/?day=' . Dates::iso($first + $index) . '"' . ($today ? ' aria-current="date"' : '')
            . '>' . ($index + 1) . '</a></td>';
    }
?></tr>
<?php endfor ?>
</tbody>
</table>
<p class="turn"><?= $turn($before, '‹ ', '') ?><?= $turn($after, '', ' ›') ?></p>
</section>
