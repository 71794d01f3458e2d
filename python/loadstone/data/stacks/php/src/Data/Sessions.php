<?php

declare(strict_types=1);

namespace Olio\Data;

use Olio\Database;

/** Log-in sessions. A row holds the viewer's next events, so that a page need not search for them. */
final class Sessions
{
    /** A session lives for a day after log-in. */
    private const LIFE_SECONDS = 24 * 3600;
    /** `next_events` of a session whose events have changed since: they are looked up at every page. */
    private const STALE = '?';

    public function __construct(private readonly Database $db)
    {
    }

    /** Who a living session belongs to: id, username, upcoming, requests. Null when there is no such session. */
    public function viewer(string $session, int $now, int $today): ?array
    {
        $viewer = $this->db->row(
            'SELECT s.user_id AS id, u.username, s.next_events, (
                 SELECT count(*) FROM friendship f WHERE f.friend_id = s.user_id AND f.accepted = 0 AND NOT EXISTS (
                     SELECT 1 FROM friendship r
                     WHERE r.user_id = s.user_id AND r.friend_id = f.user_id AND r.accepted = 1)) AS requests
             FROM session s JOIN "user" u ON u.id = s.user_id WHERE s.id = ? AND s.expires_s > ?',
            [$session, $now],
        );
        if ($viewer === null) {
            return null;
        }
        $stored = $viewer['next_events'];
        $next = $stored === self::STALE ? $this->nextEvents($viewer['id'], $today) : $stored;
        return ['upcoming' => $this->events($next)] + $viewer;
    }

    /**
     * Begins a session in place of a living one, if any. One log-in in a hundred also clears away those that
     * have ended by themselves: at each, log-ins of the same moment would undo each other.
     */
    public function replace(?string $old, string $session, int $user, int $now, int $today): void
    {
        $this->db->transaction(function () use ($old, $session, $user, $now, $today): void {
            if ($old !== null) {
                $this->end($old);
            }
            if (random_int(1, 100) === 1) {
                $this->db->change('DELETE FROM session WHERE expires_s <= ?', [$now]);
            }
            $requests = $this->db->value('SELECT count(*) FROM friendship WHERE friend_id = ? AND accepted = 0', [$user]);
            $this->db->change(
                'INSERT INTO session(id, user_id, requests, next_events, created_s, expires_s) VALUES (?, ?, ?, ?, ?, ?)',
                [$session, $user, (int) $requests, $this->nextEvents($user, $today), $now, $now + self::LIFE_SECONDS],
            );
        });
    }

    public function end(string $session): void
    {
        $this->db->change('DELETE FROM session WHERE id = ?', [$session]);
    }

    /** Ends every session of a person but one, within a transaction. */
    public function endOthers(int $user, string $session): void
    {
        $this->db->change('DELETE FROM session WHERE user_id = ? AND id <> ?', [$user, $session]);
    }

    /** Looks a person's next events up again, for all their sessions. */
    public function renewNextEvents(int $user, int $today): void
    {
        $next = $this->nextEvents($user, $today);
        $this->db->change('UPDATE session SET next_events = ? WHERE user_id = ?', [$next, $user]);
    }

    /** Makes the sessions of everybody who attends an event look their next ones up. */
    public function forgetNextEvents(int $event): void
    {
        $this->db->change(
            'UPDATE session SET next_events = ? WHERE user_id IN (SELECT user_id FROM attendance WHERE event_id = ?)',
            [self::STALE, $event],
        );
    }

    /** Ids between commas. */
    private function nextEvents(int $user, int $today): string
    {
        $events = $this->db->all(
            'SELECT e.id FROM attendance a JOIN event e ON e.id = a.event_id
             WHERE a.user_id = ? AND e.event_date >= ? AND e.disabled = 0 ORDER BY e.event_date, e.id LIMIT 3',
            [$user, $today],
        );
        return implode(',', array_column($events, 'id'));
    }

    private function events(string $ids): array
    {
        $ids = $ids === '' ? [] : array_map('intval', explode(',', $ids));
        $places = implode(', ', array_fill(0, count($ids), '?'));
        return !$ids ? [] : $this->db->all(
            "SELECT id, title, event_timestamp FROM event WHERE id IN ($places) ORDER BY event_date, id",
            $ids,
        );
    }
}
