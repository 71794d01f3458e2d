//! Comments: adding, and changing or deleting one's own.

use alloc::format;

use loadstone_http::Response;
use loadstone_web::field;
use loadstone_web::html::{Html, html};

use crate::data::{comments, events};
use crate::failure::Failure;
use crate::message::Message;
use crate::model::Comment;
use crate::page::event_parts;
use crate::reply::{self, Page, event_path};
use crate::site::Site;
use crate::validate::{self, Complaints};
use crate::visit::Visit;

/// Adds a comment.
pub(super) fn create(
    site: &Site,
    visit: &Visit<'_>,
    event: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    let viewer = visit.needs_viewer()?;
    events::creator(&site.db, event)?.ok_or(Failure::NotFound)?;
    match validate::comment(&visit.params) {
        Ok((text, rating)) => {
            comments::add(&site.db, event, viewer.id, &text, rating, site.now())?;
            answer(site, visit, event, Message::CommentAdded, response)
        }
        Err(wrong) => form(site, visit, (event, 0), &wrong, response),
    }
}

/// The form for an own comment.
pub(super) fn edit(
    site: &Site,
    visit: &Visit<'_>,
    (event, id): (i64, i64),
    response: &mut Response,
) -> Result<(), Failure> {
    let comment = own_comment(site, visit, event, id)?;
    let what = Page::new("Edit comment", "comment-edit", "comment-edit");
    reply::page(site, visit, response, &what, |html| {
        write_form(html, (event, id), &comment.text, comment.rating, &[], &visit.token);
        Ok(())
    })
}

/// Changes an own comment.
pub(super) fn update(
    site: &Site,
    visit: &Visit<'_>,
    (event, id): (i64, i64),
    response: &mut Response,
) -> Result<(), Failure> {
    own_comment(site, visit, event, id)?;
    match validate::comment(&visit.params) {
        Ok((text, rating)) => {
            if !comments::update(&site.db, id, &text, rating, site.now())? {
                return Err(Failure::NotFound);
            }
            answer(site, visit, event, Message::CommentUpdated, response)
        }
        Err(wrong) => form(site, visit, (event, id), &wrong, response),
    }
}

/// Deletes an own comment.
pub(super) fn delete(
    site: &Site,
    visit: &Visit<'_>,
    (event, id): (i64, i64),
    response: &mut Response,
) -> Result<(), Failure> {
    own_comment(site, visit, event, id)?;
    comments::delete(&site.db, id)?;
    answer(site, visit, event, Message::CommentDeleted, response)
}

fn own_comment(site: &Site, visit: &Visit<'_>, event: i64, id: i64) -> Result<Comment, Failure> {
    let viewer = visit.needs_viewer()?;
    let comment = comments::find(&site.db, event, id)?.ok_or(Failure::NotFound)?;
    if comment.author_id == viewer.id { Ok(comment) } else { Err(Failure::Forbidden) }
}

fn answer(
    site: &Site,
    visit: &Visit<'_>,
    event: i64,
    message: Message,
    response: &mut Response,
) -> Result<(), Failure> {
    if visit.wants_fragment {
        let list = comments::of_event(&site.db, event)?;
        let viewer = visit.viewer.as_ref();
        reply::fragment(response, |html| event_parts::comments(html, event, &list, viewer, &visit.token));
    } else {
        reply::redirect(site, response, &event_path(event), message);
    }
    Ok(())
}

/// A page with the form as entered, and what is wrong with it.
fn form(
    site: &Site,
    visit: &Visit<'_>,
    target: (i64, i64),
    wrong: &Complaints,
    response: &mut Response,
) -> Result<(), Failure> {
    let rating = visit.params.whole("rating").unwrap_or(0);
    let what = Page {
        message: Some(Message::FormWrong),
        ..Page::new("Your comment", "comment-edit", "comment-edit")
    };
    reply::again(site, visit, response, &what, |html| {
        write_form(html, target, visit.params.get("comment"), rating, wrong, &visit.token);
    })
}

fn write_form(
    page: &mut Html,
    (event, id): (i64, i64),
    text: &str,
    rating: i64,
    wrong: &field::Wrong,
    token: &str,
) {
    html!(page, "<h1>Your comment</h1>\n<form class=\"panel\" action=\"");
    if id == 0 {
        html!(page, format!("/events/{event}/comments"), "\" method=\"post\">\n");
    } else {
        html!(page, format!("/events/{event}/comments/{id}"), "\" method=\"post\">\n");
        field::method_field(page, "put");
    }
    field::token_field(page, token);
    event_parts::comment_fields(page, text, rating);
    field::complaint(page, "rating", wrong);
    field::complaint(page, "comment", wrong);
    html!(
        page,
        "<p class=\"actions\"><button>Save</button>\n<a href=\"/events/",
        event,
        "\">Back</a></p>\n</form>\n"
    );
}
