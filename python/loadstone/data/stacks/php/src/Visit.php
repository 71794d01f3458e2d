<?php

declare(strict_types=1);

namespace Olio;

/** A request with what is known about its sender. */
final class Visit
{
    public const SESSION = 'ls';
    public const NOTICE = 'notice';

    /** The session id: the cookie's, or a fresh one. */
    public readonly string $session;
    /** Whether the browser does not know the session id yet. */
    public readonly bool $isFresh;
    /** Token of this session's forms. */
    public readonly string $token;
    /** The message that the last action left for this page. */
    public ?Message $notice = null;
    /** Who is logged in: id, username, upcoming, requests. */
    public ?array $viewer = null;

    public function __construct(public readonly Request $request, string $secret)
    {
        $known = $request->cookie(self::SESSION);
        $this->isFresh = !preg_match('/^[0-9a-f]{32}$/D', $known);
        $this->session = $this->isFresh ? self::freshSession() : $known;
        $this->token = hash_hmac('sha256', $this->session, $secret);
    }

    public static function freshSession(): string
    {
        return bin2hex(random_bytes(16));
    }

    /** Whether the form carries this session's token, as a field or (scripts) as a header field. */
    public function hasToken(): bool
    {
        $field = $this->request->params()->get('authenticity_token');
        $sent = $field !== '' ? $field : $this->request->header('X-CSRF-Token');
        return !$this->isFresh && hash_equals($this->token, $sent);
    }

    /** @throws Failure when nobody is logged in */
    public function needsViewer(): array
    {
        return $this->viewer ?? throw Failure::loginNeeded();
    }

    public function viewerId(): ?int
    {
        return $this->viewer['id'] ?? null;
    }
}
