//! Categories, regions and what is found in them.

use loadstone_web::dates::Moment;
use loadstone_web::html::{Html, html};

use super::list;
use crate::model::{Listing, Place};

/// Links to `PREFIX/ID` for each place.
pub(crate) fn places(page: &mut Html, title: &str, prefix: &str, places: &[Place]) {
    html!(page, "<h1>", title, "</h1>\n<ul class=\"places\">\n");
    for place in places {
        html!(page, "<li><a href=\"", prefix, "/", place.id, "\">", place.name, "</a></li>\n");
    }
    html!(page, "</ul>\n");
}

/// A page of auctions found under `path`.
pub(crate) fn found(page: &mut Html, title: &str, at: u32, found: &[Listing], now: Moment) {
    let (shown, more) = list::split(found);
    html!(page, "<h1>", title, "</h1>\n");
    if shown.is_empty() {
        html!(page, "<p class=\"bad\">Sorry, there are no auctions here at the moment.</p>\n");
    } else {
        list::auctions(page, shown, now);
    }
    list::pager(page, at, more);
}
