<?php

/**
 * Checks the settings, asks the data set what it says about itself, and prints the settings for a shell. Exit
 * code 2 with a sentence when something is wrong.
 */

declare(strict_types=1);

use Olio\Database;
use Olio\DatabaseFailure;
use Olio\Dataset;
use Olio\Settings;

require __DIR__ . '/../src/autoload.php';

try {
    $settings = Settings::read(getenv());
    $settings->check();
    $db = new Database($settings->database);
    if ($db->driver === 'sqlite') {
        $db->change('CREATE TABLE IF NOT EXISTS upload(name TEXT PRIMARY KEY, stamp INTEGER NOT NULL UNIQUE, bytes BLOB) STRICT');
    }
    Dataset::read($db)->write($settings->state);
} catch (InvalidArgumentException $error) {
    fwrite(STDERR, "error: {$error->getMessage()}\n");
    exit(2);
} catch (DatabaseFailure $failure) {
    fwrite(STDERR, "error: OLIO_DATABASE: {$failure->getMessage()}\n");
    exit(2);
}

$shown = [
    'OLIO_FILES' => realpath($settings->files),
    'OLIO_STATE' => realpath($settings->state),
    'OLIO_LISTEN' => $settings->listen(),
    'OLIO_WORKERS' => (string) $settings->workers,
];
foreach ($shown as $name => $value) {
    echo "export $name=", escapeshellarg($value), "\n";
}
