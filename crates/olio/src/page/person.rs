//! A person's page.

use loadstone_web::html::{Html, html};

use super::event_list;
use super::friends::{friendship, people};
use crate::model::{EventLink, Person, PersonLink, Relation, Viewer};

/// Everything on the page.
pub(crate) struct Shown<'a> {
    pub person: &'a Person,
    /// Recently posted events, at most ten.
    pub posted: &'a [EventLink],
    /// Friends, at most [`Shown::FRIENDS`] and one more that tells that there are more.
    pub friends: &'a [PersonLink],
    pub relation: Relation,
    /// Requests in and out, only for oneself.
    pub requests: (i64, i64),
    pub full_image: bool,
}

impl Shown<'_> {
    /// Friends in the cloud.
    pub(crate) const FRIENDS: usize = 6;
}

/// The page's content.
pub(crate) fn content(page: &mut Html, shown: &Shown<'_>, viewer: Option<&Viewer>, token: &str) {
    let person = shown.person;
    let itself = viewer.is_some_and(|viewer| viewer.id == person.id);
    html!(page, "<article class=\"panel hero\">\n");
    if shown.full_image && person.has_image {
        html!(
            page,
            "<img src=\"/media/p",
            person.id,
            ".jpg\" width=\"320\" height=\"240\" alt=\"Picture of ",
            person.username
        );
    } else {
        html!(
            page,
            "<img src=\"/media/p",
            person.id,
            "t.jpg\" width=\"100\" height=\"75\" alt=\"Picture of ",
            person.username
        );
    }
    html!(page, "\">\n<div>\n<h1>", person.username, "</h1>\n");
    html!(page, "<p class=\"lead\">", person.firstname, " ", person.lastname, "</p>\n");
    if viewer.is_some() && !itself {
        friendship(page, person.id, shown.relation, viewer, token);
    }
    html!(page, "<dl class=\"facts\">\n");
    html!(page, "<dt>Time zone</dt><dd>", person.timezone, "</dd>\n<dt>Address</dt><dd>");
    super::event::address(page, &person.address);
    html!(page, "</dd>\n");
    if !person.telephone.is_empty() {
        html!(page, "<dt>Telephone</dt><dd>", person.telephone, "</dd>\n");
    }
    html!(page, "<dt>Email</dt><dd>", person.email, "</dd>\n</dl>\n");
    if itself {
        html!(
            page,
            "<p class=\"actions\"><a class=\"button plain small\" href=\"/users/",
            person.id,
            "/edit\">Edit profile</a></p>\n"
        );
    }
    html!(page, "</div>\n</article>\n<section class=\"panel\">\n<h2>About</h2>\n");
    if person.summary.is_empty() {
        html!(page, "<p class=\"quiet\">Nothing yet.</p>\n</section>\n");
    } else {
        html!(page, "<p class=\"text\">", person.summary, "</p>\n</section>\n");
    }
    posted(page, shown);
    friends(page, shown);
    if itself {
        html!(
            page,
            "<section class=\"panel\">\n<h2>Friendship requests</h2>\n<p><a href=\"/users/",
            person.id
        );
        html!(
            page,
            "/requests\">",
            shown.requests.0,
            " waiting for your answer, ",
            shown.requests.1,
            " for theirs</a></p>\n</section>\n"
        );
    }
}

fn posted(page: &mut Html, shown: &Shown<'_>) {
    html!(page, "<section class=\"panel\">\n<h2>Recently posted events</h2>\n");
    if shown.posted.is_empty() {
        html!(page, "<p class=\"quiet\">None yet.</p>\n<p>");
    } else {
        html!(page, "<ul class=\"rows\">\n");
        for EventLink { id, title, when } in shown.posted {
            html!(page, "<li><a href=\"/events/", *id, "\">", title, "</a> ");
            html!(page, "<span class=\"quiet\">", when.day, "</span></li>\n");
        }
        html!(page, "</ul>\n<p><a href=\"/users/", shown.person.id, "/posted_events\">all</a> · ");
    }
    html!(page, "<a href=\"/users/", shown.person.id, "/upcoming_events\">attending</a></p>\n</section>\n");
}

fn friends(page: &mut Html, shown: &Shown<'_>) {
    html!(page, "<section class=\"panel\" id=\"friends\">\n<h2>Friends</h2>\n");
    if shown.friends.is_empty() {
        html!(page, "<p class=\"quiet\">None yet.</p>\n");
    } else {
        people(page, &shown.friends[..shown.friends.len().min(Shown::FRIENDS)]);
        if shown.friends.len() > Shown::FRIENDS {
            html!(
                page,
                "<p class=\"actions\"><a href=\"/users/",
                shown.person.id,
                "/friends\">more</a></p>\n"
            );
        }
    }
    html!(page, "</section>\n");
}

/// A list of one person's events under a heading.
pub(crate) fn event_list(
    page: &mut Html,
    heading: &str,
    person: &PersonLink,
    path: &str,
    events: &crate::model::Listing<crate::model::EventItem>,
    owner: Option<i64>,
) {
    html!(page, "<h1>", heading, " <a href=\"/users/", person.id, "\">", person.username, "</a></h1>\n");
    event_list::items(page, &events.items, owner);
    event_list::pager(page, events, &event_list::Pages::Plain(path));
}
