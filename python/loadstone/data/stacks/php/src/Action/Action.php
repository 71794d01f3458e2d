<?php

declare(strict_types=1);

namespace Olio\Action;

use Olio\Cache;
use Olio\Database;
use Olio\Dates;
use Olio\Message;
use Olio\Params;
use Olio\Response;
use Olio\Site;
use Olio\View;
use Olio\Visit;

/** What the actions of all pages share: they read, change, and choose the answer. */
abstract class Action
{
    /** Only what this site serves itself, no scripts in the markup; style attributes carry the tags' sizes. */
    private const POLICY = "default-src 'none'; style-src 'self'; style-src-attr 'unsafe-inline'; script-src 'self'; "
        . "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

    protected readonly Database $db;
    protected readonly Cache $cache;
    protected readonly int $today;
    protected readonly View $view;

    public function __construct(protected readonly Site $site, protected readonly Visit $visit)
    {
        $this->db = $site->db;
        $this->cache = $site->cache;
        $this->today = $site->dataset->today;
        $this->view = new View($visit->viewer, $visit->token, $this->today);
    }

    protected function params(): Params
    {
        return $this->visit->request->params();
    }

    /**
     * A page.
     *
     * @param string $kind stands in `data-page`
     * @param string $key names exactly what the page shows; stands in `data-key`
     * @param ?array $month year and month of the calendar; null: today's
     */
    protected function page(string $title, string $kind, string $key, string $content, ?array $month = null, ?Message $message = null): Response
    {
        return $this->whole($this->layout($this->view, $title, $kind, $key, $content, $month, $message));
    }

    /** A page as text, as a view sees it. */
    protected function layout(View $view, string $title, string $kind, string $key, string $content, ?array $month = null, ?Message $message = null): string
    {
        [$year, $ofYear] = $month ?? Dates::civil($this->today);
        return $view->part('layout', [
            'title' => $title, 'kind' => $kind, 'key' => $key, 'content' => $content,
            'message' => $message ?? $this->visit->notice, 'year' => $year, 'month' => $ofYear,
        ]);
    }

    /** A whole page as an answer: nobody keeps it, it shows nothing foreign, and its message is spent. */
    protected function whole(string $page): Response
    {
        $response = Response::content('text/html; charset=utf-8', $page)->safe()
            ->with('Cache-Control', 'no-store')->with('Content-Security-Policy', self::POLICY);
        if ($this->visit->isFresh) {
            $this->cookie($response, Visit::SESSION, $this->visit->session);
        }
        if ($this->visit->request->cookie(Visit::NOTICE) !== '') {
            $this->cookie($response, Visit::NOTICE, '', 0);
        }
        return $response;
    }

    /** A form that comes back with what was entered and what is wrong with it. */
    protected function again(string $title, string $kind, string $content, Message $message = Message::FormWrong): Response
    {
        return $this->page($title, $kind, $kind, $content, message: $message)->withStatus(422);
    }

    /** A part of a page, for a script. */
    protected function fragment(string $part): Response
    {
        return Response::content('text/html; charset=utf-8', $part)->with('Cache-Control', 'no-store')->safe();
    }

    /** Sends the browser on, with a message for the page that it comes to. */
    protected function redirect(string $location, Message $message, int $status = 303): Response
    {
        $response = (new Response($status))->with('Location', $location)->with('Cache-Control', 'no-store');
        $this->cookie($response, Visit::NOTICE, $message->value, 60);
        return $response;
    }

    /** A cookie of the whole site that scripts do not see. */
    protected function cookie(Response $response, string $name, string $value, ?int $seconds = null): void
    {
        $response->with('Set-Cookie', $this->site->origin->cookie($name, $value, $seconds));
    }

    protected function wantsFragment(): bool
    {
        return $this->visit->request->wantsFragment();
    }
}
