//! The home page and the pages of a tag.

use loadstone_web::html::{Html, html};

use super::event_list::{Pages, items, pager};
use crate::model::{EventItem, Listing};

/// What the home page was asked for, checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter<'a> {
    /// From 1.
    pub page: u32,
    /// Newest first, instead of the nearest.
    pub by_created: bool,
    /// Zip code, or empty.
    pub zip: &'a str,
    /// ISO day, or empty.
    pub day: &'a str,
}

/// Heading and filter form.
pub(crate) fn filter(page: &mut Html, filter: &Filter<'_>) {
    let heading = match (filter.day.is_empty(), filter.by_created) {
        (false, _) => "Events on one day",
        (true, true) => "Upcoming events, newest first",
        (true, false) => "Upcoming events",
    };
    html!(
        page,
        "<h1>",
        heading,
        "</h1>\n<form class=\"panel filter\" action=\"/\" method=\"get\">\n<div class=\"fields\">\n"
    );
    html!(page, "<div class=\"field\"><label for=\"by-zip\">Zip code</label>");
    html!(page, "<input id=\"by-zip\" name=\"zip\" maxlength=\"12\" value=\"", filter.zip, "\"></div>\n");
    html!(page, "<div class=\"field\"><label for=\"by-day\">Day</label>");
    html!(page, "<input id=\"by-day\" name=\"day\" type=\"date\" value=\"", filter.day, "\"></div>\n");
    html!(
        page,
        "<div class=\"field\"><label for=\"by-order\">Order by</label><select id=\"by-order\" name=\"order\">"
    );
    for (value, label, chosen) in
        [("date", "event date", !filter.by_created), ("created", "created date", filter.by_created)]
    {
        html!(page, "<option value=\"", value, "\"");
        if chosen {
            html!(page, " selected");
        }
        html!(page, ">", label, "</option>");
    }
    html!(page, "</select></div>\n<div><button class=\"plain\">Filter</button></div>\n</div>\n</form>\n");
}

/// The list with its pager.
pub(crate) fn list(page: &mut Html, filter: &Filter<'_>, events: &Listing<EventItem>, owner: Option<i64>) {
    items(page, &events.items, owner);
    let Filter { by_created, zip, day, .. } = *filter;
    pager(page, events, &Pages::Home { by_created, zip, day });
}

/// Events with a tag.
pub(crate) fn tagged(
    page: &mut Html,
    path: &str,
    tag: &str,
    events: &Listing<EventItem>,
    owner: Option<i64>,
) {
    items(page, &events.items, owner);
    pager(page, events, &Pages::Tag { path, tag });
}

/// Heading of the events with a tag.
pub(crate) fn tag_heading(page: &mut Html, tag: &str) {
    html!(page, "<h1>Events tagged “", tag, "”</h1>\n");
}
