//! Lists of events, their pager, and the tag cloud.

use loadstone_web::html::{Html, InUrl, Markup, html};

use crate::model::{EventItem, Listing, TagCount};

/// Which list a pager turns.
pub(crate) enum Pages<'a> {
    /// The home page with its filters.
    Home {
        /// Whether the newest come first.
        by_created: bool,
        /// Zip code, or empty.
        zip: &'a str,
        /// Day as in links, or empty.
        day: &'a str,
    },
    /// Events with a tag, at one of the two paths.
    Tag {
        /// Path of the list.
        path: &'a str,
        /// The tag.
        tag: &'a str,
    },
    /// A list at a path without parameters.
    Plain(&'a str),
    /// A search.
    Search {
        /// Path of the list.
        path: &'a str,
        /// What was looked for.
        query: &'a str,
    },
}

/// The items; `owner` is the viewer when some of them may be theirs to edit.
pub(crate) fn items(page: &mut Html, items: &[EventItem], owner: Option<i64>) {
    if items.is_empty() {
        html!(page, "<p class=\"empty\">No events here.</p>\n");
        return;
    }
    html!(page, "<ul class=\"events\">\n");
    for item in items {
        html!(
            page,
            "<li>\n<a class=\"thumb\" href=\"/events/",
            item.id,
            "\" tabindex=\"-1\" aria-hidden=\"true\">"
        );
        thumbnail(page, item.id);
        html!(page, "</a>\n<div>\n<h2><a href=\"/events/", item.id, "\">", item.title, "</a></h2>\n");
        html!(page, "<p class=\"when\">", item.when, " · ", item.city, "</p>\n");
        html!(page, "<details>\n<summary>More</summary>\n<p>", item.summary, "</p>\n");
        html!(
            page,
            "<p class=\"quiet\">Added ",
            item.created,
            " by <a href=\"/users/",
            item.creator_id,
            "\">"
        );
        html!(page, item.creator, "</a></p>\n");
        if owner == Some(item.creator_id) {
            html!(page, "<p><a href=\"/events/", item.id, "/edit\">Edit</a> · ");
            html!(page, "<a href=\"/events/", item.id, "/edit#delete\">Delete</a></p>\n");
        }
        html!(page, "</details>\n</div>\n</li>\n");
    }
    html!(page, "</ul>\n");
}

/// The 90 pixel picture of an event, empty alt text: the title always stands beside it.
pub(crate) fn thumbnail(page: &mut Html, id: i64) {
    html!(page, "<img src=\"/media/e", id, "t.jpg\" width=\"90\" height=\"68\" alt=\"\">");
}

/// Links to the page before and after, when there are any.
pub(crate) fn pager<T>(page: &mut Html, list: &Listing<T>, pages: &Pages<'_>) {
    if list.page == 1 && !list.more {
        return;
    }
    html!(page, "<nav class=\"pager\" aria-label=\"Pages\">\n<span>");
    if list.page > 1 {
        html!(page, "<a rel=\"prev\" href=\"");
        link(page, pages, list.page - 1);
        html!(page, "\">‹ Previous</a>");
    }
    html!(page, "</span>\n<span class=\"quiet\">Page ", list.page, "</span>\n<span>");
    if list.more {
        html!(page, "<a rel=\"next\" href=\"");
        link(page, pages, list.page + 1);
        html!(page, "\">Next ›</a>");
    }
    html!(page, "</span>\n</nav>\n");
}

fn link(page: &mut Html, pages: &Pages<'_>, number: u32) {
    match pages {
        Pages::Home { by_created, zip, day } => {
            html!(page, "/?page=", number);
            if *by_created {
                html!(page, "&amp;order=created");
            }
            if !zip.is_empty() {
                html!(page, "&amp;zip=", InUrl(zip));
            }
            if !day.is_empty() {
                html!(page, "&amp;day=", InUrl(day));
            }
        }
        Pages::Tag { path, tag } => html!(page, path, "?tag=", InUrl(tag), "&amp;page=", number),
        Pages::Plain(path) => html!(page, path, "?page=", number),
        Pages::Search { path, query } => html!(page, path, "?query=", InUrl(query), "&amp;page=", number),
    }
}

/// The most used tags, larger the more events carry them: 100 to 250 %.
pub(crate) fn cloud(page: &mut Html, tags: &[TagCount]) {
    html!(page, "<section class=\"panel\" id=\"cloud\">\n<h2>Tags</h2>\n<ul class=\"cloud\">\n");
    let least = tags.iter().map(|tag| tag.count).min().unwrap_or(0);
    let most = tags.iter().map(|tag| tag.count).max().unwrap_or(0);
    for TagCount { name, count } in tags {
        html!(
            page,
            "<li style=\"font-size:",
            size_percent(*count, least, most),
            "%\"><a href=\"/events/tagged?tag="
        );
        html!(page, InUrl(name), "\" title=\"", *count, if *count == 1 { " event" } else { " events" });
        html!(page, Markup("\">"), name, "</a></li>\n");
    }
    html!(page, "</ul>\n</section>\n");
}

/// ceil(100 + 150 (count - least) / (most - least)); 100 when all are equal.
pub(crate) fn size_percent(count: i64, least: i64, most: i64) -> i64 {
    let span = most - least;
    if span <= 0 { 100 } else { 100 + (150 * (count - least) + span - 1) / span }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tag_sizes_run_from_100_to_250_rounded_up() {
        assert_eq!(size_percent(5, 5, 5), 100);
        assert_eq!((size_percent(97, 97, 120), size_percent(120, 97, 120)), (100, 250));
        assert_eq!(size_percent(98, 97, 120), 107);
    }
}
