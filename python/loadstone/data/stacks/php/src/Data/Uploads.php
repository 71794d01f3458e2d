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
     * The last of these names, by bytes, under which something was uploaded: name, stamp, bytes. Of a thumbnail and
     * its picture that is the thumbnail.
     *
     * @param list<string> $names
     */
    public function find(array $names): ?array
    {
        $places = implode(', ', array_fill(0, count($names), '?'));
        $found = $this->db->row(
            "SELECT name, stamp, bytes FROM upload WHERE name IN ($places) AND bytes IS NOT NULL
             ORDER BY name DESC LIMIT 1",
            $names,
        );
        // PostgreSQL's driver gives a stream.
        $text = fn (mixed $value): mixed => is_resource($value) ? stream_get_contents($value) : $value;
        return $found === null ? null : array_map($text, $found);
    }

    /** What was changed after a stamp, in order: name, stamp, is_there. */
    public function news(int $last): array
    {
        return $this->db->all(
            'SELECT name, stamp, CASE WHEN bytes IS NULL THEN 0 ELSE 1 END AS is_there FROM upload
             WHERE stamp > ? ORDER BY stamp',
            [$last],
        );
    }

    /** Stores a file in place of the one before. */
    public function put(string $name, string $path): void
    {
        $this->db->transaction(function () use ($name, $path): void {
            // Looked for first: an update in vain would send the whole file twice.
            $isThere = $this->db->value('SELECT 1 FROM upload WHERE name = ?', [$name]) !== null;
            $sql = $isThere
                ? 'UPDATE upload SET stamp = ?, bytes = ? WHERE name = ?'
                : 'INSERT INTO upload(stamp, bytes, name) VALUES (?, ?, ?)';
            $this->db->change($sql, [$this->nextStamp(), fopen($path, 'rb'), $name]);
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

    /** Two transactions that take the same one conflict: stamps are committed in their order. */
    private function nextStamp(): int
    {
        return (int) $this->db->value('SELECT coalesce(max(stamp), 0) + 1 FROM upload');
    }
}
