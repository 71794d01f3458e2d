<?php
/** The newest events as RSS 2.0. $origin, $events */
use Olio\Dates;

use function Olio\e;

echo '<?xml version="1.0" encoding="UTF-8"?>', "\n";
?>
<rss version="2.0">
<channel>
<title>Olio: newest events</title>
<link><?= e($origin) ?>/</link>
<description>The newest events on Olio.</description>
<language>en</language>
<?php foreach ($events as $event): ?>
<item>
<title><?= e($event['title']) ?></title>
<link><?= e($origin) ?>/events/<?= $event['id'] ?></link>
<guid><?= e($origin) ?>/events/<?= $event['id'] ?></guid>
<description><?= Dates::long($event['event_timestamp']) ?>: <?= e($event['summary']) ?></description>
<pubDate><?= Dates::rfc822(Dates::dayOf($event['created_at'])) ?></pubDate>
</item>
<?php endforeach ?>
</channel>
</rss>
