<?php

declare(strict_types=1);

namespace Olio\Data;

/** Pages of lists. */
final class Listing
{
    /**
     * A page of rows of which one more than `size` was asked for: it tells that another page follows.
     *
     * @return array{items: list<array>, page: int, more: bool}
     */
    public static function of(array $rows, int $page, int $size): array
    {
        return ['items' => array_slice($rows, 0, $size), 'page' => $page, 'more' => count($rows) > $size];
    }

    /** Limit and offset of a page. */
    public static function window(int $page, int $size): array
    {
        return [$size + 1, ($page - 1) * $size];
    }
}
