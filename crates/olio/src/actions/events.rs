//! Events: showing, adding, changing, deleting, attending, tagging.

use alloc::format;
use alloc::string::String;

use loadstone_http::Response;
use loadstone_web::field;
use loadstone_web::params::Params;

use super::home::forget_lists;
use crate::data::events::NewEvent;
use crate::data::{attendance, comments, events, tags};
use crate::failure::Failure;
use crate::media::Class;
use crate::message::Message;
use crate::model::{Address, Event};
use crate::page::event;
use crate::page::event_form::{self, Entered};
use crate::page::event_parts;
use crate::reply::{self, Page, event_path};
use crate::site::Site;
use crate::validate;
use crate::visit::Visit;

/// An event's page.
pub(super) fn show(site: &Site, visit: &Visit<'_>, id: i64, response: &mut Response) -> Result<(), Failure> {
    let cache = site.cache();
    let event = cache.rows(&event_key(id), || events::find(&site.db, id))?.ok_or(Failure::NotFound)?;
    let attendees = attendance::of_event(&site.db, id, visit.viewer_id().unwrap_or(0))?;
    let (tags, comments) = (tags::of_event(&site.db, id)?, comments::of_event(&site.db, id)?);
    let key = format!("event:{id}");
    reply::page(site, visit, response, &Page::new(&event.title, "event", &key), |html| {
        let viewer = visit.viewer.as_ref();
        cache.fragment(&format!("{key}:main"), html, |html| {
            event::main(html, &event, site.options.full_image);
            Ok(())
        })?;
        event::owner_links(html, &event, viewer);
        event_parts::attendees(html, id, &attendees, viewer, &visit.token);
        cache.fragment(&format!("{key}:description"), html, |html| {
            event::description(html, &event);
            Ok(())
        })?;
        event_parts::tags(html, id, &tags, viewer, &visit.token);
        event_parts::comments(html, id, &comments, viewer, &visit.token);
        Ok(())
    })
}

fn event_key(id: i64) -> String {
    format!("event:{id}")
}

/// After an event has changed: its rows and fragments, and the lists that show it.
pub(super) fn forget_event(site: &Site, id: i64) {
    let cache = site.cache();
    let key = event_key(id);
    cache.drop_key(&key);
    cache.drop_key(&format!("{key}:main"));
    cache.drop_key(&format!("{key}:description"));
    forget_lists(site);
}

/// The form for a new event.
pub(super) fn new(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    visit.needs_viewer()?;
    let civil = site.today.civil();
    let when = [i64::from(civil.year), i64::from(civil.month), i64::from(civil.day), 19, 0];
    let entered = Entered { when, ..Entered::default() };
    reply::page(site, visit, response, &Page::new("Add an event", "event-new", "event-new"), |html| {
        event_form::content(html, 0, &entered, site.today, &[], &visit.token);
        Ok(())
    })
}

/// Adds an event.
pub(super) fn create(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    let viewer = visit.needs_viewer()?;
    let event = match validate::event(&visit.params) {
        Ok(event) => event,
        Err(wrong) => return form_again(site, visit, 0, &wrong, response),
    };
    let id = events::add(&site.db, &event, viewer.id, site.now())?;
    keep_files(site, &visit.params, id, &event)?;
    forget_lists(site);
    reply::redirect(site, response, &event_path(id), Message::EventCreated);
    Ok(())
}

/// The form for an own event.
pub(super) fn edit(site: &Site, visit: &Visit<'_>, id: i64, response: &mut Response) -> Result<(), Failure> {
    let event = own_event(site, visit, id)?;
    let Event { title, summary, description, telephone, timezone, when, address, .. } = &event;
    let civil = when.day.civil();
    let mut tag_list = String::new();
    for tag in tags::of_event(&site.db, id)? {
        if !tag_list.is_empty() {
            tag_list.push(' ');
        }
        tag_list.push_str(&tag.name);
    }
    let date = [i64::from(civil.year), i64::from(civil.month), i64::from(civil.day)];
    let entered = Entered {
        title,
        summary,
        description,
        telephone,
        timezone,
        tag_list: &tag_list,
        when: [date[0], date[1], date[2], i64::from(when.hour), i64::from(when.minute)],
        address: address.clone(),
    };
    reply::page(site, visit, response, &Page::new("Edit the event", "event-edit", &event_key(id)), |html| {
        event_form::content(html, id, &entered, site.today, &[], &visit.token);
        Ok(())
    })
}

/// Changes an own event.
pub(super) fn update(
    site: &Site,
    visit: &Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    own_event(site, visit, id)?;
    let event = match validate::event(&visit.params) {
        Ok(event) => event,
        Err(wrong) => return form_again(site, visit, id, &wrong, response),
    };
    if !events::update(&site.db, id, &event)? {
        return Err(Failure::NotFound);
    }
    keep_files(site, &visit.params, id, &event)?;
    forget_event(site, id);
    reply::redirect(site, response, &event_path(id), Message::EventUpdated);
    Ok(())
}

/// Deletes an own event.
pub(super) fn delete(
    site: &Site,
    visit: &Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    own_event(site, visit, id)?;
    events::delete(&site.db, id)?;
    forget_event(site, id);
    remove_files(site, id)?;
    reply::redirect(site, response, "/", Message::EventDeleted);
    Ok(())
}

