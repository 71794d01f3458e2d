<?php

declare(strict_types=1);

namespace Olio\Action;

use Olio\Failure;
use Olio\Media;
use Olio\Request;
use Olio\Response;
use Olio\Site;

/** Pictures and documents. Static files are the web server's; what it does not have comes here. */
final class Files
{
    public function __construct(private readonly Site $site)
    {
    }

    public function answer(Request $request): Response
    {
        if ($request->method !== 'GET') {
            throw Failure::methodNotAllowed('GET, HEAD');
        }
        $name = preg_replace('~^/media/~', '', $request->path, 1, $isMedia);
        $found = $isMedia ? (new Media($this->site))->find($name) : null;
        if ($found === null) {
            throw Failure::notFound();
        }
        foreach ($found['uploads'] as $upload) {
            if ($response = $this->upload($request, $name, $upload)) {
                return $response;
            }
        }
        return $found['master'] === null ? throw Failure::notFound() : $this->master($request, $name, $found['master']);
    }

    /** Null when it was taken away. Most browsers have it already: then its bytes stay where they are. */
    private function upload(Request $request, string $name, array $upload): ?Response
    {
        $tag = sprintf('"u%x"', $upload['stamp']);
        $isUnchanged = $this->isUnchanged($request, $tag, null);
        $bytes = $isUnchanged && $request->header('If-None-Match') !== '*'
            ? ''
            : (new Media($this->site))->content($upload);
        return match (true) {
            $bytes === null => null,
            $isUnchanged => $this->response($name, $tag)->withStatus(304),
            default => $this->response($name, $tag)
                ->with('Content-Type', Media::type($bytes) ?? 'application/octet-stream')->withBody($bytes),
        };
    }

    private function master(Request $request, string $name, string $file): Response
    {
        $modified = filemtime($file);
        $tag = sprintf('"%x-%x"', filesize($file), $modified);
        $response = $this->response($name, $tag)->with('Last-Modified', gmdate('D, d M Y H:i:s', $modified) . ' GMT');
        if ($this->isUnchanged($request, $tag, $modified)) {
            return $response->withStatus(304);
        }
        $type = self::isDocument($name) ? 'application/pdf' : 'image/jpeg';
        return $response->with('Content-Type', $type)->withFile($file);
    }

    /**
     * Pictures can be replaced at any time: kept, but asked for. They come from people: should one be opened as a
     * page, it may do nothing.
     */
    private function response(string $name, string $tag): Response
    {
        $response = (new Response())->with('Cache-Control', 'public, no-cache')->safe()
            ->with('Content-Security-Policy', "default-src 'none'; sandbox")->with('ETag', $tag);
        // Saved: viewers inside browsers do not work under that rule.
        return self::isDocument($name)
            ? $response->with('Content-Disposition', "attachment; filename=\"$name\"")
            : $response;
    }

    /** Forms take nothing else as a document, and no document as a picture. */
    private static function isDocument(string $name): bool
    {
        return str_ends_with($name, '.pdf');
    }

    /** Whether the browser has this state already (RFC 9110 §13.2.2). */
    private function isUnchanged(Request $request, string $tag, ?int $modified): bool
    {
        $known = $request->header('If-None-Match');
        if ($known !== '') {
            $tags = array_map(fn (string $one): string => preg_replace('~^W/~', '', trim($one)), explode(',', $known));
            return $known === '*' || in_array($tag, $tags, true);
        }
        $since = strtotime($request->header('If-Modified-Since'));
        return $modified !== null && $since !== false && $modified <= $since;
    }
}
