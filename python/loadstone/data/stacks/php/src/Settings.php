<?php

declare(strict_types=1);

namespace Olio;

use InvalidArgumentException;

/** What the environment says about how the site runs. */
final class Settings
{
    public function __construct(
        public readonly string $database,
        public readonly string $files,
        public readonly string $build,
        public readonly string $state,
        public readonly string $address,
        public readonly int $port,
        public readonly int $workers,
        public readonly CacheLevel $cache,
        public readonly string $store,
        public readonly ?string $publicUrl,
        /** @var list<string> copies of the database */
        public readonly array $readDatabases = [],
    ) {
    }

    /**
     * @param array<string, string> $environment
     * @throws InvalidArgumentException a sentence about the first variable that is wrong
     */
    public static function read(array $environment): self
    {
        $given = fn (string $name, ?string $default = null): string => match (true) {
            ($environment[$name] ?? '') !== '' => $environment[$name],
            $default !== null => $default,
            default => throw new InvalidArgumentException("$name must be given"),
        };
        $number = function (string $name, string $default, int $most) use ($given): int {
            $text = $given($name, $default);
            $value = ctype_digit($text) && strlen($text) < 10 ? (int) $text : 0;
            return $value >= 1 && $value <= $most
                ? $value
                : throw new InvalidArgumentException("$name is `$text`, wanted a number from 1 to $most");
        };
        $level = $given('OLIO_CACHE', 'none');
        return new self(
            database: self::database($given('OLIO_DATABASE')),
            files: $given('OLIO_FILES'),
            build: $given('OLIO_BUILD'),
            state: $given('OLIO_STATE'),
            address: self::address($given('OLIO_ADDRESS', '127.0.0.1')),
            port: $number('OLIO_PORT', '8080', 65535),
            workers: $number('OLIO_WORKERS', '8', 1000),
            cache: CacheLevel::named($level) ?? throw new InvalidArgumentException(
                "OLIO_CACHE is `$level`, wanted none, query, fragment, action or page"
            ),
            store: self::store($given('OLIO_CACHE_STORE', 'memory')),
            publicUrl: self::publicUrl($given('OLIO_PUBLIC_URL', '')),
            readDatabases: self::readDatabases($given('OLIO_READ_DATABASES', ''), $given('OLIO_DATABASE')),
        );
    }

    /**
     * What only the machine can tell; `start` asks once.
     *
     * @throws InvalidArgumentException a sentence about the first folder that is wrong
     */
    public function check(): void
    {
        foreach (['OLIO_FILES' => $this->files, 'OLIO_BUILD' => $this->build, 'OLIO_STATE' => $this->state] as $name => $folder) {
            if (!is_dir($folder)) {
                throw new InvalidArgumentException("$name: `$folder` is no folder");
            }
        }
        foreach (['static/style.css', 'static/brand.png', 'media/e.jpg', 'media/p.jpg'] as $file) {
            if (!is_file("$this->files/$file")) {
                throw new InvalidArgumentException(
                    "OLIO_FILES: `$this->files/$file` is missing; `loadstone serve olio-php` makes such a folder"
                );
            }
        }
        if (str_starts_with($this->database, 'sqlite:') && !is_file(substr($this->database, strlen('sqlite://')))) {
            throw new InvalidArgumentException("OLIO_DATABASE: `$this->database` is no file");
        }
        if (!is_writable($this->state)) {
            throw new InvalidArgumentException("OLIO_STATE: `$this->state` cannot be written to");
        }
    }

    /** Address and port as servers listen to them. */
    public function listen(): string
    {
        return (str_contains($this->address, ':') ? "[$this->address]" : $this->address) . ":$this->port";
    }

    private static function database(string $url): string
    {
        if (str_starts_with($url, 'sqlite:///')) {
            return $url;
        }
        $parts = parse_url($url) ?: [];
        $whole = in_array($parts['scheme'] ?? '', ['postgres', 'postgresql', 'mysql', 'mariadb'], true)
            && isset($parts['host'], $parts['user']) && strlen($parts['path'] ?? '') > 1;
        return $whole ? $url : throw new InvalidArgumentException(
            'OLIO_DATABASE: wanted postgres://user:password@host:port/name, mysql://… or sqlite:///path/olio.db'
        );
    }

    /** @return list<string> */
    private static function readDatabases(string $urls, string $database): array
    {
        $kind = strtok($database, ':');
        foreach ($found = array_values(array_filter(explode(',', $urls), 'strlen')) as $url) {
            $parts = parse_url($url) ?: [];
            if ($kind === 'sqlite' || ($parts['scheme'] ?? '') !== $kind || !isset($parts['host'], $parts['user'])) {
                throw new InvalidArgumentException(
                    'OLIO_READ_DATABASES: wanted URLs like that of OLIO_DATABASE, of a server, with commas between them'
                );
            }
        }
        return $found;
    }

    private static function address(string $address): string
    {
        return filter_var($address, FILTER_VALIDATE_IP) !== false
            ? $address
            : throw new InvalidArgumentException("OLIO_ADDRESS is `$address`, wanted an IP address");
    }

    private static function store(string $store): string
    {
        return preg_match('~^(memory|files|memcached://[^/:]+:[1-9]\d{0,4})$~D', $store)
            ? $store
            : throw new InvalidArgumentException(
                "OLIO_CACHE_STORE is `$store`, wanted memory, files or memcached://host:port"
            );
    }

    private static function publicUrl(string $url): ?string
    {
        if ($url === '') {
            return null;
        }
        $plain = strtolower(preg_replace('~/$~D', '', $url));
        if (!preg_match('~^https?://(.*)$~Ds', $plain, $part) || !Origin::isPlain($part[1])) {
            throw new InvalidArgumentException(
                "OLIO_PUBLIC_URL is `$url`, wanted a scheme and a host, such as https://olio.example"
            );
        }
        return $plain;
    }
}
