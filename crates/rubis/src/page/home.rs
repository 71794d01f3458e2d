//! The front page and the crossroads of browsing.

use loadstone_web::html::{Html, html};

pub(crate) fn home(page: &mut Html) {
    html!(
        page,
        "<h1>Welcome to RUBiS</h1>\n<p>An auction site: find something, bid on it, or sell what you no "
    );
    html!(page, "longer need.</p>\n<div class=\"cards\">\n");
    card(page, "/browse", "Browse", "All auctions, by category or by where the seller lives.");
    card(page, "/sell", "Sell", "Offer something of yours for one to seven days.");
    card(page, "/me", "About me", "What you bid on, have won, sell and have sold.");
    card(page, "/register", "Register", "Get a nickname, to bid and to sell.");
    html!(page, "</div>\n");
}

pub(crate) fn browse(page: &mut Html) {
    html!(page, "<h1>Browse</h1>\n<div class=\"cards\">\n");
    card(page, "/categories", "By category", "Everything of one kind.");
    card(page, "/regions", "By region", "What sellers of one region offer.");
    html!(page, "</div>\n");
}

fn card(page: &mut Html, path: &str, title: &str, sentence: &str) {
    html!(
        page,
        "<a class=\"card\" href=\"",
        path,
        "\"><strong>",
        title,
        "</strong><span>",
        sentence,
        "</span></a>\n"
    );
}
