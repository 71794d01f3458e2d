<?php

declare(strict_types=1);

namespace Olio;

/**
 * Days and times in the site's own formats. A day counts from 1970-01-01, a time is minutes from 1970-01-01
 * 00:00, both without a time zone.
 */
final class Dates
{
    /** 9999-12-31. */
    public const LAST_DAY = 2_932_896;
    /** The Julian day of 1970-01-01. */
    private const EPOCH = 2_440_588;

    /** The day of a civil date; null when there is none in the years 1 to 9999. */
    public static function day(int $year, int $month, int $day): ?int
    {
        $exists = $year >= 1 && $year <= 9999 && checkdate($month, $day, $year);
        return $exists ? gregoriantojd($month, $day, $year) - self::EPOCH : null;
    }

    /** Reads `2008-10-22`. */
    public static function parse(string $text): ?int
    {
        if (!preg_match('/^(\d{4})-(\d\d)-(\d\d)$/D', $text, $part)) {
            return null;
        }
        return self::day((int) $part[1], (int) $part[2], (int) $part[3]);
    }

    /** Year, month and day of the month. */
    public static function civil(int $day): array
    {
        return array_map('intval', explode('-', self::iso($day)));
    }

    /** 0 for Sunday to 6 for Saturday. */
    public static function weekday(int $day): int
    {
        return (int) gmdate('w', $day * 86400);
    }

    /** `2008-10-22`. */
    public static function iso(int $day): string
    {
        return gmdate('Y-m-d', $day * 86400);
    }

    /** `10/22/2008`. */
    public static function short(int $day): string
    {
        return gmdate('m/d/', $day * 86400) . self::civil($day)[0];
    }

    /** `03:15 PM - Friday 11/07/2008`. */
    public static function long(int $minutes): string
    {
        return gmdate('h:i A - l ', $minutes * 60) . self::short(self::dayOf($minutes));
    }

    /** `Wed, 22 Oct 2008 00:00:00 GMT`, as RSS wants it. */
    public static function rfc822(int $day): string
    {
        return gmdate('D, d M ', $day * 86400) . self::civil($day)[0] . ' 00:00:00 GMT';
    }

    /** The day of a time. */
    public static function dayOf(int $minutes): int
    {
        return (int) floor($minutes / 1440);
    }

    /** English name of a month from 1 to 12. */
    public static function monthName(int $month): string
    {
        return gmdate('F', gmmktime(0, 0, 0, $month, 1, 2000));
    }
}
