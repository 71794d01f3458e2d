<?php
// All users of a load generator come from few addresses and write alike. WordPress takes that for spam: one comment
// in 15 seconds from an address, none twice. These rules are off here, and comments appear at once.
add_action('init', function () {
    remove_action('check_comment_flood', 'check_comment_flood_db', 10);
});
add_filter('pre_comment_approved', fn ($approved) => is_wp_error($approved) ? $approved : 1);
