<?php
// `php data.php` installs the site with its users, posts and comments, or brings them back to that state.
const USERS = 50;
const POSTS = 300;
const COMMENTS = 3;
const WORDS = ['apple', 'bread', 'cloud', 'dance', 'eagle', 'flame', 'grape', 'honey', 'island', 'jungle',
               'kettle', 'lemon', 'market', 'night', 'ocean', 'paper'];

$config = __DIR__ . '/wordpress/wp-config.php';
define('WP_INSTALLING', true);
require $config;
require ABSPATH . 'wp-admin/includes/upgrade.php';

/** Words drawn by the seeded generator. */
function text(int $count): string {
    return implode(' ', array_map(fn () => WORDS[mt_rand(0, count(WORDS) - 1)], range(1, $count)));
}

/** Tables, settings, users, posts and comments: the same on every host and day. */
function install(): void {
    global $wpdb;
    mt_srand(1);
    wp_install('Loadstone reads', 'admin', 'admin@example.com', true, '', getenv('DATABASE_PASSWORD'));
    update_option('permalink_structure', '');
    update_option('show_avatars', 0);  // they come from another host
    $wpdb->query('START TRANSACTION');
    foreach (range(1, USERS) as $number) {
        wp_insert_user(['user_login' => "writer$number", 'user_pass' => "writer$number", 'role' => 'author',
                        'user_email' => "writer$number@example.com"]);
    }
    foreach (range(1, POSTS) as $number) {
        $post = wp_insert_post(['post_title' => ucfirst(text(4)), 'post_content' => '<p>' . text(200) . '</p>',
                                'post_status' => 'publish', 'post_author' => 2 + $number % USERS,
                                'post_date' => gmdate('Y-m-d H:i:s', 1600000000 + 3600 * $number)]);
        foreach (range(1, COMMENTS) as $_) {
            wp_insert_comment(['comment_post_ID' => $post, 'comment_content' => text(20), 'comment_author' => 'A guest',
                               'comment_author_email' => 'guest@example.com', 'comment_approved' => 1]);
        }
    }
    update_option('first_new_post', 1 + (int) $wpdb->get_var("SELECT MAX(ID) FROM $wpdb->posts"));
    update_option('first_new_comment', 1 + (int) $wpdb->get_var("SELECT MAX(comment_ID) FROM $wpdb->comments"));
    $wpdb->query('COMMIT');
}

/** Takes away what users have written since. */
function reset_data(): void {
    global $wpdb;
    $post = (int) get_option('first_new_post');
    $comment = (int) get_option('first_new_comment');
    $wpdb->query("DELETE FROM $wpdb->comments WHERE comment_ID >= $comment");
    $wpdb->query("DELETE FROM $wpdb->posts WHERE ID >= $post");
    $wpdb->query("DELETE FROM $wpdb->postmeta WHERE post_id >= $post");
    $wpdb->query("DELETE FROM $wpdb->usermeta WHERE meta_key = 'session_tokens'");
    $wpdb->query("UPDATE $wpdb->posts SET comment_count = (SELECT COUNT(*) FROM $wpdb->comments "
        . "WHERE comment_post_ID = ID AND comment_approved = '1')");
}

is_blog_installed() && get_option('first_new_post') ? reset_data() : install();
echo wp_count_posts()->publish, " posts\n";
