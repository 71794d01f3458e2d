<?php

declare(strict_types=1);

use Olio\Database;
use Olio\Media;
use Olio\Origin;
use Olio\Password;
use Olio\View;
use PHPUnit\Framework\TestCase;

use function Olio\e;

final class FunctionsTest extends TestCase
{
    public function testExactlyFiveCharactersAreEscaped(): void
    {
        self::assertSame('&amp;&lt;&gt;&quot;&#39;/é', e('&<>"\'/é'));
    }

    public function testPasswordsAreThoseOfTheLoader(): void
    {
        self::assertTrue(Password::check(Password::hash('secret'), 'secret'));
        self::assertTrue(Password::check('sha256$ab$' . hash('sha256', 'absecret'), 'secret'));
        self::assertFalse(Password::check(Password::hash('secret'), 'Secret'));
        self::assertFalse(Password::check(null, ''));
    }

    public function testTheFirstBytesSayWhatAFileIs(): void
    {
        self::assertSame('image/png', Media::type("\x89PNG\r\n\x1a\nrest"));
        self::assertSame('application/pdf', Media::type('%PDF-1.4'));
        self::assertNull(Media::type('<html>'));
    }

    public function testTagsAreSizedBetween100And250Percent(): void
    {
        $tags = [['refcount' => 1], ['refcount' => 2], ['refcount' => 8]];
        self::assertSame([100, 122, 250], View::sizes($tags));
        self::assertSame([100], View::sizes([['refcount' => 5]]));
    }

    public function testWildcardsLoseTheirMeaning(): void
    {
        self::assertSame('a!%!_!!%', Database::prefix('a%_!'));
    }

    public function testOnlyPlainHostsGetIntoLinks(): void
    {
        foreach (['a.example', '10.0.0.1:80', '[::1]:8080'] as $host) {
            self::assertSame("http://$host", (new Origin(null))->of($host));
        }
        foreach (['', 'a/b', 'a b', '[x]:1', 'a:0', 'a:65536', '"', '[]'] as $host) {
            self::assertSame('http://localhost', (new Origin(null))->of($host));
        }
        self::assertSame('https://olio.example', (new Origin('https://olio.example'))->of('a'));
    }
}
