<?php

declare(strict_types=1);

namespace Olio\Data;

use Olio\Database;

/** Uploads: rows of the table `upload`, each with a stamp that grows with every change of any of them. */
final class Uploads
{
    public function __construct(private readonly Database $db)
    {
    }

    /**
     * Of these names those under which something was uploaded, if only once: name, stamp. The bytewise last comes
     * first: of a thumbnail and its picture that is the thumbnail. Whether a name has bytes shows when they are asked
     * for: MariaDB would read all of them to say that there are some.
     *
     * @param list<string> $names
     */
    public function find(array $names): array
    {
        $places = implode(', ', array_fill(0, count($names), '?'));
        return $this->db->all("SELECT name, stamp FROM upload WHERE name IN ($places) ORDER BY name DESC", $names);
    }

    /** The bytes of an upload, if that is still the one with this stamp. */
    public function content(string $name, int $stamp): ?string
    {
        $found = $this->db->value('SELECT bytes FROM upload WHERE name = ? AND stamp = ?', [$name, $stamp]);
        // PostgreSQL's driver gives a stream.
        return is_resource($found) ? stream_get_contents($found) : $found;
    }

    /** What was changed after a stamp, in order: name, stamp. */
    public function news(int $last): array
    {
        return $this->db->all('SELECT name, stamp FROM upload WHERE stamp > ? ORDER BY stamp', [$last]);
    }

    /** Stores a file in place of the one before. */
    public function put(string $name, string $path): void
    {
        $this->db->transaction(function () use ($name, $path): void {
            $stamp = $this->nextStamp();
            // Looked for first: an update in vain would send the whole file twice.
            $isThere = $this->db->value('SELECT 1 FROM upload WHERE name = ?', [$name]) !== null;
            $sql = $isThere
                ? 'UPDATE upload SET stamp = ?, bytes = ? WHERE name = ?'
                : 'INSERT INTO upload(stamp, bytes, name) VALUES (?, ?, ?)';
            $this->db->change($sql, [$stamp, fopen($path, 'rb'), $name]);
        });
    }

    /** Takes an upload away. Its name stays, with a stamp that tells of it. */
    public function remove(string $name): void
    {
        $sql = 'SELECT 1 FROM upload WHERE name = ? AND bytes IS NOT NULL';
        // Most have none, and need no transaction to find that out.
        if ($this->db->value($sql, [$name]) !== null) {
            $this->db->transaction(fn () => $this->db->change(
                'UPDATE upload SET stamp = ?, bytes = NULL WHERE name = ?',
                [$this->nextStamp(), $name],
            ));
        }
    }

    /**
     * Stamps are committed in their order: who takes one holds a row until then. Others wait for that before they
     * send a file; two that had sent theirs would both be in the other's way, and send them again.
     */
    private function nextStamp(): int
    {
        $this->db->change("UPDATE meta SET value = value WHERE name = 'format'");
        return (int) $this->db->value('SELECT coalesce(max(stamp), 0) + 1 FROM upload');
    }
}
