<?php
/** Links to the page before and after, when there are any. $page, $more, $link(int $page): string */
if ($page === 1 && !$more) {
    return;
}
?>
<nav class="pager" aria-label="Pages">
<span><?php if ($page > 1): ?><a rel="prev" href="<?= $link($page - 1) ?>">‹ Previous</a><?php endif ?></span>
<span class="quiet">Page <?= $page ?></span>
<span><?php if ($more): ?><a rel="next" href="<?= $link($page + 1) ?>">Next ›</a><?php endif ?></span>
</nav>
