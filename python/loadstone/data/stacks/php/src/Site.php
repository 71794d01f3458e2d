<?php

declare(strict_types=1);

namespace Olio;

use Throwable;

/** The application: from a request to its route, and from there to a response. */
final class Site
{
    /** Titles and sentences of error pages. */
    public const ERRORS = [
        400 => ['Bad request', 'The server did not understand this request.'],
        403 => [
            'Not allowed',
            'This is not yours to do, or the form was too old. Go back, reload the page and try again.',
        ],
        404 => ['Not found', 'There is nothing here. It may have been deleted.'],
        405 => ['Method not allowed', 'This address does not do that.'],
        500 => ['Something broke', 'The fault is ours. Please try again.'],
        503 => ['Busy', 'Too many people are writing at once. Please try again.'],
        507 => ['Full', 'There is no room left to keep this. Everything else goes on.'],
    ];

    public readonly Dataset $dataset;
    /** What is read from and written to; while a page comes from the replica, that one. */
    public Database $db;
    public Cache $cache;
    public readonly Origin $origin;
    private readonly ?Replica $replica;

    public function __construct(public readonly Settings $settings)
    {
        $this->dataset = Dataset::kept($settings->state);
        $this->db = new Database($settings->database);
        $this->cache = Cache::of($settings, $this->dataset->secret);
        $this->origin = new Origin($settings->publicUrl);
        $this->replica = Replica::of($settings);
    }

    public function answer(Request $request): Response
    {
        try {
            return $this->route($request);
        } catch (Failure $failure) {
            return $this->failed($request, $failure->status, $failure);
        } catch (DatabaseFailure $failure) {
            $status = $failure->trouble->status();
            if ($status >= 500) {
                error_log($failure->getMessage());
            }
            return $this->failed($request, $status);
        } catch (Throwable $error) {
            error_log((string) $error);
            return $this->failed($request, 500);
        }
    }

    private function route(Request $request): Response
    {
        // Files come first: they make up most requests and need neither parameters nor sessions.
        if (preg_match('~^/(media|static)/|^/favicon\.ico$~D', $request->path)) {
            return (new Action\Files($this))->answer($request);
        }
        $visit = new Visit($request, $this->dataset->secret);
        $visit->notice = Message::tryFrom($request->cookie(Visit::NOTICE));
        $method = $request->meantMethod();
        [$class, $action, $ids, $changes, $knowsViewer] = Router::find($method, $request->path);
        if ($changes && !$visit->hasToken()) {
            throw Failure::forbidden();
        }
        $page = function () use ($visit, $knowsViewer, $class, $action, $ids): Response {
            if ($knowsViewer) {
                $this->findViewer($visit);
            }
            return (new $class($this, $visit))->$action(...$ids);
        };
        $mayChange = $changes || $action === 'logout';
        if ($this->replica === null || (!$mayChange && !$knowsViewer)) {
            return $page();
        }
        if ($mayChange) {
            return $page()->with('Set-Cookie', $this->origin->cookie(Replica::WROTE, '1', Replica::seconds($this->settings)));
        }
        if ($request->cookie(Replica::WROTE) !== '') {
            // What is kept may have been made from a copy that did not have the change.
            $this->cache = $this->cache->atNone();
            return $page();
        }
        return $this->fromReplica($page, $visit) ?? $page();
    }

    /** The page as the replica has it; null when it has none, whose reason the database itself knows better. */
    private function fromReplica(callable $page, Visit $visit): ?Response
    {
        $primary = $this->db;
        $copy = $this->replica->current();
        if ($copy === null) {
            return null;
        }
        try {
            $this->db = $copy;
            return $page();
        } catch (Failure | DatabaseFailure) {
            $this->replica->doubt();
            $visit->viewer = null;
            return null;
        } finally {
            $this->db = $primary;
        }
    }

    /** Finds out who is logged in. A browser that has no session yet is nobody. */
    private function findViewer(Visit $visit): void
    {
        if (!$visit->isFresh) {
            $visit->viewer = (new Data\Sessions($this->db))->viewer($visit->session, time(), $this->dataset->today);
        }
    }

    private function failed(Request $request, int $status, ?Failure $failure = null): Response
    {
        $visit = new Visit($request, $this->dataset->secret);
        if ($status < 500) {
            try {
                $this->findViewer($visit);
            } catch (DatabaseFailure) {
                // The page should greet its viewer, but an error page must not fail in turn.
            }
        }
        $action = new Action\Errors($this, $visit);
        if ($failure?->needsLogin && !$request->wantsFragment()) {
            return $action->login();
        }
        $response = $action->show($status);
        return $failure?->allow ? $response->with('Allow', $failure->allow) : $response;
    }
}
