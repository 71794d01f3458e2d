<?php

declare(strict_types=1);

namespace Olio;

/** Where people find the site: what links of the feed and cookies must know. */
final class Origin
{
    public function __construct(private readonly ?string $publicUrl)
    {
    }

    /** Whether people come over TLS. */
    public function isSecure(): bool
    {
        return str_starts_with($this->publicUrl ?? '', 'https:');
    }

    /** A cookie of the whole site that scripts do not see, as its field has it. */
    public function cookie(string $name, string $value, ?int $seconds = null): string
    {
        return "$name=$value; Path=/" . ($seconds === null ? '' : "; Max-Age=$seconds")
            . '; HttpOnly' . ($this->isSecure() ? '; Secure' : '') . '; SameSite=Lax';
    }

    /** What links begin with: the public URL, else the request's host where that is a plain one. */
    public function of(string $host): string
    {
        return $this->publicUrl ?? 'http://' . (self::isPlain($host) ? $host : 'localhost');
    }

    /** A name or address with or without a port: `a.example`, `10.0.0.1:80`, `[::1]:80`. */
    public static function isPlain(string $host): bool
    {
        if (!preg_match('/^(?:\[([^\]]*)\]|([A-Za-z0-9_][A-Za-z0-9._-]{0,252}))(?::([1-9]\d{0,4}))?$/D', $host, $part)) {
            return false;
        }
        $address = $part[1] === '' || filter_var($part[1], FILTER_VALIDATE_IP, FILTER_FLAG_IPV6) !== false;
        return $address && !str_starts_with($host, '[]') && (int) ($part[3] ?? 1) <= 65535;
    }
}
