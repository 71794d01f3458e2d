//! References to the static files: every page names all 19 of them, three icons twice or more, 22 in all.

use loadstone_web::html::{Html, html};

use crate::statics::{MANIFEST, PREFIX};

/// Style sheets and scripts, for the head.
pub(crate) fn links(page: &mut Html) {
    for (name, _) in MANIFEST {
        if name.ends_with(".css") {
            html!(page, "<link rel=\"stylesheet\" href=\"", PREFIX, name, "\">\n");
        } else if name.ends_with(".js") {
            html!(page, "<script src=\"", PREFIX, name, "\" defer></script>\n");
        }
    }
}

/// A decorative icon; words always stand beside it.
pub(crate) fn icon(page: &mut Html, name: &str, size: u32) {
    html!(page, "<img src=\"", PREFIX, name, "\" width=\"", size, "\" height=\"", size, "\" alt=\"\">");
}

/// The icons of the footer: ten of the page's 22 references are icons, nine of them here.
pub(crate) fn footer(page: &mut Html) {
    html!(page, "<p>");
    icon(page, "footer.png", 16);
    html!(page, " Olio: what is on, and who is going.</p>\n<p>");
    icon(page, "calendar.png", 16);
    html!(page, " <a href=\"/\">Upcoming events</a></p>\n<p>");
    icon(page, "rss.png", 16);
    html!(page, " <a href=\"/events/rss\">Newest events as RSS</a></p>\n<p class=\"badges\">");
    for star in ["star.png", "star.png", "star.png", "star-empty.png", "star-empty.png"] {
        icon(page, star, 16);
    }
    html!(page, "</p>\n");
}
