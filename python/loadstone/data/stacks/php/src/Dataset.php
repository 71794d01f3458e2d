<?php

declare(strict_types=1);

namespace Olio;

use InvalidArgumentException;

/** What the data set says about itself. `start` reads it once and leaves it as PHP, which OPcache keeps. */
final class Dataset
{
    private const FORMAT = '1';

    public function __construct(
        /** Accounts and events that were loaded, ids from 1. */
        public readonly int $accounts,
        public readonly int $events,
        /** The day that the pages call today. */
        public readonly int $today,
        /** The key of the forms' tokens. */
        public readonly string $secret,
    ) {
    }

    /** @throws InvalidArgumentException when it is none of ours */
    public static function read(Database $db): self
    {
        $meta = array_column($db->all('SELECT name, value FROM meta'), 'value', 'name');
        if (($meta['format'] ?? '') !== self::FORMAT) {
            throw new InvalidArgumentException('OLIO_DATABASE: no complete data set of format ' . self::FORMAT);
        }
        if ($meta['profile'] === 'loadstone-2026') {
            throw new InvalidArgumentException(
                "OLIO_DATABASE: the profile $meta[profile] has a picture for each row; load another"
            );
        }
        // All servers of one database have the same: the first one draws it.
        $db->insertUnlessThere('INSERT INTO meta(name, value) VALUES (?, ?)', ['secret', bin2hex(random_bytes(32))]);
        $secret = $db->value("SELECT value FROM meta WHERE name = 'secret'");
        return new self((int) $meta['accounts'], (int) $meta['events'], (int) $meta['base_day'], $secret);
    }

    public function write(string $state): void
    {
        $file = self::file($state);
        touch($file);
        chmod($file, 0600);
        $fields = [$this->accounts, $this->events, $this->today, $this->secret];
        file_put_contents($file, '<?php return ' . var_export($fields, true) . ";\n");
    }

    public static function kept(string $state): self
    {
        return new self(...require self::file($state));
    }

    /** Noon of today: when things are created now. */
    public function now(): int
    {
        return $this->today * 1440 + 720;
    }

    private static function file(string $state): string
    {
        return "$state/dataset.php";
    }
}
