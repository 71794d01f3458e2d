<?php

declare(strict_types=1);

namespace Olio\Cache;

/** In memory that all processes of this server share (APCu). */
final class MemoryStore implements Store
{
    public function __construct(private readonly string $prefix)
    {
    }

    public function get(string $key): mixed
    {
        $value = apcu_fetch($this->prefix . $key, $found);
        return $found ? $value : null;
    }

    public function put(string $key, mixed $value, int $seconds): void
    {
        apcu_store($this->prefix . $key, $value, $seconds);
    }

    public function drop(array $keys): void
    {
        apcu_delete(array_map(fn (string $key): string => $this->prefix . $key, $keys));
    }
}
