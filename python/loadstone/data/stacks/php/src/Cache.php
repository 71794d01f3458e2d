<?php

declare(strict_types=1);

namespace Olio;

use Olio\Cache\FileStore;
use Olio\Cache\MemcachedStore;
use Olio\Cache\MemoryStore;
use Olio\Cache\Store;

/**
 * What is kept between requests, up to a level. Keys name every input of what they keep. Times to live add up,
 * because contents may be made from kept rows and a page from kept contents: together they stay within 30 s,
 * and 300 s for the home page of people who are not logged in.
 */
final class Cache
{
    public const HOME_SECONDS = 270;
    public const FEED_SECONDS = 15;
    /** Stands in a kept page where each visitor's token goes; control characters are in no content. */
    private const HOLE = "\1\1\1\1token\1\1\1\1";

    public function __construct(private readonly CacheLevel $level, private readonly Store $store)
    {
    }

    public static function of(Settings $settings, string $secret): self
    {
        // Sites of other data sets may share a memcached.
        $prefix = substr(hash('sha256', "cache $secret"), 0, 16) . ':';
        return new self($settings->cache, match (true) {
            $settings->store === 'memory' => new MemoryStore($prefix),
            $settings->store === 'files' => new FileStore("$settings->state/cache"),
            default => new MemcachedStore(substr($settings->store, strlen('memcached://')), $prefix),
        });
    }

    /** The same without anything kept. */
    public function atNone(): self
    {
        return new self(CacheLevel::None, $this->store);
    }

    /** Rows: kept ones, or those that `load` finds. Nothing found is not kept. */
    public function rows(string $key, callable $load): ?array
    {
        if (!$this->has(CacheLevel::Query)) {
            return $load();
        }
        $rows = $this->store->get("rows:$key");
        if ($rows === null && ($rows = $load()) !== null) {
            $this->keep("rows:$key", $rows);
        }
        return $rows;
    }

    /** A part of a page: the kept one, or what `render` makes. */
    public function fragment(string $key, callable $render): string
    {
        if (!$this->has(CacheLevel::Fragment)) {
            return $render();
        }
        $part = $this->store->get("fragment:$key");
        if ($part === null) {
            $this->keep("fragment:$key", $part = $render());
        }
        return $part;
    }

    /**
     * The content of a page: the kept one, or what `make` makes. It returns the content and the ids of people
     * who see another one, because something in it is theirs to edit.
     */
    public function content(string $key, ?int $viewer, callable $make): string
    {
        if (!$this->has(CacheLevel::Action)) {
            return $make()[0];
        }
        $kept = $this->store->get("content:$key");
        if ($kept !== null && !in_array($viewer, $kept[1], true)) {
            return $kept[0];
        }
        $made = $make();
        if (!in_array($viewer, $made[1], true)) {
            $this->keep("content:$key", $made);
        }
        return $made[0];
    }

    /** A whole page for people who are not logged in, with their token. `make` gets the token to write. */
    public function page(string $key, string $token, int $seconds, callable $make): string
    {
        if (!$this->has(CacheLevel::Page)) {
            return $make($token);
        }
        $page = $this->store->get("page:$key");
        if ($page === null) {
            $this->store->put("page:$key", $page = $make(self::HOLE), $seconds);
        }
        return str_replace(self::HOLE, $token, $page);
    }

    /** Drops everything that was kept under a key. */
    public function drop(string ...$keys): void
    {
        $kinds = array_slice(['rows', 'fragment', 'content', 'page'], 0, $this->level->value);
        $kept = [];
        foreach ($kinds as $kind) {
            array_push($kept, ...array_map(fn (string $key): string => "$kind:$key", $keys));
        }
        if ($kept) {
            $this->store->drop($kept);
        }
    }

    public function has(CacheLevel $level): bool
    {
        return $this->level->value >= $level->value;
    }

    private function keep(string $key, mixed $value): void
    {
        // Rows in fragments, at most; from `action` on in contents as well.
        $this->store->put($key, $value, $this->has(CacheLevel::Action) ? 10 : 15);
    }
}
