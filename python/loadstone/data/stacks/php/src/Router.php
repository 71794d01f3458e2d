<?php

declare(strict_types=1);

namespace Olio;

/** Which request means what. */
final class Router
{
    /** Path => method => class and method that answer. `#` stands for an id. */
    private const ROUTES = [
        '/' => ['GET' => [Action\Home::class, 'home']],
        '/geocoder/geocode' => ['GET' => [Action\Home::class, 'geocode']],
        '/events' => ['POST' => [Action\Events::class, 'create']],
        '/events/tag_search' => ['GET' => [Action\Home::class, 'tagged']],
        '/events/tagged' => ['GET' => [Action\Home::class, 'tagged']],
        '/events/new' => ['GET' => [Action\Events::class, 'new']],
        '/events/rss' => ['GET' => [Action\Home::class, 'feed']],
        '/events/update_calendar' => ['GET' => [Action\Home::class, 'calendar']],
        '/events/#' => [
            'GET' => [Action\Events::class, 'show'],
            'PUT' => [Action\Events::class, 'update'],
            'DELETE' => [Action\Events::class, 'delete'],
        ],
        '/events/#/edit' => ['GET' => [Action\Events::class, 'edit']],
        '/events/#/attend' => ['POST' => [Action\Events::class, 'attend']],
        '/events/#/unattend' => ['POST' => [Action\Events::class, 'unattend']],
        '/events/#/tag' => ['PUT' => [Action\Events::class, 'addTags'], 'POST' => [Action\Events::class, 'addTags']],
        '/events/#/comments' => ['POST' => [Action\Comments::class, 'create']],
        '/events/#/comments/#' => [
            'PUT' => [Action\Comments::class, 'update'],
            'DELETE' => [Action\Comments::class, 'delete'],
        ],
        '/events/#/comments/#/edit' => ['GET' => [Action\Comments::class, 'edit']],
        '/users' => ['GET' => [Action\People::class, 'search'], 'POST' => [Action\People::class, 'create']],
        '/users/login' => ['GET' => [Action\Session::class, 'form'], 'POST' => [Action\Session::class, 'login']],
        '/users/logout' => ['GET' => [Action\Session::class, 'logout']],
        '/users/search' => ['GET' => [Action\People::class, 'search']],
        '/users/new' => ['GET' => [Action\People::class, 'new']],
        '/users/check_name' => ['POST' => [Action\People::class, 'checkName']],
        '/users/#' => [
            'GET' => [Action\People::class, 'show'],
            'PUT' => [Action\People::class, 'update'],
            'DELETE' => [Action\People::class, 'delete'],
        ],
        '/users/#/edit' => ['GET' => [Action\People::class, 'edit']],
        '/users/#/posted_events' => ['GET' => [Action\People::class, 'posted']],
        '/users/#/upcoming_events' => ['GET' => [Action\People::class, 'upcoming']],
        '/users/#/requests' => ['GET' => [Action\Friends::class, 'requests']],
        '/users/#/friends' => ['GET' => [Action\Friends::class, 'list'], 'POST' => [Action\Friends::class, 'request']],
        '/users/#/friends/#' => [
            'PUT' => [Action\Friends::class, 'approve'],
            'DELETE' => [Action\Friends::class, 'end'],
        ],
    ];

    /** Routes that are the same for everybody: nobody needs to know who asks. */
    private const ANONYMOUS = ['/events/rss', '/geocoder/geocode', '/users/check_name'];

    /**
     * @return array{class-string, string, list<int>, bool, bool} class, method, ids from the path, whether it
     *     changes something and so needs a form's token, whether it depends on who is logged in
     * @throws Failure when there is no such path, or not with this method
     */
    public static function find(string $method, string $path): array
    {
        // An id has one spelling: `007` and `+7` would be second names for the same page.
        $pattern = preg_replace('~(?<=/)[1-9]\d*(?=/|$)~D', '#', $path);
        $methods = self::ROUTES[$pattern] ?? throw Failure::notFound();
        preg_match_all('~(?<=/)[1-9]\d*(?=/|$)~D', $path, $found);
        foreach ($found[0] as $id) {
            if ((string) (int) $id !== $id) {
                throw Failure::notFound();
            }
        }
        if (str_contains($path, '#')) {
            throw Failure::notFound();
        }
        if (!isset($methods[$method])) {
            throw Failure::methodNotAllowed(str_replace('GET', 'GET, HEAD', implode(', ', array_keys($methods))));
        }
        $knowsViewer = !in_array($pattern, self::ANONYMOUS, true);
        return [...$methods[$method], array_map('intval', $found[0]), $method !== 'GET' && $knowsViewer, $knowsViewer];
    }
}
