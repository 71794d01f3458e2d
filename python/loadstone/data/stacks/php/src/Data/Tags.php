<?php

declare(strict_types=1);

namespace Olio\Data;

use Olio\Database;

/** Tags and how often they are used. */
final class Tags
{
    public function __construct(private readonly Database $db)
    {
    }

    /** The most used tags, by name. */
    public function cloud(int $count): array
    {
        return $this->db->all(
            'SELECT name, refcount FROM (SELECT name, refcount FROM tag WHERE refcount > 0
                                         ORDER BY refcount DESC, name LIMIT ?) t ORDER BY name',
            [$count],
        );
    }

    /** The tags of an event, by name. */
    public function ofEvent(int $event): array
    {
        return $this->db->all(
            'SELECT t.name, t.refcount FROM event_tag et JOIN tag t ON t.id = et.tag_id
             WHERE et.event_id = ? ORDER BY t.name',
            [$event],
        );
    }

    /**
     * Adds tags to an event within a transaction; those that it has already stay as they are. In byte order, so
     * that two events with the same tags lock them in the same order.
     *
     * @param list<string> $names
     */
    public function add(int $event, array $names): void
    {
        foreach ($names as $name) {
            $this->db->insertUnlessThere('INSERT INTO tag(name, refcount) VALUES (?, 0)', [$name]);
            $id = (int) $this->db->value('SELECT id FROM tag WHERE name = ?', [$name]);
            $sql = 'INSERT INTO event_tag(event_id, tag_id) VALUES (?, ?)';
            if ($this->db->insertUnlessThere($sql, [$event, $id])) {
                $this->db->change('UPDATE tag SET refcount = refcount + 1 WHERE id = ?', [$id]);
            }
        }
    }

    /** Adds tags to an event; none, and returns false, when it would have more than `most`. */
    public function addMore(int $event, array $names, int $most): bool
    {
        return $this->db->transaction(function () use ($event, $names, $most): bool {
            $present = array_column($this->ofEvent($event), 'name');
            $fresh = array_diff($names, $present);
            if ($fresh && count($present) + count($fresh) > $most) {
                return false;
            }
            $this->add($event, $names);
            return true;
        });
    }

    /** Takes all tags from an event, within a transaction. */
    public function removeAll(int $event): void
    {
        $this->db->change(
            'UPDATE tag SET refcount = refcount - 1 WHERE id IN (SELECT tag_id FROM event_tag WHERE event_id = ?)',
            [$event],
        );
        $this->db->change('DELETE FROM event_tag WHERE event_id = ?', [$event]);
    }
}
