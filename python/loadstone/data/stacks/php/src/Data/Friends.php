<?php

declare(strict_types=1);

namespace Olio\Data;

use Olio\Database;

/** Friendship. A row says that `user_id` has asked `friend_id`; accepted, they are friends both ways. */
final class Friends
{
    public function __construct(private readonly Database $db)
    {
    }

    /** The friends of lowest id. */
    public function first(int $person, int $count): array
    {
        return $this->of($person, [$count, 0]);
    }

    /** A page of all friends. */
    public function list(int $person, int $page): array
    {
        return Listing::of($this->of($person, Listing::window($page, People::PAGE)), $page, People::PAGE);
    }

    /** How the viewer and a person stand to each other. */
    public function relation(int $viewer, int $other): Relation
    {
        if ($viewer === $other) {
            return Relation::Same;
        }
        $row = $this->db->row(
            'SELECT (SELECT accepted FROM friendship WHERE user_id = ? AND friend_id = ?) AS asked,
                    (SELECT accepted FROM friendship WHERE user_id = ? AND friend_id = ?) AS asked_by',
            [$viewer, $other, $other, $viewer],
        );
        return match (true) {
            $row['asked'] === 1, $row['asked_by'] === 1 => Relation::Friends,
            $row['asked_by'] !== null => Relation::AskedBy,
            $row['asked'] !== null => Relation::Asked,
            default => Relation::None,
        };
    }

    /** People who have asked the viewer and wait, by id. */
    public function incoming(int $viewer): array
    {
        return $this->db->all(
            'SELECT u.id, u.username FROM friendship f JOIN "user" u ON u.id = f.user_id
             WHERE f.friend_id = ? AND f.accepted = 0 AND NOT EXISTS (
                 SELECT 1 FROM friendship r WHERE r.user_id = ? AND r.friend_id = f.user_id AND r.accepted = 1)
             ORDER BY u.id',
            [$viewer, $viewer],
        );
    }

    /** People whom the viewer has asked and who have neither answered nor asked as well, by id. */
    public function outgoing(int $viewer): array
    {
        return $this->db->all(
            'SELECT u.id, u.username FROM friendship f JOIN "user" u ON u.id = f.friend_id
             WHERE f.user_id = ? AND f.accepted = 0 AND NOT EXISTS (
                 SELECT 1 FROM friendship r WHERE r.user_id = f.friend_id AND r.friend_id = ?)
             ORDER BY u.id',
            [$viewer, $viewer],
        );
    }

    /** The viewer asks a person; when that person has asked before, they become friends. How they stand now. */
    public function request(int $viewer, int $other): Relation
    {
        return $this->db->transaction(function () use ($viewer, $other): Relation {
            $before = $this->relation($viewer, $other);
            if ($before === Relation::AskedBy) {
                $this->approve($viewer, $other);
                return Relation::Friends;
            }
            if ($before === Relation::None) {
                $sql = 'INSERT INTO friendship(user_id, friend_id, accepted) VALUES (?, ?, 0)';
                $this->db->change($sql, [$viewer, $other]);
                return Relation::Asked;
            }
            return $before;
        });
    }

    /** The viewer accepts a person's request; false when there is none, as in all that follow. */
    public function approve(int $viewer, int $other): bool
    {
        $sql = 'UPDATE friendship SET accepted = 1 WHERE user_id = ? AND friend_id = ?';
        return $this->db->change($sql, [$other, $viewer]) > 0;
    }

    /** The viewer refuses a person's request. */
    public function reject(int $viewer, int $other): bool
    {
        $sql = 'DELETE FROM friendship WHERE user_id = ? AND friend_id = ? AND accepted = 0';
        return $this->db->change($sql, [$other, $viewer]) > 0;
    }

    /** The viewer takes an own request back. */
    public function revoke(int $viewer, int $other): bool
    {
        return $this->reject($other, $viewer);
    }

    /** Ends a friendship, whoever began it, with what was asked before it. */
    public function remove(int $viewer, int $other): bool
    {
        $sql = 'DELETE FROM friendship WHERE (user_id = ? AND friend_id = ?) OR (user_id = ? AND friend_id = ?)';
        return $this->db->change($sql, [$viewer, $other, $other, $viewer]) > 0;
    }

    private function of(int $person, array $window): array
    {
        return $this->db->all(
            'SELECT u.id, u.username FROM (
                 SELECT friend_id AS id FROM friendship WHERE user_id = ? AND accepted = 1
                 UNION SELECT user_id FROM friendship WHERE friend_id = ? AND accepted = 1
                 ORDER BY 1 LIMIT ? OFFSET ?) f
             JOIN "user" u ON u.id = f.id ORDER BY u.id',
            [$person, $person, ...$window],
        );
    }
}
