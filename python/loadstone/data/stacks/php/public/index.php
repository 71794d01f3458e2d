<?php

declare(strict_types=1);

use Olio\Request;
use Olio\Settings;
use Olio\Site;

require __DIR__ . '/../src/autoload.php';

(new Site(Settings::read(getenv())))->answer(new Request())->send();
