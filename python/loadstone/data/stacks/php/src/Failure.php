<?php

declare(strict_types=1);

namespace Olio;

use RuntimeException;

/** Why a request gets an error page. */
final class Failure extends RuntimeException
{
    private function __construct(
        public readonly int $status,
        public readonly string $allow = '',
        public readonly bool $needsLogin = false,
    ) {
        parent::__construct("$status");
    }

    /** The request cannot be read. */
    public static function badRequest(): self
    {
        return new self(400);
    }

    /** Somebody else's, or a form without its token. */
    public static function forbidden(): self
    {
        return new self(403);
    }

    /** Nobody is logged in. */
    public static function loginNeeded(): self
    {
        return new self(403, needsLogin: true);
    }

    /** Nothing here. */
    public static function notFound(): self
    {
        return new self(404);
    }

    /** Another method is needed. */
    public static function methodNotAllowed(string $allow): self
    {
        return new self(405, $allow);
    }
}
