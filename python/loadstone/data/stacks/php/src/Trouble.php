<?php

declare(strict_types=1);

namespace Olio;

use PDOException;

/** What a failed statement means, the same for every database. */
enum Trouble
{
    /** The transaction is undone: it cannot be put into an order with others. */
    case Conflict;
    /** Another connection held a lock for too long. */
    case Busy;
    /** A key is taken. */
    case Taken;
    /** A row that the change refers to is not there. */
    case Missing;
    /** There is no server to talk to. */
    case Gone;
    /** No room is left. */
    case Full;
    case Other;

    /** The status of an answer that failed for this reason. */
    public function status(): int
    {
        return match ($this) {
            self::Conflict, self::Busy, self::Gone => 503,
            self::Missing => 404,
            self::Full => 507,
            self::Taken, self::Other => 500,
        };
    }

    /** After the tables of error codes in the manuals of the three. */
    public static function of(PDOException $error, string $driver): self
    {
        $state = (string) ($error->errorInfo[0] ?? $error->getCode());
        $code = (int) ($error->errorInfo[1] ?? $error->getCode());
        return match ($driver) {
            'pgsql' => self::ofPostgres($state, $error->getMessage()),
            'mysql' => self::ofMariaDb($code),
            default => self::ofSqlite($code, $error->getMessage()),
        };
    }

    private static function ofPostgres(string $state, string $message): self
    {
        return match (true) {
            in_array($state, ['40001', '40P01'], true) => self::Conflict,
            $state === '55P03' => self::Busy,
            $state === '53100' => self::Full,
            $state === '23505' => self::Taken,
            $state === '23503' => self::Missing,
            str_starts_with($state, '08'), str_starts_with($state, '57P'), $state === '53300' => self::Gone,
            // libpq has no code for a connection that breaks off.
            $state === 'HY000' && preg_match('/connection|no more data|terminat/i', $message) === 1 => self::Gone,
            default => self::Other,
        };
    }

    private static function ofMariaDb(int $code): self
    {
        return match ($code) {
            1213, 1020 => self::Conflict,
            1205 => self::Busy,
            1021, 1114 => self::Full,
            1062, 1586 => self::Taken,
            1216, 1217, 1451, 1452 => self::Missing,
            1040, 1053, 1080, 1152, 1184, 1203, 1927, 2002, 2003, 2006, 2013 => self::Gone,
            default => self::Other,
        };
    }

    private static function ofSqlite(int $code, string $message): self
    {
        return match (true) {
            $code === 5, $code === 6 => self::Busy,
            $code === 13 => self::Full,
            $code === 14 => self::Gone,
            str_contains($message, 'UNIQUE constraint') => self::Taken,
            str_contains($message, 'FOREIGN KEY constraint') => self::Missing,
            default => self::Other,
        };
    }
}
