//! Looking for people.

use loadstone_web::html::{Html, html};

use super::event_list::{Pages, pager};
use super::friends;
use crate::model::{Listing, PersonLink};

/// The search form and what was found; `query` may be empty, which finds everybody.
pub(crate) fn content(page: &mut Html, query: &str, found: &Listing<PersonLink>) {
    html!(
        page,
        "<h1>People</h1>\n<form class=\"panel search\" action=\"/users/search\" method=\"get\" role=\"search\">\n"
    );
    html!(page, "<label class=\"unseen\" for=\"people-query\">User name or name</label>\n");
    html!(
        page,
        "<input id=\"people-query\" name=\"query\" maxlength=\"25\" placeholder=\"User name or name\" value=\"",
        query,
        "\">\n"
    );
    html!(page, "<button class=\"plain\">Search</button>\n</form>\n");
    if found.items.is_empty() {
        html!(page, "<p class=\"empty\">Nobody found.</p>\n");
    } else {
        html!(page, "<div class=\"panel\">\n");
        friends::people(page, &found.items);
        html!(page, "</div>\n");
    }
    pager(page, found, &Pages::Search { path: "/users/search", query });
}
