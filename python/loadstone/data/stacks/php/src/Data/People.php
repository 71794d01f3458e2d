<?php

declare(strict_types=1);

namespace Olio\Data;

use Olio\Database;

/** People: reading, registering, changing, deleting. */
final class People
{
    /** People on a page of a list. */
    public const PAGE = 24;

    public function __construct(private readonly Database $db)
    {
    }

    /** A person with their address. */
    public function find(int $id): ?array
    {
        return $this->db->row(
            'SELECT u.id, u.username, u.firstname, u.lastname, u.email, u.telephone, u.timezone, u.summary,
                    u.has_image, ' . Addresses::COLUMNS . '
             FROM "user" u JOIN address a ON a.id = u.address_id WHERE u.id = ?',
            [$id],
        );
    }

    /** Id and name of a person. */
    public function link(int $id): ?array
    {
        return $this->db->row('SELECT id, username FROM "user" WHERE id = ?', [$id]);
    }

    /** Id and password hash of a user name. */
    public function credentials(string $username): ?array
    {
        return $this->db->row('SELECT id, password FROM "user" WHERE username = ?', [$username]);
    }

    public function isNameFree(string $username): bool
    {
        return $this->db->value('SELECT 1 FROM "user" WHERE username = ?', [$username]) === null;
    }

    /** People whose user name, first or last name begins with a text, in any letter case; by id. */
    public function search(string $query, int $page): array
    {
        $pattern = Database::prefix($query);
        $any = implode(' OR ', array_map($this->db->beginsWith(...), ['username', 'firstname', 'lastname']));
        [$where, $values] = $query === '' ? ['', []] : ["WHERE $any ", [$pattern, $pattern, $pattern]];
        $sql = "SELECT id, username FROM \"user\" {$where}ORDER BY id LIMIT ? OFFSET ?";
        return Listing::of($this->db->all($sql, [...$values, ...Listing::window($page, self::PAGE)]), $page, self::PAGE);
    }

    /** Registers a person with their address; the id. The failure is `Taken` when the name has just been taken. */
    public function add(array $person, string $password, int $now): int
    {
        return $this->db->transaction(function () use ($person, $password, $now): int {
            $address = (new Addresses($this->db))->add($person);
            return (int) $this->db->value(
                'INSERT INTO "user"(username, firstname, lastname, email, telephone, timezone, summary, has_image,
                                    updated_at, password, address_id, created_at)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id',
                [...self::columns($person), $now, $password, $address, $now],
            );
        });
    }

    /**
     * Changes a person; false when there is no such person any more. A new password (null keeps the old one)
     * ends every session of theirs but `session`.
     */
    public function update(int $id, array $person, ?string $password, string $session, int $now): bool
    {
        return $this->db->transaction(function () use ($id, $person, $password, $session, $now): bool {
            $address = $this->db->value('SELECT address_id FROM "user" WHERE id = ?', [$id]);
            if ($address === null) {
                return false;
            }
            if ($password !== null) {
                (new Sessions($this->db))->endOthers($id, $session);
            }
            $address = (new Addresses($this->db))->change((int) $address, $person);
            $this->db->change(
                'UPDATE "user" SET username = ?, firstname = ?, lastname = ?, email = ?, telephone = ?, timezone = ?,
                        summary = ?, has_image = CASE WHEN has_image = 1 THEN 1 ELSE ? END, updated_at = ?,
                        password = coalesce(?, password), address_id = ?
                 WHERE id = ?',
                [...self::columns($person), $now, $password, $address, $id],
            );
            return true;
        });
    }

    /** Deletes a person with all that is theirs; the ids of their events. */
    public function delete(int $id): array
    {
        return $this->db->transaction(function () use ($id): array {
            $own = array_column($this->db->all('SELECT id FROM event WHERE user_id = ?', [$id]), 'id');
            // One by one, so that the tags of their events are counted down.
            $events = new Events($this->db);
            foreach ($own as $event) {
                $events->deleteWithin($event);
            }
            $address = $this->db->value('SELECT address_id FROM "user" WHERE id = ?', [$id]);
            // Sessions, attendance, comments and friendships go with the person (ON DELETE CASCADE).
            $this->db->change('DELETE FROM "user" WHERE id = ?', [$id]);
            (new Addresses($this->db))->delete((int) $address);
            return $own;
        });
    }

    private static function columns(array $person): array
    {
        return [
            $person['username'], $person['firstname'], $person['lastname'], $person['email'], $person['telephone'],
            $person['timezone'], $person['summary'], (int) $person['has_image'],
        ];
    }
}
