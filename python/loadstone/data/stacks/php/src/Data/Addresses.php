<?php

declare(strict_types=1);

namespace Olio\Data;

use Olio\Database;

/** Addresses of events and people. */
final class Addresses
{
    /** What pages show of address a. */
    public const COLUMNS = 'a.street1, a.street2, a.city, a.state, a.zip, a.country, a.latitude, a.longitude';
    /** What the geocoder says of every address. */
    public const LATITUDE = '33.0000';
    public const LONGITUDE = '-177.0000';

    public function __construct(private readonly Database $db)
    {
    }

    /** Adds an address within a transaction; its id. */
    public function add(array $address): int
    {
        return (int) $this->db->value(
            'INSERT INTO address(street1, street2, city, state, zip, country, latitude, longitude)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id',
            self::columns($address),
        );
    }

    /** Puts an address in the place of an old one, or beside it when others share that; its id. */
    public function change(int $old, array $address): int
    {
        $changed = $this->db->change(
            'UPDATE address SET street1 = ?, street2 = ?, city = ?, state = ?, zip = ?, country = ?,
                    latitude = ?, longitude = ?
             WHERE id = ? AND ' . self::UNSHARED,
            [...self::columns($address), $old],
        );
        return $changed > 0 ? $old : $this->add($address);
    }

    public function delete(int $id): void
    {
        $this->db->change('DELETE FROM address WHERE id = ? AND ' . self::UNSHARED, [$id]);
    }

    /** Whether an address belongs to one row alone: what was loaded is shared, what came later is not. */
    private const UNSHARED = "id > (SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'accounts')";

    private static function columns(array $address): array
    {
        return [
            $address['street1'], $address['street2'] === '' ? null : $address['street2'], $address['city'],
            $address['state'], $address['zip'], $address['country'], self::LATITUDE, self::LONGITUDE,
        ];
    }
}
