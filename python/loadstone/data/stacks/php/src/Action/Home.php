<?php

declare(strict_types=1);

namespace Olio\Action;

use Olio\Cache;
use Olio\Data\Addresses;
use Olio\Data\Lists;
use Olio\Data\Tags;
use Olio\Dates;
use Olio\Response;
use Olio\View;

/** The home page, events of a tag, the calendar, the feed, and the geocoder. */
final class Home extends Action
{
    private const TAGS_IN_CLOUD = 50;
    private const EVENTS_IN_FEED = 15;
    private const LONGEST_ZIP = 12;
    private const LONGEST_TAG = 30;

    public function home(): Response
    {
        $day = Dates::parse($this->params()->get('day'));
        return $this->homeOf($day, null);
    }

    /** Another month of the calendar; for a browser without scripts the home page with that month. */
    public function calendar(): Response
    {
        [$year, $month] = [$this->params()->whole('year') ?? 0, $this->params()->whole('month') ?? 0];
        $shown = Dates::day(min($year, 10_000), min($month, 13), 1) === null
            ? array_slice(Dates::civil($this->today), 0, 2)
            : [$year, $month];
        if ($this->wantsFragment()) {
            return $this->fragment($this->view->part('calendar', ['year' => $shown[0], 'month' => $shown[1]]));
        }
        return $this->homeOf(null, $shown);
    }

    /** Events with a tag. */
    public function tagged(): Response
    {
        [$tag, $page] = [$this->params()->get('tag'), $this->params()->page()];
        // What is longer has no events and need not be asked for.
        $tag = mb_strlen($tag) > self::LONGEST_TAG ? '' : $tag;
        $path = $this->visit->request->path;
        $key = "tag:$tag;page=$page";
        $link = fn (int $number): string => "$path?tag=" . rawurlencode($tag) . "&amp;page=$number";
        $content = $this->cache->content("$path:$key", $this->visit->viewerId(), function () use ($key, $tag, $page, $path, $link): array {
            $events = $this->cache->rows($key, fn () => (new Lists($this->db))->tagged($tag, $page));
            $content = $this->view->part('tagged', ['tag' => $tag])
                . $this->listPart("$path:$key", $events, $link);
            return [$content, array_column($events['items'], 'user_id')];
        });
        return $this->page('Tagged events', 'tag', $key, $content);
    }

    /** The newest events as RSS, whose links are whole addresses. */
    public function feed(): Response
    {
        $origin = $this->site->origin->of($this->visit->request->header('Host'));
        $feed = $this->cache->page(self::feedKey($origin), '', Cache::FEED_SECONDS, function () use ($origin): string {
            $events = $this->cache->rows('rss', fn () => (new Lists($this->db))->newest(self::EVENTS_IN_FEED));
            return $this->view->part('feed', ['origin' => $origin, 'events' => $events]);
        });
        return Response::content('application/rss+xml; charset=utf-8', $feed)
            ->with('Cache-Control', 'public, max-age=30')->safe();
    }

    public function geocode(): Response
    {
        $answer = $this->view->part('geocode', [
            'latitude' => Addresses::LATITUDE, 'longitude' => Addresses::LONGITUDE, 'params' => $this->params(),
        ]);
        return Response::content('application/xml; charset=utf-8', $answer)->with('Cache-Control', 'no-store')->safe();
    }

    /** What a change of events, on these days and of these zip codes and tags, makes wrong in the cache. */
    public static function changedKeys(int $today, string $origin, array $days = [], array $zips = [], array $tags = []): array
    {
        $keys = ['cloud', 'rss', self::feedKey($origin)];
        foreach ([false, true] as $byCreated) {
            $keys[] = self::homeKey($today, 1, $byCreated, '', '');
            foreach ($days as $day) {
                $keys[] = self::homeKey($today, 1, $byCreated, '', Dates::iso($day));
            }
            foreach ($zips as $zip) {
                $keys[] = self::homeKey($today, 1, $byCreated, $zip, '');
            }
        }
        foreach ($tags as $tag) {
            $key = "tag:$tag;page=1";
            array_push($keys, $key, "/events/tagged:$key", "/events/tag_search:$key");
        }
        return $keys;
    }

    /** @param ?array $month of the calendar, where it is not that of the day */
    private function homeOf(?int $day, ?array $month): Response
    {
        $zip = $this->params()->get('zip');
        $filter = [
            'page' => $this->params()->page(),
            'byCreated' => $this->params()->get('order') === 'created',
            'zip' => mb_strlen($zip) > self::LONGEST_ZIP ? '' : $zip,
            'day' => $day === null ? '' : Dates::iso($day),
        ];
        $kept = self::homeKey($this->today, ...$filter);
        $key = substr($kept, strpos($kept, 'home:'));
        $make = function (string $token) use ($filter, $day, $month, $kept, $key): string {
            $view = new View($this->visit->viewer, $token, $this->today);
            $shown = $month ?? ($day === null ? null : Dates::civil($day));
            return $this->layout($view, 'Events', 'home', $key, $this->homeContent($kept, $filter, $day), $shown);
        };
        // Kept pages show the month of their day and no message, to nobody in particular.
        $isForAnyone = $this->visit->viewer === null && $this->visit->notice === null && $month === null;
        return $this->whole($isForAnyone
            ? $this->cache->page($kept, $this->visit->token, Cache::HOME_SECONDS, $make)
            : $make($this->visit->token));
    }

    private function homeContent(string $key, array $filter, ?int $day): string
    {
        return $this->cache->content($key, $this->visit->viewerId(), function () use ($key, $filter, $day): array {
            ['page' => $page, 'byCreated' => $byCreated, 'zip' => $zip] = $filter;
            [$from, $to] = [$day ?? $this->today, $day ?? Dates::LAST_DAY];
            $events = $this->cache->rows($key, fn () => (new Lists($this->db))->home($from, $to, $byCreated, $zip, $page));
            $link = fn (int $number): string => "/?page=$number" . ($byCreated ? '&amp;order=created' : '')
                . ($zip === '' ? '' : '&amp;zip=' . rawurlencode($zip)) . ($day === null ? '' : "&amp;day=$filter[day]");
            $cloud = fn (): array => $this->cache->rows('cloud', fn () => (new Tags($this->db))->cloud(self::TAGS_IN_CLOUD));
            $content = $this->view->part('home', $filter) . $this->listPart($key, $events, $link)
                . $this->cache->fragment('cloud', fn () => $this->view->part('cloud', ['tags' => $cloud()]));
            return [$content, array_column($events['items'], 'user_id')];
        });
    }

    /** A list with its pager. It looks the same to everybody but those whose events it shows. */
    private function listPart(string $key, array $events, callable $link): string
    {
        $render = fn (): string => $this->view->part('events', $events + ['link' => $link]);
        $isOwn = in_array($this->visit->viewerId(), array_column($events['items'], 'user_id'), true);
        return $isOwn ? $render() : $this->cache->fragment($key, $render);
    }

    private static function homeKey(int $today, int $page, bool $byCreated, string $zip, string $day): string
    {
        return "$today:home:page=$page;order=" . ($byCreated ? 'created' : 'date') . ";zip=$zip;day=$day";
    }

    private static function feedKey(string $origin): string
    {
        return "rss:$origin";
    }
}
