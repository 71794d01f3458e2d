//! All that is one's own.

use alloc::vec::Vec;

use loadstone_web::dates::Moment;
use loadstone_web::html::{Html, html};

use super::{list, user};
use crate::model::{Comment, Listing, User};

/// What belongs to a user.
pub(crate) struct About {
    pub user: User,
    pub bidding: Vec<Listing>,
    pub won: Vec<Listing>,
    pub bought: Vec<Listing>,
    pub selling: Vec<Listing>,
    pub sold: Vec<Listing>,
    pub comments: Vec<Comment>,
}

pub(crate) fn me(page: &mut Html, about: &About, now: Moment) {
    let User { id, nickname, rating, since, region, firstname, lastname, email } = &about.user;
    html!(
        page,
        "<h1>About me</h1>\n<dl>\n<dt>Name</dt><dd>",
        firstname,
        " ",
        lastname,
        "</dd>\n<dt>Nickname</dt><dd>"
    );
    html!(page, "<a href=\"/users/", *id, "\">", nickname, "</a></dd>\n<dt>Email</dt><dd>", email, "</dd>\n");
    html!(page, "<dt>Region</dt><dd>", region, "</dd>\n<dt>Rating</dt><dd>", *rating, "</dd>\n");
    html!(page, "<dt>Member since</dt><dd>", since.day, "</dd>\n</dl>\n");
    section(page, "You bid on", &about.bidding, now);
    section(page, "You have won", &about.won, now);
    section(page, "You have bought", &about.bought, now);
    section(page, "You sell", &about.selling, now);
    section(page, "You have sold, or tried to", &about.sold, now);
    html!(page, "<h2>What is said about you</h2>\n");
    user::said(page, list::split(&about.comments).0);
}

fn section(page: &mut Html, title: &str, list: &[Listing], now: Moment) {
    html!(page, "<h2>", title, "</h2>\n");
    if list.is_empty() {
        html!(page, "<p>Nothing.</p>\n");
    } else {
        list::auctions(page, list, now);
    }
}
