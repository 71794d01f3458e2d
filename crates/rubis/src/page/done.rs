//! What has been stored.

use loadstone_web::html::{Html, html};

use crate::model::{Item, Money, Viewer};

pub(crate) fn registered(page: &mut Html, viewer: &Viewer) {
    html!(
        page,
        "<h1>Welcome, ",
        viewer.nickname,
        "</h1>\n<p class=\"good\">You are registered and logged in.</p>\n"
    );
    html!(
        page,
        "<p><a href=\"/browse\">Browse the auctions</a> or <a href=\"/sell\">sell something</a>.</p>\n"
    );
}

pub(crate) fn bid(page: &mut Html, item: &Item) {
    html!(
        page,
        "<h1>Your bid is stored</h1>\n<p class=\"good\">The highest bid on <a href=\"/items/",
        item.id,
        "\">"
    );
    html!(page, item.name, "</a> is yours: ", Money(item.max_bid), ".");
    if !item.meets_reserve() {
        html!(page, " The reserve price has not been met yet.");
    }
    onwards(page);
}

pub(crate) fn bought(page: &mut Html, item: &Item, quantity: i64) {
    html!(
        page,
        "<h1>It is yours</h1>\n<p class=\"good\">You have bought ",
        quantity,
        " of <a href=\"/items/",
        item.id
    );
    html!(page, "\">", item.name, "</a> for ", Money(item.buy_now * quantity), ".");
    onwards(page);
}

pub(crate) fn commented(page: &mut Html, user: i64, nickname: &str) {
    html!(
        page,
        "<h1>Your comment is stored</h1>\n<p class=\"good\">See what is said about <a href=\"/users/",
        user,
        "\">"
    );
    html!(page, nickname, "</a>.");
    onwards(page);
}

pub(crate) fn offered(page: &mut Html, id: i64, name: &str) {
    html!(
        page,
        "<h1>Your auction has begun</h1>\n<p class=\"good\">See <a href=\"/items/",
        id,
        "\">",
        name,
        "</a>."
    );
    onwards(page);
}

fn onwards(page: &mut Html) {
    html!(
        page,
        "</p>\n<p><a href=\"/browse\">Browse on</a> or see <a href=\"/me\">all that is yours</a>.</p>\n"
    );
}
