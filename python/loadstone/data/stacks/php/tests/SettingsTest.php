<?php

declare(strict_types=1);

use Olio\CacheLevel;
use Olio\Settings;
use PHPUnit\Framework\TestCase;

final class SettingsTest extends TestCase
{
    private const GIVEN = [
        'OLIO_DATABASE' => 'postgres://olio:p%40ss@db.test/olio', 'OLIO_FILES' => '/f', 'OLIO_BUILD' => '/b',
        'OLIO_STATE' => '/s',
    ];

    public function testWhatIsNotGivenHasADefault(): void
    {
        $settings = Settings::read(self::GIVEN + ['OLIO_CACHE' => 'action', 'OLIO_ADDRESS' => '::1']);
        self::assertSame([8, CacheLevel::Action, 'memory', null], [$settings->workers, $settings->cache, $settings->store, $settings->publicUrl]);
        self::assertSame('[::1]:8080', $settings->listen());
    }

    public function testCopiesOfTheDatabaseAreAList(): void
    {
        $given = self::GIVEN + ['OLIO_READ_DATABASES' => 'postgres://o@a/olio,postgres://o@b/olio'];
        self::assertSame(['postgres://o@a/olio', 'postgres://o@b/olio'], Settings::read($given)->readDatabases);
    }

    /** @dataProvider wrong */
    public function testWhatIsWrongIsNamed(string $name, string $value): void
    {
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessage($name);
        Settings::read([$name => $value] + self::GIVEN);
    }

    public static function wrong(): array
    {
        return [
            ['OLIO_DATABASE', ''], ['OLIO_DATABASE', 'oracle://x/y'], ['OLIO_DATABASE', 'mysql://db.test'],
            ['OLIO_PORT', '0'], ['OLIO_PORT', '65536'], ['OLIO_PORT', '80x'], ['OLIO_WORKERS', '-1'],
            ['OLIO_ADDRESS', 'localhost!'], ['OLIO_CACHE', 'pages'], ['OLIO_CACHE_STORE', 'redis://a:1'],
            ['OLIO_CACHE_STORE', 'memcached://a'], ['OLIO_READ_DATABASES', 'mysql://o@copy/olio'],
            ['OLIO_READ_DATABASES', 'postgres://o@copy/olio,x'], ['OLIO_PUBLIC_URL', 'ftp://a'], ['OLIO_PUBLIC_URL', 'http://a/b'],
        ];
    }
}
