//! People: showing, looking for, registering, changing, deleting.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use loadstone_http::Response;
use loadstone_web::params::Params;
use loadstone_web::password;

use super::events::{entered_address, forget_event, put_files, remove_files};
use crate::data::people::NewPerson;
use crate::data::{friends, lists, people};
use crate::failure::Failure;
use crate::media::Class;
use crate::message::Message;
use crate::model::{EventItem, Listing, Person, PersonLink, Relation};
use crate::page::person::{self as pages, Shown};
use crate::page::{people as search_page, user_form};
use crate::reply::{self, Page, person_path};
use crate::site::Site;
use crate::validate::{self, Complaints};
use crate::visit::{SESSION, Visit};

/// A person's page.
pub(super) fn show(site: &Site, visit: &Visit<'_>, id: i64, response: &mut Response) -> Result<(), Failure> {
    let person = people::find(&site.db, id)?.ok_or(Failure::NotFound)?;
    let posted = lists::recently_posted(&site.db, id)?;
    let friends_shown = friends::first(&site.db, id, Shown::FRIENDS + 1)?;
    let (mut relation, mut requests) = (Relation::Same, (0, 0));
    if let Some(viewer) = &visit.viewer {
        if viewer.id == id {
            requests = (viewer.requests, friends::outgoing(&site.db, id)?.len() as i64);
        } else {
            relation = friends::relation(&site.db, viewer.id, id)?;
        }
    }
    let shown = Shown {
        person: &person,
        posted: &posted,
        friends: &friends_shown,
        relation,
        requests,
        full_image: site.options.full_image,
    };
    let key = format!("person:{id}");
    reply::page(site, visit, response, &Page::new(&person.username, "person", &key), |html| {
        pages::content(html, &shown, visit.viewer.as_ref(), &visit.token);
        Ok(())
    })
}

/// People by the beginning of their names.
pub(super) fn search(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    let (query, page) = (visit.params.get("query"), visit.params.page());
    let found = if query.chars().count() > validate::MAX_NAME {
        Listing { items: Vec::new(), page, more: false }
    } else {
        people::search(&site.db, query, page)?
    };
    let key = format!("people:query={query};page={}", found.page);
    reply::page(site, visit, response, &Page::new("People", "people", &key), |html| {
        search_page::content(html, query, &found);
        Ok(())
    })
}

/// The events that a person announced.
pub(super) fn posted(
    site: &Site,
    visit: &Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    let person = people::find_link(&site.db, id)?.ok_or(Failure::NotFound)?;
    let events = lists::posted(&site.db, id, visit.params.page())?;
    event_list(site, visit, &person, &events, ("Events posted by", "posted"), response)
}

/// The events that a person attends.
pub(super) fn upcoming(
    site: &Site,
    visit: &Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    let person = people::find_link(&site.db, id)?.ok_or(Failure::NotFound)?;
    let events = lists::upcoming(&site.db, id, site.today, visit.params.page())?;
    event_list(site, visit, &person, &events, ("Events attended by", "upcoming"), response)
}

