//! Lists of auctions, and going through their pages.

use loadstone_web::dates::Moment;
use loadstone_web::html::{Html, html};

use crate::data::PAGE;
use crate::model::{Listing, Money};

/// A table of auctions.
pub(crate) fn auctions(page: &mut Html, list: &[Listing], now: Moment) {
    html!(
        page,
        "<table>\n<thead><tr><th>Item</th><th class=\"number\">Price</th><th class=\"number\">Bids</th>"
    );
    html!(page, "<th>Ends</th><th></th></tr></thead>\n<tbody>\n");
    for entry in list {
        html!(page, "<tr><td><a href=\"/items/", entry.id, "\">", entry.name, "</a></td>");
        html!(
            page,
            "<td class=\"number\">",
            Money(entry.price),
            "</td><td class=\"number\">",
            entry.bids,
            "</td><td>"
        );
        if entry.end <= now {
            html!(page, "ended ", entry.end.day, "</td><td></td></tr>\n");
            continue;
        }
        html!(page, entry.end, "</td><td class=\"links\"><a href=\"/items/", entry.id, "/bid\">Bid</a>");
        if entry.buy_now > 0 {
            html!(page, " <a href=\"/items/", entry.id, "/buy\">Buy for ", Money(entry.buy_now), "</a>");
        }
        html!(page, "</td></tr>\n");
    }
    html!(page, "</tbody>\n</table>\n");
}

/// The first entries of a list and whether there are more.
pub(crate) fn split<T>(list: &[T]) -> (&[T], bool) {
    (&list[..list.len().min(PAGE)], list.len() > PAGE)
}

/// Links to the pages before and after `at`. One of them leads on: to the next page, and from the last one to
/// the first.
pub(crate) fn pager(page: &mut Html, at: u32, more: bool) {
    html!(page, "<nav class=\"pager\" aria-label=\"Pages\">\n");
    if at > 1 {
        html!(page, "<a href=\"?page=", at - 1, "\">Previous</a>\n");
    }
    html!(page, "<span>Page ", at, "</span>\n");
    let (target, label) = if more { (at + 1, "Next") } else { (1, "First page") };
    html!(page, "<a class=\"onward\" href=\"?page=", target, "\">", label, "</a>\n</nav>\n");
}
