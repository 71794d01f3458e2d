//! The newest events as RSS 2.0.

use loadstone_web::html::{Html, html};

use crate::model::EventItem;

/// The feed. `origin` is the scheme and host that the links start with; RSS wants whole addresses.
pub(crate) fn feed(page: &mut Html, origin: &str, events: &[EventItem]) {
    html!(page, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\">\n<channel>\n");
    html!(page, "<title>Olio: newest events</title>\n<link>", origin, "/</link>\n");
    html!(page, "<description>The newest events on Olio.</description>\n<language>en</language>\n");
    for event in events {
        html!(
            page,
            "<item>\n<title>",
            event.title,
            "</title>\n<link>",
            origin,
            "/events/",
            event.id,
            "</link>\n"
        );
        html!(
            page,
            "<guid>",
            origin,
            "/events/",
            event.id,
            "</guid>\n<description>",
            event.when,
            ": ",
            event.summary
        );
        html!(page, "</description>\n<pubDate>");
        event.created.show_rfc822(0, 0, page);
        html!(page, "</pubDate>\n</item>\n");
    }
    html!(page, "</channel>\n</rss>\n");
}
