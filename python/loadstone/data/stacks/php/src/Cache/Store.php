<?php

declare(strict_types=1);

namespace Olio\Cache;

/** Where kept values are. Any of them may be gone at any time. */
interface Store
{
    /** The value of a key; null when there is none, or its time is over. */
    public function get(string $key): mixed;

    /** Keeps a value that is not null. */
    public function put(string $key, mixed $value, int $seconds): void;

    /** @param list<string> $keys */
    public function drop(array $keys): void;
}
