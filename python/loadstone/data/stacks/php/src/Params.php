<?php

declare(strict_types=1);

namespace Olio;

/**
 * Fields and files of a request under short names: `event[title]` and `title` are the same. A form's fields
 * go before the address's, so that a form cannot be overruled by its address.
 */
final class Params
{
    private const MOST_FIELDS = 256;
    private const MOST_BYTES = 16 * 1024;

    /** @var array<string, string> the first value of each */
    private array $fields = [];
    private int $count = 0;
    /** @var array<string, string> name => path of the upload */
    private array $files = [];

    /** @throws Failure when there is too much, or a NUL, or a form that is none */
    public static function read(string $query): self
    {
        $params = new self();
        $type = strtolower(trim(strtok($_SERVER['CONTENT_TYPE'] ?? '', ';') ?: ''));
        if ($type === 'multipart/form-data' && $_SERVER['REQUEST_METHOD'] === 'POST') {
            $params->addMultipart();
        } elseif ($type === 'application/x-www-form-urlencoded') {
            $params->addEncoded(file_get_contents('php://input'));
        }
        $params->addEncoded($query);
        return $params;
    }

    /** The fields of a query or body. Not $_GET, which renames fields and keeps the last of a name. */
    public function addEncoded(string $text): void
    {
        foreach (explode('&', $text) as $pair) {
            if ($pair !== '') {
                [$name, $value] = explode('=', $pair, 2) + [1 => ''];
                $this->add(urldecode($name), urldecode($value));
            }
        }
    }

    /** A field's value without white space around it; empty when there is none. */
    public function get(string $name): string
    {
        return trimmed($this->raw($name));
    }

    /** A field's value as it was entered, for passwords. */
    public function raw(string $name): string
    {
        return $this->fields[$name] ?? '';
    }

    /** A whole number in plain digits. */
    public function whole(string $name): ?int
    {
        $text = $this->get($name);
        $digits = ltrim($text, '0');
        // Nineteen digits may be more than an integer holds, which then counts as none.
        $fits = strlen($digits) < 19 || (string) (int) $digits === $digits;
        return ctype_digit($text) && $fits ? (int) $text : null;
    }

    /** The page of a list, from 1. */
    public function page(): int
    {
        return min(max($this->whole('page') ?? 1, 1), 100_000);
    }

    /** Path of a file that was really chosen. */
    public function file(string $name): ?string
    {
        return $this->files[$name] ?? null;
    }

    private function addMultipart(): void
    {
        // A body that PHP cannot read has neither.
        if (!$_POST && !$_FILES) {
            throw Failure::badRequest();
        }
        foreach ($_POST as $name => $value) {
            foreach (is_array($value) ? $value : [$name => $value] as $inner => $text) {
                if (is_string($text)) {
                    $this->add((string) $inner, $text);
                }
            }
        }
        foreach ($_FILES as $name => $file) {
            if (is_string($file['tmp_name']) && $file['error'] === UPLOAD_ERR_OK && $file['size'] > 0) {
                $this->files[$name] ??= $file['tmp_name'];
            }
        }
    }

    private function add(string $name, string $value): void
    {
        $tooMuch = ++$this->count > self::MOST_FIELDS || max(strlen($name), strlen($value)) > self::MOST_BYTES;
        if ($tooMuch || str_contains($name . $value, "\0")) {
            throw Failure::badRequest();
        }
        $short = preg_match('/\[(.*)\]$/Ds', $name, $part) ? $part[1] : $name;
        $this->fields[mb_scrub($short)] ??= self::clean(mb_scrub($value));
    }

    /** Drops what neither HTML nor XML can show: control characters but tab and newline, U+FFFE and U+FFFF. */
    private static function clean(string $text): string
    {
        return preg_replace('/[^\P{Cc}\t\n]|[\x{fffe}\x{ffff}]/u', '', $text);
    }
}
