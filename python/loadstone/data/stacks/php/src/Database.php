<?php

declare(strict_types=1);

namespace Olio;

use PDO;
use PDOException;
use PDOStatement;

/**
 * One connection, opened at the first statement and kept by the process for its next requests. All three
 * databases read the same SQL: `"user"` is a name on each of them.
 */
final class Database
{
    /** How often work is run again that got into others' way; the waits add up to about a second. */
    private const ATTEMPTS = 20;

    private ?PDO $pdo = null;
    private bool $inTransaction = false;
    public readonly string $driver;

    public function __construct(private readonly string $url)
    {
        $this->driver = match (strtok($url, ':')) {
            'postgres', 'postgresql' => 'pgsql',
            'mysql', 'mariadb' => 'mysql',
            default => 'sqlite',
        };
    }

    /** @return list<array<string, mixed>> */
    public function all(string $sql, array $values = []): array
    {
        return $this->statement($sql, $values)->fetchAll();
    }

    /** @return ?array<string, mixed> */
    public function row(string $sql, array $values = []): ?array
    {
        return $this->statement($sql, $values)->fetch() ?: null;
    }

    /** The first column of the first row; null without one. */
    public function value(string $sql, array $values = []): mixed
    {
        $row = $this->statement($sql, $values)->fetch(PDO::FETCH_NUM);
        return $row === false ? null : $row[0];
    }

    /** Rows that were inserted, matched or deleted. */
    public function change(string $sql, array $values = []): int
    {
        $run = fn (): int => $this->statement($sql, $values)->rowCount();
        return $this->inTransaction ? $run() : $this->repeatedly($run);
    }

    /** Inserts a row unless one has its key already; whether it did. */
    public function insertUnlessThere(string $sql, array $values): bool
    {
        if ($this->driver !== 'mysql') {
            return $this->change("$sql ON CONFLICT DO NOTHING", $values) > 0;
        }
        try {
            // Not INSERT IGNORE, which would pass over missing references as well.
            return $this->change($sql, $values) > 0;
        } catch (DatabaseFailure $failure) {
            return $failure->trouble === Trouble::Taken ? false : throw $failure;
        }
    }

    /** How many seconds this server is behind the one that it follows; null when it follows none at the moment. */
    public function lag(): ?float
    {
        if ($this->driver === 'mysql') {
            $lag = $this->row('SHOW SLAVE STATUS')['Seconds_Behind_Master'] ?? null;
        } else {
            $lag = $this->value(
                'SELECT CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
                     ELSE coalesce(extract(epoch FROM now() - pg_last_xact_replay_timestamp()), 0) END
                 FROM pg_stat_wal_receiver'
            );
        }
        return $lag === null ? null : (float) $lag;
    }

    /**
     * Runs work as if it were alone, and again when it got into others' way: it may have no effect but on the
     * database. As a part of a larger transaction it is run again with all of that.
     *
     * @template T
     * @param callable(): T $work
     * @return T
     */
    public function transaction(callable $work): mixed
    {
        if ($this->inTransaction) {
            return $work();
        }
        return $this->repeatedly(function () use ($work): mixed {
            $begin = match ($this->driver) {
                'pgsql' => 'BEGIN ISOLATION LEVEL SERIALIZABLE',
                'mysql' => 'START TRANSACTION',
                default => 'BEGIN IMMEDIATE',
            };
            $this->onConnection(true, fn (PDO $pdo) => $pdo->exec($begin));
            $this->inTransaction = true;
            $done = false;
            try {
                $result = $work();
                $this->onConnection(false, fn (PDO $pdo) => $pdo->exec('COMMIT'));
                $done = true;
                return $result;
            } finally {
                $this->inTransaction = false;
                if (!$done) {
                    $this->rollBack();
                }
            }
        });
    }

    /**
     * A condition that a column begins with what `prefix` makes of a text, whatever the case of ASCII letters.
     */
    public function beginsWith(string $column): string
    {
        // MariaDB's LOWER knows all of Unicode. Read as Hebrew, which has no case, bytes keep all but ASCII's.
        $folded = fn (string $text): string => "LOWER(CONVERT(CAST($text AS BINARY) USING hebrew))";
        return match ($this->driver) {
            'pgsql' => "$column ILIKE ? ESCAPE '!'",
            'mysql' => $folded($column) . ' COLLATE hebrew_bin LIKE ' . $folded('?') . " ESCAPE '!'",
            default => "$column LIKE ? ESCAPE '!'",
        };
    }

