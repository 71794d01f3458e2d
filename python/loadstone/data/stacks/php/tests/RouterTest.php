<?php

declare(strict_types=1);

use Olio\Action\Comments;
use Olio\Action\Events;
use Olio\Failure;
use Olio\Router;
use PHPUnit\Framework\TestCase;

final class RouterTest extends TestCase
{
    public function testPathsAndMethodsFindTheirAction(): void
    {
        self::assertSame([Events::class, 'show', [12], false, true], Router::find('GET', '/events/12'));
        self::assertSame([Comments::class, 'delete', [1, 2], true, true], Router::find('DELETE', '/events/1/comments/2'));
        self::assertFalse(Router::find('POST', '/users/check_name')[3]);
    }

    /** @dataProvider nowhere */
    public function testWhatIsNotThereIsNotFound(string $path): void
    {
        $this->expectExceptionMessage('404');
        Router::find('GET', $path);
    }

    public static function nowhere(): array
    {
        $paths = ['//', '/events/', '/events/0', '/events/007', '/events/+7', '/events/#', '/events/1x',
            '/events/99999999999999999999', '/events/1/comments/1/edit/2', '/Events/1', "/events/1\n"];
        return array_map(fn (string $path): array => [$path], $paths);
    }

    public function testAnotherMethodIsNamed(): void
    {
        try {
            Router::find('POST', '/events/1');
            self::fail('a route was found');
        } catch (Failure $failure) {
            self::assertSame([405, 'GET, HEAD, PUT, DELETE'], [$failure->status, $failure->allow]);
        }
    }
}
