<?php

declare(strict_types=1);

namespace Olio;

/**
 * A copy of the database that follows it: pages that only read may come from it while it is not far behind.
 * Who has changed something has a cookie for a while, and reads from the database itself.
 */
final class Replica
{
    /** The cookie of who has changed something. */
    public const WROTE = 'wrote';
    /** One that is further behind is not read from. */
    private const MOST_LAG_SECONDS = 5.0;
    /** Between two looks at how far it is behind, and until one that is gone is tried again. */
    private const LOOK_SECONDS = 1;
    private const REST_SECONDS = 5;
    /** For how long who has changed something does not read from it; longer where lists are kept. */
    private const WROTE_SECONDS = 15;
    private const WROTE_CACHED_SECONDS = 45;

    private readonly string $key;

    private function __construct(private readonly Database $db, string $url)
    {
        $this->key = 'replica:' . hash('sha256', $url);
    }

    /** This process's share of the copies; null where there are none. */
    public static function of(Settings $settings): ?self
    {
        $urls = $settings->readDatabases;
        if (!$urls) {
            return null;
        }
        $url = $urls[getmypid() % count($urls)];
        return new self(new Database($url), $url);
    }

    /** Its connection while it may be read from. All processes share what one has seen. */
    public function current(): ?Database
    {
        $isCurrent = apcu_fetch($this->key, $found);
        if (!$found) {
            try {
                $lag = $this->db->lag();
                $isCurrent = $lag !== null && $lag <= self::MOST_LAG_SECONDS;
                apcu_store($this->key, $isCurrent, self::LOOK_SECONDS);
            } catch (DatabaseFailure) {
                $isCurrent = false;
                apcu_store($this->key, false, self::REST_SECONDS);
            }
        }
        return $isCurrent ? $this->db : null;
    }

    /** It could not answer: it is looked at before it is asked again. */
    public function doubt(): void
    {
        apcu_delete($this->key);
    }

    /** How long the cookie of who has changed something lives. */
    public static function seconds(Settings $settings): int
    {
        return $settings->cache === CacheLevel::None ? self::WROTE_SECONDS : self::WROTE_CACHED_SECONDS;
    }
}
