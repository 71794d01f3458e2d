<?php
// What the topology says comes in the environment: no secret is in a file of the site.
define('DB_NAME', 'loadstone');
define('DB_USER', 'loadstone');
define('DB_PASSWORD', getenv('DATABASE_PASSWORD'));
define('DB_HOST', getenv('DATABASE_HOST') . ':' . getenv('DATABASE_PORT'));
define('DB_CHARSET', 'utf8mb4');
$table_prefix = 'wp_';
foreach (['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY',
          'AUTH_SALT', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT'] as $name) {
    define($name, hash('sha256', $name . getenv('DATABASE_PASSWORD')));
}
// The site has the name by which it was asked: hosts of a lab, a balancer, a real name.
$name = $_SERVER['HTTP_HOST'] ?? 'localhost';
define('WP_HOME', "http://$name");
define('WP_SITEURL', "http://$name");
define('WP_DEFAULT_THEME', 'twentytwentyone');
// Nothing asks the world outside or the site itself while it is measured.
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('ABSPATH', __DIR__ . '/');
require ABSPATH . 'wp-settings.php';
