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
        // Pictures can be replaced at any time: kept, but asked for. They come from people: should one be opened
        // as a page, it may do nothing.
        $response = (new Response())->with('Cache-Control', 'public, no-cache')->safe()
            ->with('Content-Security-Policy', "default-src 'none'; sandbox");
        [$type, $tag, $modified] = isset($found['file']) ? $this->master($found['file']) : $this->upload($found);
        $response->with('ETag', $tag);
        if ($modified !== null) {
            $response->with('Last-Modified', gmdate('D, d M Y H:i:s', $modified) . ' GMT');
        }
        if ($type === 'application/pdf') {
            // Saved: viewers inside browsers do not work under that rule.
            $response->with('Content-Disposition', "attachment; filename=\"$name\"");
        }
        if ($this->isUnchanged($request, $tag, $modified)) {
            return $response->withStatus(304);
        }
        $response->with('Content-Type', $type);
        return isset($found['file']) ? $response->withFile($found['file']) : $response->withBody($found['bytes']);
    }

    private function master(string $file): array
    {
        $type = str_ends_with($file, '.pdf') ? 'application/pdf' : 'image/jpeg';
        $modified = filemtime($file);
        return [$type, sprintf('"%x-%x"', filesize($file), $modified), $modified];
    }

    private function upload(array $found): array
    {
        return [Media::type($found['bytes']) ?? 'application/octet-stream', sprintf('"u%x"', $found['stamp']), null];
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
