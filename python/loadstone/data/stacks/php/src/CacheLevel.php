<?php

declare(strict_types=1);

namespace Olio;

/** What may be kept between requests; each level includes those before it. */
enum CacheLevel: int
{
    case None = 0;
    /** Rows of lists, of the cloud, of events. */
    case Query = 1;
    /** Parts of pages. */
    case Fragment = 2;
    /** The whole contents of pages, behind the check who asks. */
    case Action = 3;
    /** Whole answers to people who are not logged in, and the feed. */
    case Page = 4;

    public static function named(string $name): ?self
    {
        foreach (self::cases() as $level) {
            if (strtolower($level->name) === $name) {
                return $level;
            }
        }
        return null;
    }
}
