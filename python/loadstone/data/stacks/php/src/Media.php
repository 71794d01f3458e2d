<?php

declare(strict_types=1);

namespace Olio;

use Olio\Data\Uploads;

/**
 * Pictures and documents: uploads, and for everything else the master of its class. Which loaded pictures were
 * replaced is known to all processes of this server, so that most pictures cost no statement.
 */
final class Media
{
    /** For so long the server believes that nothing was uploaded elsewhere in place of what was loaded. */
    private const BELIEF_SECONDS = 0.2;
    private const REPLACED = 'olio:replaced';

    private readonly Uploads $uploads;

    public function __construct(private readonly Site $site)
    {
        $this->uploads = new Uploads($site->db);
    }

    /**
     * The uploads that a name may mean, the first with bytes being it (name, stamp), and its master (a file; null
     * without one). Null when there is no such name.
     */
    public function find(string $name): ?array
    {
        // A class and an id in its one spelling: what they are made of cannot spell a path.
        if (!preg_match('/^(?:(e|p)([1-9]\d*)(t?)\.jpg|(e)([1-9]\d*)l\.pdf)$/D', $name, $part)) {
            return null;
        }
        [$kind, $digits] = isset($part[4]) ? [$part[4], $part[5]] : [$part[1], $part[2]];
        $isThumbnail = $part[3] === 't';
        $id = (int) $digits;
        if ((string) $id !== $digits) {
            return null;
        }
        $isLoaded = $id <= ($kind === 'p' ? $this->site->dataset->accounts : $this->site->dataset->events);
        // A picture that came without a thumbnail is its own.
        $names = $isThumbnail ? [$name, "$kind$id.jpg"] : [$name];
        $isUploaded = !$isLoaded || array_intersect($names, $this->replaced());
        // Lists show a thumbnail of everything, also of what came without a picture.
        $master = $isLoaded || $isThumbnail ? preg_replace('/\d+/', '', $name) : null;
        return [
            'uploads' => $isUploaded ? $this->uploads->find($names) : [],
            'master' => $master === null ? null : "{$this->site->settings->files}/media/$master",
        ];
    }

    /** The bytes of an upload that `find` has found; null when it was taken away. */
    public function content(array $upload): ?string
    {
        return $this->uploads->content($upload['name'], $upload['stamp']);
    }

    /** As a part of a transaction; after it, `doubt`. */
    public function put(string $name, string $path): void
    {
        $this->uploads->put($name, $path);
    }

    public function remove(string ...$names): void
    {
        foreach ($names as $name) {
            $this->uploads->remove($name);
        }
        $this->doubt();
    }

    /** The media type that the first bytes of a file tell; names and declared types are not believed. */
    public static function type(string $bytes): ?string
    {
        return match (1) {
            preg_match('/^\xff\xd8\xff/', $bytes) => 'image/jpeg',
            preg_match('/^\x89PNG\r\n\x1a\n/', $bytes) => 'image/png',
            preg_match('/^GIF8[79]a/', $bytes) => 'image/gif',
            preg_match('/^%PDF-/', $bytes) => 'application/pdf',
            default => null,
        };
    }

    /** What was changed since the last look is asked for at once; what was known before stays known. */
    public function doubt(): void
    {
        if ($known = apcu_fetch(self::REPLACED)) {
            apcu_store(self::REPLACED, [$known[0], $known[1], 0.0]);
        }
    }

    /** Loaded names under which something was uploaded, if only once. */
    private function replaced(): array
    {
        [$names, $last, $asked] = apcu_fetch(self::REPLACED) ?: [[], 0, 0.0];
        $now = microtime(true);
        if ($now > $asked + self::BELIEF_SECONDS) {
            foreach ($this->uploads->news($last) as ['name' => $name, 'stamp' => $last]) {
                preg_match('/\d+/', $name, $part);
                if ((int) $part[0] <= max($this->site->dataset->accounts, $this->site->dataset->events)) {
                    $names[$name] = true;
                }
            }
            apcu_store(self::REPLACED, [$names, $last, $now]);
        }
        return array_keys($names);
    }
}
