<?php

declare(strict_types=1);

namespace Olio\Data;

use Olio\Database;

/** Comments and ratings. */
final class Comments
{
    private const SELECT = 'SELECT c.id, c.user_id, u.username, c.comment, c.rating, c.created_at
                            FROM comment c JOIN "user" u ON u.id = c.user_id';

    public function __construct(private readonly Database $db)
    {
    }

    /** All comments of an event, the oldest first. */
    public function ofEvent(int $event): array
    {
        return $this->db->all(self::SELECT . ' WHERE c.event_id = ? ORDER BY c.id', [$event]);
    }

    public function find(int $event, int $id): ?array
    {
        return $this->db->row(self::SELECT . ' WHERE c.id = ? AND c.event_id = ?', [$id, $event]);
    }

    public function add(int $event, int $author, string $text, int $rating, int $now): void
    {
        $this->db->change(
            'INSERT INTO comment(event_id, user_id, comment, rating, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
            [$event, $author, $text, $rating, $now, $now],
        );
    }

    /** False when there is no such comment any more. */
    public function update(int $id, string $text, int $rating, int $now): bool
    {
        $sql = 'UPDATE comment SET comment = ?, rating = ?, updated_at = ? WHERE id = ?';
        return $this->db->change($sql, [$text, $rating, $now, $id]) > 0;
    }

    public function delete(int $id): void
    {
        $this->db->change('DELETE FROM comment WHERE id = ?', [$id]);
    }
}
