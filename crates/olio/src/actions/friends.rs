//! Friends: lists, requests and answers.

use alloc::format;

use loadstone_http::Response;

use crate::data::{friends, people};
use crate::failure::Failure;
use crate::message::Message;
use crate::model::Relation;
use crate::page::friends as pages;
use crate::reply::{self, Page, person_path};
use crate::site::Site;
use crate::visit::Visit;

/// All friends of a person.
pub(super) fn list(site: &Site, visit: &Visit<'_>, id: i64, response: &mut Response) -> Result<(), Failure> {
    let person = people::find_link(&site.db, id)?.ok_or(Failure::NotFound)?;
    let friends = friends::list(&site.db, id, visit.params.page())?;
    let key = format!("friends:{id};page={}", friends.page);
    reply::page(site, visit, response, &Page::new("Friends", "friends", &key), |html| {
        pages::list(html, &person, &friends);
        Ok(())
    })
}

/// The viewer's requests, both ways.
pub(super) fn requests(
    site: &Site,
    visit: &Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    let viewer = visit.needs_viewer()?;
    if viewer.id != id {
        return Err(Failure::Forbidden);
    }
    let (incoming, outgoing) = (friends::incoming(&site.db, id)?, friends::outgoing(&site.db, id)?);
    let key = format!("requests:{id}");
    reply::page(site, visit, response, &Page::new("Friendship requests", "requests", &key), |html| {
        pages::requests(html, &incoming, &outgoing, viewer, &visit.token);
        Ok(())
    })
}

/// The viewer asks a person.
pub(super) fn request(
    site: &Site,
    visit: &Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    let viewer = visit.needs_viewer()?;
    people::find_link(&site.db, id)?.ok_or(Failure::NotFound)?;
    if viewer.id == id {
        return Err(Failure::Forbidden);
    }
    let message = match friends::request(&site.db, viewer.id, id)? {
        Relation::Friends => Message::FriendApproved,
        _ => Message::FriendRequested,
    };
    answer(site, visit, id, message, response)
}

/// The viewer says yes.
pub(super) fn approve(
    site: &Site,
    visit: &Visit<'_>,
    (id, friend): (i64, i64),
    response: &mut Response,
) -> Result<(), Failure> {
    own(visit, id)?;
    let done = friends::approve(&site.db, id, friend)?;
    answer(
        site,
        visit,
        friend,
        if done { Message::FriendApproved } else { Message::FriendUnchanged },
        response,
    )
}

/// The viewer ends a friendship or a request, as `friend_action` says.
pub(super) fn end(
    site: &Site,
    visit: &Visit<'_>,
    (id, friend): (i64, i64),
    response: &mut Response,
) -> Result<(), Failure> {
    own(visit, id)?;
    let (done, message) = match visit.params.get("friend_action") {
        "remove" => (friends::remove(&site.db, id, friend)?, Message::FriendRemoved),
        "reject" => (friends::reject(&site.db, id, friend)?, Message::FriendRejected),
        "revoke" => (friends::revoke(&site.db, id, friend)?, Message::FriendRevoked),
        _ => return Err(Failure::BadRequest),
    };
    answer(site, visit, friend, if done { message } else { Message::FriendUnchanged }, response)
}

/// Friends are one's own to change.
fn own(visit: &Visit<'_>, id: i64) -> Result<(), Failure> {
    if visit.needs_viewer()?.id == id { Ok(()) } else { Err(Failure::Forbidden) }
}

fn answer(
    site: &Site,
    visit: &Visit<'_>,
    other: i64,
    message: Message,
    response: &mut Response,
) -> Result<(), Failure> {
    let viewer = visit.needs_viewer()?;
    if visit.wants_fragment {
        let relation = friends::relation(&site.db, viewer.id, other)?;
        reply::fragment(response, |html| {
            pages::friendship(html, other, relation, Some(viewer), &visit.token);
        });
    } else {
        people::find_link(&site.db, other)?.ok_or(Failure::NotFound)?;
        reply::redirect(site, response, &person_path(other), message);
    }
    Ok(())
}
