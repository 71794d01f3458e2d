<?php

declare(strict_types=1);

namespace Olio;

/**
 * Passwords at rest, as the loader makes them: `sha256$SALT$HEX` is SHA-256 over the salt's text and the
 * password, so that logging in measures the application and not the hash.
 */
final class Password
{
    public static function hash(string $password): string
    {
        $salt = bin2hex(random_bytes(16));
        return "sha256\$$salt\$" . hash('sha256', $salt . $password);
    }

    /** Whether the password is the one behind the stored form; false without one. */
    public static function check(?string $stored, string $password): bool
    {
        $part = explode('$', $stored ?? '');
        $expected = match (true) {
            count($part) === 3 && $part[0] === 'sha256' => hash('sha256', $part[1] . $password),
            count($part) === 4 && $part[0] === 'pbkdf2' && (int) $part[1] > 0 => hash_pbkdf2('sha256', $password, $part[2], (int) $part[1]),
            // Whether a name is there is not to be told by the time.
            default => hash('sha256', self::hash($password)),
        };
        return hash_equals($expected, end($part));
    }
}
