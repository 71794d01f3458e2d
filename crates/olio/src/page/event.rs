//! An event's page, but for the sections of `event_parts`.

use loadstone_web::html::{Html, html};

use super::map;
use crate::model::{Address, Event, Viewer};

/// Edit and Delete, for the one who announced the event.
pub(crate) fn owner_links(page: &mut Html, event: &Event, viewer: Option<&Viewer>) {
    if viewer.is_some_and(|viewer| viewer.id == event.creator_id) {
        html!(
            page,
            "<p class=\"actions owner\"><a class=\"button plain small\" href=\"/events/",
            event.id,
            "/edit\">Edit</a>\n"
        );
        html!(
            page,
            "<a class=\"button plain small\" href=\"/events/",
            event.id,
            "/edit#delete\">Delete</a></p>\n"
        );
    }
}

/// Picture, title, time and place: the same for every viewer.
pub(crate) fn main(page: &mut Html, event: &Event, full_image: bool) {
    html!(page, "<article class=\"panel hero\">\n");
    if full_image && event.has_image {
        html!(
            page,
            "<img src=\"/media/e",
            event.id,
            ".jpg\" width=\"320\" height=\"240\" alt=\"Picture of the event\">\n"
        );
    } else {
        html!(
            page,
            "<img src=\"/media/e",
            event.id,
            "t.jpg\" width=\"100\" height=\"75\" alt=\"Picture of the event\">\n"
        );
    }
    html!(
        page,
        "<div>\n<h1>",
        event.title,
        "</h1>\n<p class=\"lead\">",
        event.when,
        "</p>\n<dl class=\"facts\">\n"
    );
    html!(page, "<dt>Address</dt><dd>");
    address(page, &event.address);
    html!(page, "</dd>\n<dt>Telephone</dt><dd>", event.telephone, "</dd>\n");
    html!(
        page,
        "<dt>Added by</dt><dd><a href=\"/users/",
        event.creator_id,
        "\">",
        event.creator,
        "</a></dd>\n"
    );
    if event.has_document {
        html!(
            page,
            "<dt>Document</dt><dd><a href=\"/media/e",
            event.id,
            "l.pdf\">Event literature (PDF)</a></dd>\n"
        );
    }
    html!(page, "</dl>\n</div>\n</article>\n");
}

/// Summary, description and map: the same for every viewer.
pub(crate) fn description(page: &mut Html, event: &Event) {
    html!(page, "<section class=\"panel\">\n<h2>What</h2>\n");
    if !event.summary.is_empty() {
        html!(page, "<p class=\"lead\">", event.summary, "</p>\n");
    }
    html!(page, "<p class=\"text\">", event.description, "</p>\n</section>\n");
    map::block(page, &event.address);
}

/// An address in one line.
pub(crate) fn address(page: &mut Html, address: &Address) {
    let Address { street1, street2, city, state, zip, country, .. } = address;
    let mut first = true;
    for part in [street1, street2, city] {
        if !part.is_empty() {
            if !first {
                html!(page, ", ");
            }
            html!(page, part);
            first = false;
        }
    }
    html!(page, ", ", state);
    if !state.is_empty() {
        html!(page, " ");
    }
    html!(page, zip, ", ", country);
}
