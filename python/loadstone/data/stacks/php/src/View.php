<?php

declare(strict_types=1);

namespace Olio;

/** Plain PHP templates. `$this` is the view in all of them, for what every page knows. */
final class View
{
    public function __construct(
        public readonly ?array $viewer,
        /** Token of the forms. */
        public readonly string $token,
        public readonly int $today,
    ) {
    }

    /** A template with its variables, as text. It ends with a newline, and so do the lines that name it. */
    public function part(string $template, array $variables = []): string
    {
        extract($variables);
        ob_start();
        require __DIR__ . "/../templates/$template.php";
        return ob_get_clean();
    }

    /** Whether this is the viewer's id. */
    public function isViewer(int $id): bool
    {
        return $this->viewer !== null && $this->viewer['id'] === $id;
    }

    /** The hidden field that proves that a form came from a page of this site. */
    public function tokenField(): string
    {
        return '<input type="hidden" name="authenticity_token" value="' . $this->token . "\">\n";
    }

    /** The hidden field that stands for a method that HTML forms do not have. */
    public function methodField(string $method): string
    {
        return '<input type="hidden" name="_method" value="' . $method . "\">\n";
    }

    /** Sizes of tags in percent, 100 to 250, larger the more events carry them. */
    public static function sizes(array $tags): array
    {
        $counts = array_map('intval', array_column($tags, 'refcount'));
        $least = $counts ? min($counts) : 0;
        $span = $counts ? max($counts) - $least : 0;
        $size = fn (int $count): int => $span === 0 ? 100 : 100 + intdiv(150 * ($count - $least) + $span - 1, $span);
        return array_map($size, $counts);
    }
}
