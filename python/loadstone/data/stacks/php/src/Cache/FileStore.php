<?php

declare(strict_types=1);

namespace Olio\Cache;

/** Files of a folder, one a key; each begins with when it ends. */
final class FileStore implements Store
{
    /** One of so many writers clears away what has ended. */
    private const SWEEP_ONE_IN = 1000;

    public function __construct(private readonly string $folder)
    {
    }

    public function get(string $key): mixed
    {
        $kept = @file_get_contents($this->path($key));
        if ($kept === false) {
            return null;
        }
        [$end, $value] = unserialize($kept, ['allowed_classes' => false]);
        return $end > microtime(true) ? $value : null;
    }

    public function put(string $key, mixed $value, int $seconds): void
    {
        if (!is_dir($this->folder)) {
            @mkdir($this->folder);
        }
        $fresh = @tempnam($this->folder, 'new');
        // A full disk keeps nothing, and readers never see half a file.
        if ($fresh !== false && @file_put_contents($fresh, serialize([microtime(true) + $seconds, $value])) !== false) {
            rename($fresh, $this->path($key));
        } elseif ($fresh !== false) {
            @unlink($fresh);
        }
        if (random_int(1, self::SWEEP_ONE_IN) === 1) {
            $this->sweep();
        }
    }

    public function drop(array $keys): void
    {
        foreach ($keys as $key) {
            @unlink($this->path($key));
        }
    }

    /** Nothing is kept for longer than ten minutes. */
    private function sweep(): void
    {
        foreach (glob("$this->folder/*") as $file) {
            if (@filemtime($file) < time() - 600) {
                @unlink($file);
            }
        }
    }

    private function path(string $key): string
    {
        return "$this->folder/" . sha1($key);
    }
}
