<?php

declare(strict_types=1);

namespace Olio\Data;

use Olio\Database;

/** Lists of events. */
final class Lists
{
    private const PAGE = 10;

    public function __construct(private readonly Database $db)
    {
    }

    /** The events of some days, the nearest or the newest first, of one zip code or (empty) of all. */
    public function home(int $from, int $to, bool $byCreated, string $zip, int $page): array
    {
        $order = $byCreated ? 'e.created_at DESC, e.id' : 'e.event_date, e.id';
        [$where, $values] = $zip === '' ? ['', []] : [' AND a.zip = ?', [$zip]];
        $join = $zip === '' ? '' : 'JOIN address a ON a.id = e.address_id ';
        $ids = "SELECT e.id FROM event e {$join}WHERE e.event_date BETWEEN ? AND ? AND e.disabled = 0$where";
        return $this->listing($ids, $order, [$from, $to, ...$values], $page);
    }

    /** The events with a tag. */
    public function tagged(string $tag, int $page): array
    {
        $ids = 'SELECT e.id FROM tag t JOIN event_tag et ON et.tag_id = t.id JOIN event e ON e.id = et.event_id
                WHERE t.name = ? AND e.disabled = 0';
        return $this->listing($ids, 'e.event_date, e.id', [$tag], $page);
    }

    /** The events that a person announced, the newest first. */
    public function posted(int $person, int $page): array
    {
        $ids = 'SELECT e.id FROM event e WHERE e.user_id = ? AND e.disabled = 0';
        return $this->listing($ids, 'e.created_at DESC, e.id', [$person], $page);
    }

    /** The events from today on that a person attends, the nearest first. */
    public function upcoming(int $person, int $today, int $page): array
    {
        $ids = 'SELECT e.id FROM attendance t JOIN event e ON e.id = t.event_id
                WHERE t.user_id = ? AND e.event_date >= ? AND e.disabled = 0';
        return $this->listing($ids, 'e.event_date, e.id', [$person, $today], $page);
    }

    /** The newest events, the last one added first. */
    public function newest(int $count): array
    {
        return $this->items('SELECT e.id FROM event e WHERE e.disabled = 0', 'e.created_at DESC, e.id DESC', [$count, 0]);
    }

    /** The last events that a person announced, as links. */
    public function recentlyPosted(int $person): array
    {
        return $this->db->all(
            'SELECT id, title, event_timestamp FROM event WHERE user_id = ? AND disabled = 0
             ORDER BY created_at DESC, id LIMIT 10',
            [$person],
        );
    }

    private function listing(string $ids, string $order, array $values, int $page): array
    {
        $rows = $this->items($ids, $order, [...$values, ...Listing::window($page, self::PAGE)]);
        return Listing::of($rows, $page, self::PAGE);
    }

    /** What every list shows. The ids come first, by an index alone; the rest is looked up for a page of them. */
    private function items(string $ids, string $order, array $values): array
    {
        return $this->db->all(
            "SELECT e.id, e.title, e.summary, e.event_timestamp, e.created_at, a.city, e.user_id, u.username
             FROM ($ids ORDER BY $order LIMIT ? OFFSET ?) p JOIN event e ON e.id = p.id
                  JOIN address a ON a.id = e.address_id JOIN \"user\" u ON u.id = e.user_id
             ORDER BY $order",
            $values,
        );
    }
}
