<?php

declare(strict_types=1);

namespace Olio\Cache;

use Memcached;

/** A memcached, over a connection that the process keeps. One that is gone keeps nothing. */
final class MemcachedStore implements Store
{
    private readonly Memcached $memcached;

    public function __construct(string $place, private readonly string $prefix)
    {
        $this->memcached = new Memcached($place);
        if (!$this->memcached->getServerList()) {
            [$host, $port] = explode(':', $place);
            $this->memcached->setOptions([
                Memcached::OPT_CONNECT_TIMEOUT => 200,
                Memcached::OPT_POLL_TIMEOUT => 500,
                Memcached::OPT_RETRY_TIMEOUT => 1,
                Memcached::OPT_TCP_NODELAY => true,
            ]);
            $this->memcached->addServer($host, (int) $port);
        }
    }

    public function get(string $key): mixed
    {
        $value = $this->memcached->get($this->name($key));
        return $this->memcached->getResultCode() === Memcached::RES_SUCCESS ? $value : null;
    }

    public function put(string $key, mixed $value, int $seconds): void
    {
        $this->memcached->set($this->name($key), $value, $seconds);
    }

    public function drop(array $keys): void
    {
        $this->memcached->deleteMulti(array_map($this->name(...), $keys));
    }

    /** Keys of memcached hold no blanks, and at most 250 bytes. */
    private function name(string $key): string
    {
        return $this->prefix . sha1($key);
    }
}