fn event_list(
    site: &Site,
    visit: &Visit<'_>,
    person: &PersonLink,
    events: &Listing<EventItem>,
    (heading, kind): (&str, &'static str),
    response: &mut Response,
) -> Result<(), Failure> {
    let key = format!("{kind}:{};page={}", person.id, events.page);
    let path = format!("/users/{}/{kind}_events", person.id);
    reply::page(site, visit, response, &Page::new(heading, kind, &key), |html| {
        pages::event_list(html, heading, person, &path, events, visit.viewer_id());
        Ok(())
    })
}

/// The form to register.
pub(super) fn new(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    reply::page(site, visit, response, &Page::new("Register", "register", "register"), |html| {
        user_form::content(html, &user_form::blank(), &[], &visit.token);
        Ok(())
    })
}

/// Whether a user name is free. Changes nothing and therefore needs no token.
pub(super) fn check_name(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    let name = visit.params.get("name");
    let valid = validate::is_username(name);
    let free = valid && people::is_name_free(&site.db, name, 0)?;
    reply::fragment(response, |html| user_form::name_check(html, name, valid, free));
    Ok(())
}

/// Registers a person; they still have to log in.
pub(super) fn create(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    let (person, password) = match validate::person(&visit.params, true) {
        Ok(valid) => valid,
        Err(wrong) => return form_again(site, visit, 0, &wrong, response),
    };
    match people::add(&site.db, &person, &hashed(site, &password), site.now()) {
        Ok(id) => {
            keep_files(site, &visit.params, id, &person)?;
            reply::redirect(site, response, &person_path(id), Message::UserCreated);
            Ok(())
        }
        Err(error) if error.is_unique() => form_again(site, visit, 0, &name_taken(), response),
        Err(error) => Err(error.into()),
    }
}

/// The form for the own profile.
pub(super) fn edit(site: &Site, visit: &Visit<'_>, id: i64, response: &mut Response) -> Result<(), Failure> {
    own(visit, id)?;
    let person = people::find(&site.db, id)?.ok_or(Failure::NotFound)?;
    reply::page(
        site,
        visit,
        response,
        &Page::new("Edit profile", "profile", &format!("profile:{id}")),
        |html| {
            user_form::content(html, &person, &[], &visit.token);
            Ok(())
        },
    )
}

/// Changes the own profile; an empty password keeps the old one.
pub(super) fn update(
    site: &Site,
    visit: &Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    own(visit, id)?;
    let (mut person, password) = match validate::person(&visit.params, false) {
        Ok(valid) => valid,
        Err(wrong) => return form_again(site, visit, id, &wrong, response),
    };
    if !password.is_empty() {
        person.password = Some(hashed(site, &password));
    }
    match people::update(&site.db, id, &person, &visit.session, site.now()) {
        Ok(false) => Err(Failure::NotFound),
        Ok(true) => {
            keep_files(site, &visit.params, id, &person)?;
            reply::redirect(site, response, &person_path(id), Message::UserUpdated);
            Ok(())
        }
        Err(error) if error.is_unique() => form_again(site, visit, id, &name_taken(), response),
        Err(error) => Err(error.into()),
    }
}

/// Deletes the own account.
pub(super) fn delete(
    site: &Site,
    visit: &Visit<'_>,
    id: i64,
    response: &mut Response,
) -> Result<(), Failure> {
    own(visit, id)?;
    for event in people::delete(&site.db, id)? {
        forget_event(site, event);
        remove_files(site, event)?;
    }
    remove_pictures(site, id)?;
    reply::redirect(site, response, "/", Message::UserDeleted);
    response.set_cookie(&site.options.origin.no_cookie(SESSION));
    Ok(())
}

/// After an account is gone: its pictures.
fn remove_pictures(site: &Site, id: i64) -> Result<(), Failure> {
    for class in [Class::PersonImage, Class::PersonThumbnail] {
        site.media.remove(class, id.unsigned_abs())?;
    }
    Ok(())
}

fn own(visit: &Visit<'_>, id: i64) -> Result<(), Failure> {
    if visit.needs_viewer()?.id == id { Ok(()) } else { Err(Failure::Forbidden) }
}

fn hashed(site: &Site, password: &str) -> String {
    let mut salt = [0; password::SALT_BYTES];
    site.host.entropy(&mut salt);
    password::hash(site.options.passwords(), password, &salt)
}

fn name_taken() -> Complaints {
    [("username", String::from("This user name is taken."))].into()
}

/// Stores what was uploaded; it goes again where the account was deleted meanwhile, and nothing else would
/// remove it.
fn keep_files(site: &Site, params: &Params<'_>, id: i64, person: &NewPerson) -> Result<(), Failure> {
    let files = [
        ("user_image", Class::PersonImage, person.has_image),
        ("user_thumbnail", Class::PersonThumbnail, person.has_image),
    ];
    put_files(site, params, id, &files)?;
    if person.has_image && people::find_link(&site.db, id)?.is_none() {
        remove_pictures(site, id)?;
        return Err(Failure::NotFound);
    }
    Ok(())
}

/// The form with what was entered, but the passwords.
fn form_again(
    site: &Site,
    visit: &Visit<'_>,
    id: i64,
    wrong: &Complaints,
    response: &mut Response,
) -> Result<(), Failure> {
    let field = |name: &str| String::from(visit.params.get(name));
    let entered = Person {
        id,
        username: field("username"),
        firstname: field("firstname"),
        lastname: field("lastname"),
        email: field("email"),
        telephone: field("telephone"),
        timezone: field("timezone"),
        summary: field("summary"),
        address: entered_address(&visit.params),
        has_image: false,
    };
    let (title, kind) = if id == 0 { ("Register", "register") } else { ("Edit profile", "profile") };
    let what = Page { message: Some(Message::FormWrong), ..Page::new(title, kind, kind) };
    reply::again(site, visit, response, &what, |html| user_form::content(html, &entered, wrong, &visit.token))
}
