<?php

declare(strict_types=1);

namespace Olio;

use PDOException;
use RuntimeException;

/** A statement that failed, and what that means. */
final class DatabaseFailure extends RuntimeException
{
    public function __construct(public readonly Trouble $trouble, PDOException $cause)
    {
        parent::__construct($cause->getMessage(), 0, $cause);
    }
}
