<?php
/** What stands around every page. $title, $kind, $key, $content, $message, $year, $month */
use function Olio\e;

$navigation = ['home' => ['/', 'Home']] + ($this->viewer === null
    ? ['register' => ['/users/new', 'Register']]
    : [
        'event-new' => ['/events/new', 'Add Event'],
        'people' => ['/users', 'Users'],
        'profile' => ["/users/{$this->viewer['id']}/edit", 'Edit Profile'],
    ]);
?>
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title><?= e($title) ?> · Olio</title>
<link rel="alternate" type="application/rss+xml" title="Newest events" href="/events/rss">
<link rel="stylesheet" href="/static/style.css">
<link rel="stylesheet" href="/static/calendar.css">
<link rel="stylesheet" href="/static/rating.css">
<script src="/static/kit.js" defer></script>
<script src="/static/effects.js" defer></script>
<script src="/static/drag.js" defer></script>
<script src="/static/controls.js" defer></script>
<script src="/static/site.js" defer></script>
<script src="/static/slider.js" defer></script>
<script src="/static/calendar.js" defer></script>
<script src="/static/rating.js" defer></script>
<script src="/static/tags.js" defer></script>
<script src="/static/map.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<div class="bar">
<a class="brand" href="/"><img src="/static/brand.png" width="32" height="32" alt="">Olio</a>
<nav class="nav" aria-label="Main">
<?php foreach ($navigation as $of => [$path, $label]): ?>
<a href="<?= $path ?>"<?= $of === $kind ? ' aria-current="page"' : '' ?>><?= $label ?></a>
<?php endforeach ?>
</nav>
<?php if ($this->viewer === null && $kind !== 'login'): ?>
<form class="login" action="/users/login" method="post">
<p>Login:</p>
<?= $this->tokenField() ?>
<div class="field"><label for="login-name">Username</label><input id="login-name" name="users[username]" maxlength="25" autocomplete="username" required></div>
<div class="field"><label for="login-password">Password</label><input id="login-password" name="users[password]" type="password" maxlength="25" autocomplete="current-password" required></div>
<button name="submit" value="Login">Login</button>
</form>
<?php endif ?>
</div>
</header>
<?php if ($message !== null): ?>
<p class="message<?= $message->isBad() ? ' bad' : '' ?>" id="message" role="status"><?= e($message->text()) ?></p>
<?php endif ?>
<div class="page">
<main id="main" data-page="<?= $kind ?>" data-key="<?= e($key) ?>">
<?= $content ?>
</main>
<?= $this->part('side', ['year' => $year, 'month' => $month]) ?>
</div>
<footer class="foot">
<div class="bar">
<p><img src="/static/footer.png" width="16" height="16" alt=""> Olio: what is on, and who is going.</p>
<p><img src="/static/calendar.png" width="16" height="16" alt=""> <a href="/">Upcoming events</a></p>
<p><img src="/static/rss.png" width="16" height="16" alt=""> <a href="/events/rss">Newest events as RSS</a></p>
<p class="badges"><?php foreach (['star', 'star', 'star', 'star-empty', 'star-empty'] as $star): ?><img src="/static/<?= $star ?>.png" width="16" height="16" alt=""><?php endforeach ?></p>
</div>
</footer>
</body>
</html>