/// After an event is gone: what was uploaded for it.
pub(super) fn remove_files(site: &Site, id: i64) -> Result<(), Failure> {
    for class in [Class::EventImage, Class::EventThumbnail, Class::EventDocument] {
        site.media.remove(class, id.unsigned_abs())?;
    }
    Ok(())
}

/// Attends or leaves an event.
pub(super) fn attend(
    site: &Site,
    visit: &Visit<'_>,
    id: i64,
    joins: bool,
    response: &mut Response,
) -> Result<(), Failure> {
    let viewer = visit.needs_viewer()?;
    events::creator(&site.db, id)?.ok_or(Failure::NotFound)?;
    let message = if joins {
        attendance::attend(&site.db, id, viewer.id, site.today)?;
        Message::Attending
    } else {
        attendance::unattend(&site.db, id, viewer.id, site.today)?;
        Message::NotAttending
    };
    if visit.wants_fragment {
        let attendees = attendance::of_event(&site.db, id, viewer.id)?;
        let write = |html: &mut _| event_parts::attendees(html, id, &attendees, Some(viewer), &visit.token);
        reply::fragment(response, write);
    } else {
        reply::redirect(site, response, &event_path(id), message);
    }
    Ok(())
}

/// Adds tags to anybody's event.
pub(super) fn add_tags(
    site: &Site,
    visit: &Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    let viewer = visit.needs_viewer()?;
    events::creator(&site.db, id)?.ok_or(Failure::NotFound)?;
    let names = validate::tags(visit.params.get("tag_list")).filter(|names| !names.is_empty());
    let message = match &names {
        Some(names) if tags::add_more(&site.db, id, names, validate::MAX_TAGS)? => {
            forget_lists(site);
            Message::TagsAdded
        }
        _ => Message::TagsWrong,
    };
    if visit.wants_fragment {
        let tags = tags::of_event(&site.db, id)?;
        reply::fragment(response, |html| event_parts::tags(html, id, &tags, Some(viewer), &visit.token));
        if message.is_bad() {
            response.status(422);
        }
    } else {
        reply::redirect(site, response, &event_path(id), message);
    }
    Ok(())
}

/// The event, when it is the viewer's.
fn own_event(site: &Site, visit: &Visit<'_>, id: i64) -> Result<Event, Failure> {
    let viewer = visit.needs_viewer()?;
    let event = events::find(&site.db, id)?.ok_or(Failure::NotFound)?;
    if event.creator_id == viewer.id { Ok(event) } else { Err(Failure::Forbidden) }
}

/// Stores what was uploaded, after the event is there: a picture without its event would never be deleted.
/// For the same reason it goes again where somebody has deleted the event meanwhile.
fn keep_files(site: &Site, params: &Params<'_>, id: i64, event: &NewEvent) -> Result<(), Failure> {
    let files = [
        ("event_image", Class::EventImage, event.has_image),
        ("event_thumbnail", Class::EventThumbnail, event.has_image),
        ("event_document", Class::EventDocument, event.has_document),
    ];
    put_files(site, params, id, &files)?;
    if files.iter().any(|(_, _, replaced)| *replaced) && events::creator(&site.db, id)?.is_none() {
        remove_files(site, id)?;
        return Err(Failure::NotFound);
    }
    Ok(())
}

/// Stores the files that have come; name of the part, class, and whether a file is to be replaced. A
/// thumbnail goes with its picture: without one, that of the picture before is forgotten.
pub(super) fn put_files(
    site: &Site,
    params: &Params<'_>,
    id: i64,
    files: &[(&str, Class, bool)],
) -> Result<(), Failure> {
    for &(name, class, _) in files.iter().filter(|(_, _, replaced)| *replaced) {
        match params.file(name) {
            Some(file) => site.media.put(class, id.unsigned_abs(), file.data)?,
            None => site.media.remove(class, id.unsigned_abs())?,
        }
    }
    Ok(())
}

/// The form with what was entered.
fn form_again(
    site: &Site,
    visit: &Visit<'_>,
    id: i64,
    wrong: &field::Wrong,
    response: &mut Response,
) -> Result<(), Failure> {
    let params = &visit.params;
    let number = |index: usize, low: i64, high: i64| {
        params.whole(&format!("event_timestamp({index}i)")).unwrap_or(low).clamp(low, high)
    };
    let entered = Entered {
        title: params.get("title"),
        summary: params.get("summary"),
        description: params.get("description"),
        telephone: params.get("telephone"),
        timezone: params.get("timezone"),
        tag_list: params.get("tag_list"),
        when: [number(1, 1, 9999), number(2, 1, 12), number(3, 1, 31), number(4, 0, 23), number(5, 0, 59)],
        address: entered_address(params),
    };
    let (title, kind) =
        if id == 0 { ("Add an event", "event-new") } else { ("Edit the event", "event-edit") };
    let what = Page { message: Some(Message::FormWrong), ..Page::new(title, kind, kind) };
    reply::again(site, visit, response, &what, |html| {
        event_form::content(html, id, &entered, site.today, wrong, &visit.token);
    })
}

/// The address fields as entered.
pub(super) fn entered_address(params: &Params<'_>) -> Address {
    let field = |name: &str| String::from(params.get(name));
    Address {
        street1: field("street1"),
        street2: field("street2"),
        city: field("city"),
        state: field("state"),
        zip: field("zip"),
        country: field("country"),
        ..Address::default()
    }
}
