<?php

declare(strict_types=1);

namespace Olio;

/** A request, as PHP and its server hand it over. */
final class Request
{
    /** As sent; HEAD counts as GET. */
    public readonly string $method;
    /** Still percent-encoded. */
    public readonly string $path;
    private readonly string $query;
    private ?Params $params = null;

    public function __construct()
    {
        $method = $_SERVER['REQUEST_METHOD'];
        $this->method = $method === 'HEAD' ? 'GET' : $method;
        $target = preg_replace('~^https?://[^/?]*~i', '', $_SERVER['REQUEST_URI']);
        [$path, $query] = explode('?', $target, 2) + [1 => ''];
        $this->path = $path === '' ? '/' : $path;
        $this->query = $query;
    }

    /** @throws Failure when they cannot be read */
    public function params(): Params
    {
        return $this->params ??= Params::read($this->query);
    }

    /** The method that is meant: forms say PUT and DELETE by POST and a field `_method`. */
    public function meantMethod(): string
    {
        $meant = strtoupper($this->params()->get('_method'));
        return $this->method === 'POST' && in_array($meant, ['PUT', 'DELETE'], true) ? $meant : $this->method;
    }

    /** A header field; empty when there is none. */
    public function header(string $name): string
    {
        return $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] ?? '';
    }

    /** A cookie; empty when there is none. */
    public function cookie(string $name): string
    {
        $value = $_COOKIE[$name] ?? '';
        return is_string($value) ? preg_replace('/^"(.*)"$/Ds', '$1', $value) : '';
    }

    /** Whether a script asks, which wants the changed part of the page only. */
    public function wantsFragment(): bool
    {
        $accepted = array_map(trim(...), explode(',', strtolower($this->header('Accept'))));
        return in_array('text/javascript', $accepted, true);
    }
}