    /** The pattern for `beginsWith`. */
    public static function prefix(string $text): string
    {
        return preg_replace('/[!%_]/', '!$0', $text) . '%';
    }

    private function repeatedly(callable $work): mixed
    {
        for ($attempt = 0;; $attempt++) {
            try {
                return $work();
            } catch (DatabaseFailure $failure) {
                if ($failure->trouble !== Trouble::Conflict || $attempt === self::ATTEMPTS) {
                    throw $failure;
                }
                usleep(random_int(0, min(1000 << min($attempt, 10), 100_000)));
            }
        }
    }

    private function statement(string $sql, array $values): PDOStatement
    {
        $isRead = !$this->inTransaction && str_starts_with($sql, 'SELECT');
        return $this->onConnection($isRead, function (PDO $pdo) use ($sql, $values): PDOStatement {
            $statement = $pdo->prepare($sql);
            foreach ($values as $index => $value) {
                $statement->bindValue($index + 1, $value, match (true) {
                    is_int($value) => PDO::PARAM_INT,
                    $value === null => PDO::PARAM_NULL,
                    is_resource($value) => PDO::PARAM_LOB,
                    default => PDO::PARAM_STR,
                });
            }
            $statement->execute();
            return $statement;
        });
    }

    /**
     * Runs work on the connection; what is safe to repeat once more on a new one, because the old one may have
     * been kept from a time before the database went.
     */
    private function onConnection(bool $isRepeatable, callable $work): mixed
    {
        try {
            return $work($this->pdo ??= $this->connect());
        } catch (PDOException $error) {
            $trouble = Trouble::of($error, $this->driver);
            if ($trouble === Trouble::Gone) {
                $this->pdo = null;
            }
            return $trouble === Trouble::Gone && $isRepeatable
                ? $this->onConnection(false, $work)
                : throw new DatabaseFailure($trouble, $error);
        }
    }

    private function rollBack(): void
    {
        try {
            $this->pdo?->exec('ROLLBACK');
        } catch (PDOException) {
            // A server undoes what a connection that is gone had begun.
            $this->pdo = null;
        }
    }

    private function connect(): PDO
    {
        $options = [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_ASSOC];
        if ($this->driver === 'sqlite') {
            $pdo = new PDO('sqlite:' . substr($this->url, strlen('sqlite://')), null, null, [PDO::ATTR_TIMEOUT => 5] + $options);
            $pdo->exec('PRAGMA foreign_keys = ON');
            return $pdo;
        }
        $part = parse_url($this->url);
        [$user, $password] = [rawurldecode($part['user']), rawurldecode($part['pass'] ?? '')];
        [$host, $name] = [trim($part['host'], '[]'), rawurldecode(substr($part['path'], 1))];
        $options[PDO::ATTR_PERSISTENT] = true;
        try {
            return $this->driver === 'pgsql'
                ? new PDO(self::postgresAt($host, $part['port'] ?? 5432, $name), $user, $password, $options + [
                    // One round trip a statement: the next request could not use a prepared one.
                    PDO::PGSQL_ATTR_DISABLE_PREPARES => true,
                ])
                : new PDO("mysql:host=$host;port=" . ($part['port'] ?? 3306) . ";dbname=$name;charset=utf8mb4", $user, $password, $options + [
                    PDO::ATTR_TIMEOUT => 2,
                    // An update that changes nothing has found its row all the same.
                    PDO::MYSQL_ATTR_FOUND_ROWS => true,
                    PDO::MYSQL_ATTR_INIT_COMMAND => "SET NAMES utf8mb4 COLLATE utf8mb4_nopad_bin,"
                        . " SESSION sql_mode = 'ANSI_QUOTES,STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION',"
                        . " SESSION tx_isolation = 'SERIALIZABLE', SESSION innodb_lock_wait_timeout = 5",
                ]);
        } catch (PDOException $error) {
            throw new DatabaseFailure(Trouble::Gone, $error);
        }
    }

    private static function postgresAt(string $host, int $port, string $name): string
    {
        return "pgsql:host=$host;port=$port;dbname=$name;connect_timeout=2;tcp_user_timeout=5000;"
            . "options='-c lock_timeout=5s -c jit=off'";
    }
}
