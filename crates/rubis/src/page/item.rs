//! An auction and its bids.

use loadstone_web::dates::Moment;
use loadstone_web::html::{Html, html};

use super::list;
use crate::model::{Bid, Item, Money};

/// The auction with its highest bids.
pub(crate) fn item(page: &mut Html, item: &Item, bids: &[Bid], now: Moment) {
    html!(
        page,
        "<p class=\"path\"><a href=\"/categories/",
        item.category.id,
        "\">",
        item.category.name,
        "</a></p>\n"
    );
    html!(
        page,
        "<h1><a href=\"/items/",
        item.id,
        "\">",
        item.name,
        "</a></h1>\n<div class=\"columns\">\n<section>\n<dl>\n"
    );
    facts(page, item, now);
    html!(page, "</dl>\n");
    if item.has_ended(now) {
        outcome(page, item, bids);
    } else {
        html!(
            page,
            "<p class=\"actions\"><a class=\"button\" href=\"/items/",
            item.id,
            "/bid\">Bid now</a>\n"
        );
        if item.buy_now > 0 {
            html!(page, "<a class=\"button\" href=\"/items/", item.id, "/buy\">Buy it for ");
            html!(page, Money(item.buy_now), "</a>\n");
        }
        html!(page, "</p>\n");
    }
    html!(
        page,
        "</section>\n<section>\n<h2>Seller</h2>\n<p><a href=\"/users/",
        item.seller,
        "\">",
        item.seller_name
    );
    html!(
        page,
        "</a> (rating ",
        item.seller_rating,
        ")</p>\n<p><a href=\"/items/",
        item.id,
        "/comment/",
        item.seller
    );
    html!(page, "\">Leave a comment about the seller</a></p>\n</section>\n</div>\n");
    html!(
        page,
        "<h2>Description</h2>\n<p class=\"text\">",
        item.description,
        "</p>\n<h2>Highest bids</h2>\n"
    );
    table(page, list::split(bids).0);
    html!(page, "<p><a href=\"/items/", item.id, "/bids\">All bids (", item.bids, ")</a></p>\n");
}

fn facts(page: &mut Html, item: &Item, now: Moment) {
    if item.bids > 0 {
        html!(page, "<dt>Highest bid</dt><dd class=\"price\">", Money(item.max_bid), "</dd>\n");
    }
    html!(page, "<dt>First price</dt><dd>", Money(item.initial_price), "</dd>\n");
    if item.reserve_price > 0 {
        let met = if item.meets_reserve() { "has been met" } else { "has not been met yet" };
        html!(page, "<dt>Reserve price</dt><dd>", met, "</dd>\n");
    }
    html!(page, "<dt>Bids</dt><dd>", item.bids, "</dd>\n<dt>Quantity</dt><dd>", item.quantity, "</dd>\n");
    html!(page, "<dt>Begun</dt><dd>", item.start, "</dd>\n");
    let label = if item.has_ended(now) { "Ended" } else { "Ends" };
    html!(page, "<dt>", label, "</dt><dd>", item.end, "</dd>\n");
}

/// What became of an auction.
fn outcome(page: &mut Html, item: &Item, bids: &[Bid]) {
    html!(page, "<p class=\"ended\">This auction has ended. ");
    match bids.first() {
        _ if item.quantity == 0 => html!(page, "Everything was bought."),
        Some(best) if item.meets_reserve() => {
            html!(page, "It went to <a href=\"/users/", best.user, "\">", best.nickname, "</a> for ");
            html!(page, Money(best.bid), ".");
        }
        Some(_) => html!(page, "The reserve price was not met."),
        None => html!(page, "Nobody has bid."),
    }
    html!(page, "</p>\n");
}

/// A page of the bids on an auction.
pub(crate) fn history(page: &mut Html, item: &Item, at: u32, bids: &[Bid]) {
    let (shown, more) = list::split(bids);
    html!(page, "<h1>Bids on <a href=\"/items/", item.id, "\">", item.name, "</a></h1>\n");
    table(page, shown);
    list::pager(page, at, more);
}

fn table(page: &mut Html, bids: &[Bid]) {
    if bids.is_empty() {
        html!(page, "<p>There are no bids yet.</p>\n");
        return;
    }
    html!(
        page,
        "<table>\n<thead><tr><th>Bidder</th><th class=\"number\">Bid</th><th class=\"number\">Quantity</th>"
    );
    html!(page, "<th>When</th></tr></thead>\n<tbody>\n");
    for bid in bids {
        html!(
            page,
            "<tr><td><a href=\"/users/",
            bid.user,
            "\">",
            bid.nickname,
            "</a></td><td class=\"number\">"
        );
        html!(
            page,
            Money(bid.bid),
            "</td><td class=\"number\">",
            bid.quantity,
            "</td><td>",
            bid.date,
            "</td></tr>\n"
        );
    }
    html!(page, "</tbody>\n</table>\n");
}
