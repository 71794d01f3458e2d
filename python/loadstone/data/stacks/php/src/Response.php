<?php

declare(strict_types=1);

namespace Olio;

/** An answer. */
final class Response
{
    /** @var list<array{string, string}> */
    private array $fields = [];
    /** A file that is sent instead of a body. */
    private ?string $file = null;

    public function __construct(public int $status = 200, private string $body = '')
    {
    }

    public static function content(string $type, string $body): self
    {
        return (new self(200, $body))->with('Content-Type', $type);
    }

    public function with(string $name, string $value): self
    {
        $this->fields[] = [$name, $value];
        return $this;
    }

    /** What keeps browsers from guessing. */
    public function safe(): self
    {
        return $this->with('X-Content-Type-Options', 'nosniff')->with('Referrer-Policy', 'same-origin');
    }

    public function withBody(string $body): self
    {
        $this->body = $body;
        return $this;
    }

    public function withFile(string $path): self
    {
        $this->file = $path;
        return $this;
    }

    public function withStatus(int $status): self
    {
        $this->status = $status;
        return $this;
    }

    public function send(): void
    {
        http_response_code($this->status);
        foreach ($this->fields as [$name, $value]) {
            header("$name: $value", false);
        }
        if ($this->status !== 304) {
            header('Content-Length: ' . ($this->file === null ? strlen($this->body) : filesize($this->file)));
        }
        if ($_SERVER['REQUEST_METHOD'] === 'HEAD') {
            return;
        }
        $this->file === null ? print $this->body : readfile($this->file);
    }
}
