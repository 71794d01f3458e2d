<?php

declare(strict_types=1);

namespace Olio\Data;

use Olio\Database;
use Olio\Dates;

/** One event: reading, adding, changing, deleting. */
final class Events
{
    public function __construct(private readonly Database $db)
    {
    }

    /** An event with its creator's name and its address. */
    public function find(int $id): ?array
    {
        return $this->db->row(
            'SELECT e.id, e.title, e.summary, e.description, e.telephone, e.timezone, e.event_timestamp, e.user_id,
                    u.username, e.has_image, e.has_document, ' . Addresses::COLUMNS . '
             FROM event e JOIN "user" u ON u.id = e.user_id JOIN address a ON a.id = e.address_id
             WHERE e.id = ? AND e.disabled = 0',
            [$id],
        );
    }

    public function exists(int $id): bool
    {
        return $this->db->value('SELECT 1 FROM event WHERE id = ? AND disabled = 0', [$id]) !== null;
    }

    /** Adds an event with its address and tags; its creator attends. Returns its id. */
    public function add(array $event, int $creator, int $now, int $today): int
    {
        return $this->db->transaction(function () use ($event, $creator, $now, $today): int {
            $address = (new Addresses($this->db))->add($event);
            $id = (int) $this->db->value(
                'INSERT INTO event(title, summary, description, telephone, timezone, has_image, has_document,
                                   event_timestamp, event_date, user_id, address_id, created_at, total_score,
                                   num_votes, disabled)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0) RETURNING id',
                [...self::columns($event), $creator, $address, $now],
            );
            (new Tags($this->db))->add($id, $event['tags']);
            (new Attendance($this->db))->add($id, $creator);
            (new Sessions($this->db))->renewNextEvents($creator, $today);
            return $id;
        });
    }

    /** Changes an event; its tags become exactly the given ones. False when there is no such event any more. */
    public function update(int $id, array $event): bool
    {
        return $this->db->transaction(function () use ($id, $event): bool {
            $address = $this->db->value('SELECT address_id FROM event WHERE id = ?', [$id]);
            if ($address === null) {
                return false;
            }
            $address = (new Addresses($this->db))->change((int) $address, $event);
            $this->db->change(
                'UPDATE event SET title = ?, summary = ?, description = ?, telephone = ?, timezone = ?,
                        has_image = CASE WHEN has_image = 1 THEN 1 ELSE ? END,
                        has_document = CASE WHEN has_document = 1 THEN 1 ELSE ? END,
                        event_timestamp = ?, event_date = ?, address_id = ?
                 WHERE id = ?',
                [...self::columns($event), $address, $id],
            );
            $tags = new Tags($this->db);
            $tags->removeAll($id);
            $tags->add($id, $event['tags']);
            (new Sessions($this->db))->forgetNextEvents($id);
            return true;
        });
    }

    /** Deletes an event with its comments, attendance and uses of tags. */
    public function delete(int $id): void
    {
        $this->db->transaction(fn () => $this->deleteWithin($id));
    }

    /** As `delete`, as a part of a larger transaction. */
    public function deleteWithin(int $id): void
    {
        (new Sessions($this->db))->forgetNextEvents($id);
        (new Tags($this->db))->removeAll($id);
        // Attendance and comments go with the event (ON DELETE CASCADE).
        $this->db->change('DELETE FROM event WHERE id = ?', [$id]);
    }

    private static function columns(array $event): array
    {
        return [
            $event['title'], $event['summary'], $event['description'], $event['telephone'], $event['timezone'],
            (int) $event['has_image'], (int) $event['has_document'], $event['when'], Dates::dayOf($event['when']),
        ];
    }
}
