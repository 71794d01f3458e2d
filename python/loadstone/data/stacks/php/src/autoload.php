<?php

declare(strict_types=1);

require __DIR__ . '/functions.php';

spl_autoload_register(function (string $class): void {
    if (str_starts_with($class, 'Olio\\')) {
        require __DIR__ . '/' . strtr(substr($class, 5), '\\', '/') . '.php';
    }
});

// What is no UTF-8 becomes U+FFFD.
mb_substitute_character(0xFFFD);
