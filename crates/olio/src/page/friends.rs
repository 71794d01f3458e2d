//! Friendship: the box that says how two people stand to each other, lists of friends, and requests.

use loadstone_web::field::{method_field, token_field};
use loadstone_web::html::{Html, html};

use super::event_list::{Pages, pager};
use crate::model::{Listing, PersonLink, Relation, Viewer};

/// How the viewer and person `other` stand to each other, with what can be done about it.
pub(crate) fn friendship(
    page: &mut Html,
    other: i64,
    relation: Relation,
    viewer: Option<&Viewer>,
    token: &str,
) {
    html!(page, "<div class=\"actions\" id=\"friendship-", other, "\">\n");
    if let Some(viewer) = viewer {
        let me = viewer.id;
        match relation {
            Relation::Same => {}
            Relation::None => {
                html!(page, "<form class=\"inline\" action=\"/users/", other, "/friends\" method=\"post\" ");
                html!(page, "data-fragment=\"friendship-", other, "\">\n");
                token_field(page, token);
                html!(page, "<button class=\"small\">Add as a friend</button>\n</form>\n");
            }
            Relation::Friends => {
                html!(page, "<span class=\"quiet\">You are friends.</span>\n");
                button(page, (me, other), "remove", "Remove friend", token);
            }
            Relation::Asked => {
                html!(page, "<span class=\"quiet\">Request sent.</span>\n");
                button(page, (me, other), "revoke", "Take back", token);
            }
            Relation::AskedBy => {
                button(page, (me, other), "approve", "Approve", token);
                button(page, (me, other), "reject", "Reject", token);
            }
        }
    }
    html!(page, "</div>\n");
}

fn button(page: &mut Html, (me, other): (i64, i64), action: &str, label: &str, token: &str) {
    html!(page, "<form class=\"inline\" action=\"/users/", me, "/friends/", other, "\" method=\"post\" ");
    html!(page, "data-fragment=\"friendship-", other, "\">\n");
    if action == "approve" {
        method_field(page, "put");
    } else {
        method_field(page, "delete");
        html!(page, "<input type=\"hidden\" name=\"friend_action\" value=\"", action, "\">\n");
    }
    token_field(page, token);
    let class = if action == "approve" { "small" } else { "plain small" };
    html!(page, "<button class=\"", class, "\">", label, "</button>\n</form>\n");
}

/// People with their pictures.
pub(crate) fn people(page: &mut Html, people: &[PersonLink]) {
    html!(page, "<ul class=\"people\">\n");
    for PersonLink { id, username } in people {
        html!(
            page,
            "<li><a href=\"/users/",
            *id,
            "\"><img src=\"/media/p",
            *id,
            "t.jpg\" width=\"90\" height=\"68\" alt=\"\">"
        );
        html!(page, username, "</a></li>\n");
    }
    html!(page, "</ul>\n");
}

/// All friends of a person.
pub(crate) fn list(page: &mut Html, person: &PersonLink, friends: &Listing<PersonLink>) {
    html!(page, "<h1>Friends of <a href=\"/users/", person.id, "\">", person.username, "</a></h1>\n");
    if friends.items.is_empty() {
        html!(page, "<p class=\"empty\">No friends here.</p>\n");
    } else {
        html!(page, "<div class=\"panel\">\n");
        people(page, &friends.items);
        html!(page, "</div>\n");
    }
    pager(page, friends, &Pages::Plain(&alloc::format!("/users/{}/friends", person.id)));
}

/// Requests that wait for the viewer's answer, and their own that wait for others.
pub(crate) fn requests(
    page: &mut Html,
    incoming: &[PersonLink],
    outgoing: &[PersonLink],
    viewer: &Viewer,
    token: &str,
) {
    html!(page, "<h1>Friendship requests</h1>\n");
    let lists = [
        ("Waiting for your answer", Relation::AskedBy, incoming),
        ("Waiting for theirs", Relation::Asked, outgoing),
    ];
    for (heading, relation, people) in lists {
        html!(page, "<section class=\"panel\">\n<h2>", heading, "</h2>\n");
        if people.is_empty() {
            html!(page, "<p class=\"quiet\">None.</p>\n");
        } else {
            html!(page, "<ul class=\"rows\">\n");
            for person in people {
                html!(page, "<li><a href=\"/users/", person.id, "\">", person.username, "</a>\n");
                friendship(page, person.id, relation, Some(viewer), token);
                html!(page, "</li>\n");
            }
            html!(page, "</ul>\n");
        }
        html!(page, "</section>\n");
    }
}
