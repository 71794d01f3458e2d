<?php

declare(strict_types=1);

namespace Olio;

/** Text in HTML and XML. */
function e(string|int $text): string
{
    // Not htmlspecialchars, whose apostrophe is `&#039;`.
    return strtr((string) $text, ['&' => '&amp;', '<' => '&lt;', '>' => '&gt;', '"' => '&quot;', "'" => '&#39;']);
}

/** An integer in two digits. */
function two(int $number): string
{
    return sprintf('%02d', $number);
}

/** Text without white space around it, Unicode's included. */
function trimmed(string $text): string
{
    return preg_replace('/^\s+|\s+$/u', '', $text) ?? '';
}
