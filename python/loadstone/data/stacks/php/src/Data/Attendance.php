<?php

declare(strict_types=1);

namespace Olio\Data;

use Olio\Database;

/** Who attends what. */
final class Attendance
{
    /** How many names a page shows. */
    public const SHOWN = 20;

    public function __construct(private readonly Database $db)
    {
    }

    /** Who attends an event, seen by a viewer (0: by nobody): count, others by id, whether the viewer does. */
    public function ofEvent(int $event, int $viewer): array
    {
        $counted = $this->db->row(
            'SELECT count(*) AS n, coalesce(max(CASE WHEN user_id = ? THEN 1 ELSE 0 END), 0) AS own
             FROM attendance WHERE event_id = ?',
            [$viewer, $event],
        );
        $others = $this->db->all(
            'SELECT u.id, u.username FROM attendance a JOIN "user" u ON u.id = a.user_id
             WHERE a.event_id = ? AND a.user_id <> ? ORDER BY a.user_id LIMIT ?',
            [$event, $viewer, self::SHOWN],
        );
        return ['count' => (int) $counted['n'], 'others' => $others, 'viewerAttends' => (int) $counted['own'] === 1];
    }

    /** Adds someone to the list, within a transaction; nothing happens when they are on it. */
    public function add(int $event, int $person): void
    {
        $this->db->insertUnlessThere('INSERT INTO attendance(event_id, user_id) VALUES (?, ?)', [$event, $person]);
    }

    /** Adds the viewer to the list, and the event to their next ones. */
    public function attend(int $event, int $viewer, int $today): void
    {
        $this->db->transaction(function () use ($event, $viewer, $today): void {
            $this->add($event, $viewer);
            (new Sessions($this->db))->renewNextEvents($viewer, $today);
        });
    }

    /** Takes the viewer off the list. */
    public function unattend(int $event, int $viewer, int $today): void
    {
        $this->db->transaction(function () use ($event, $viewer, $today): void {
            $this->db->change('DELETE FROM attendance WHERE event_id = ? AND user_id = ?', [$event, $viewer]);
            (new Sessions($this->db))->renewNextEvents($viewer, $today);
        });
    }
}
