//! Responses: pages, fragments, redirects and errors, with the header fields that each of them needs.

use alloc::string::String;

use loadstone_http::{Request, Response, SetCookie};
use loadstone_web::files::safe_fields;
use loadstone_web::html::Html;

use crate::failure::Failure;
use crate::message::Message;
use crate::page::calendar::Month;
use crate::page::error;
use crate::page::layout::{self, Frame};
use crate::site::Site;
use crate::visit::{NOTICE, SESSION, Visit};

/// Only what this site serves itself, no scripts in the markup; style attributes carry the tags' sizes.
const POLICY: &str = "default-src 'none'; style-src 'self'; style-src-attr 'unsafe-inline'; script-src 'self'; \
                      img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A page before it is laid out.
pub(crate) struct Page<'a> {
    /// Title, without the site's name.
    pub title: &'a str,
    /// What kind of page it is.
    pub kind: &'static str,
    /// What exactly it shows.
    pub key: &'a str,
    /// The calendar's month; none: today's.
    pub month: Option<Month>,
    /// A message of this very request; it goes before one that an earlier request left.
    pub message: Option<Message>,
}

impl<'a> Page<'a> {
    /// A page with today's month in the calendar.
    pub(crate) fn new(title: &'a str, kind: &'static str, key: &'a str) -> Self {
        Self { title, kind, key, month: None, message: None }
    }
}

/// Answers with a page whose content `content` writes.
pub(crate) fn page(
    site: &Site,
    visit: &Visit<'_>,
    response: &mut Response,
    what: &Page<'_>,
    content: impl FnOnce(&mut Html) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut html = Html::new(core::mem::take(response.buffer()));
    let outcome = write_page(site, visit, &mut html, what, &visit.token, content);
    response.html(html.into_bytes());
    page_fields(site, visit, response);
    outcome
}

/// Writes a page with a token of choice.
pub(crate) fn write_page(
    site: &Site,
    visit: &Visit<'_>,
    html: &mut Html,
    what: &Page<'_>,
    token: &str,
    content: impl FnOnce(&mut Html) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let frame = Frame {
        title: what.title,
        kind: what.kind,
        key: what.key,
        viewer: visit.viewer.as_ref(),
        token,
        message: what.message.or(visit.notice),
        today: site.today,
        month: what.month.unwrap_or_else(|| Month::of(site.today)),
    };
    let mut outcome = Ok(());
    layout::page(html, &frame, |html| outcome = content(html));
    outcome
}

/// The fields of every page: nobody keeps it, it shows nothing foreign, and its message is spent.
pub(crate) fn page_fields(site: &Site, visit: &Visit<'_>, response: &mut Response) {
    safe_fields(response);
    response.header("Cache-Control", "no-store").header("Content-Security-Policy", POLICY);
    if visit.is_fresh {
        session_cookie(site, response, &visit.session);
    }
    if visit.request.cookie(NOTICE).is_some_and(|code| !code.is_empty()) {
        response.set_cookie(&site.options.origin.no_cookie(NOTICE));
    }
}

/// Gives the browser its session.
pub(crate) fn session_cookie(site: &Site, response: &mut Response, session: &str) {
    response.set_cookie(&site.options.origin.cookie(SESSION, session));
}

/// Answers with a part of a page, for a script.
pub(crate) fn fragment(response: &mut Response, write: impl FnOnce(&mut Html)) {
    let mut html = Html::new(core::mem::take(response.buffer()));
    write(&mut html);
    response.html(html.into_bytes()).header("Cache-Control", "no-store");
    safe_fields(response);
}

/// Sends the browser on by GET (303), with a message for the page that it comes to.
pub(crate) fn redirect(site: &Site, response: &mut Response, location: &str, message: Message) {
    response.redirect(location).header("Cache-Control", "no-store");
    let notice = site.options.origin.cookie(NOTICE, message.code());
    response.set_cookie(&SetCookie { max_age_s: Some(60), ..notice });
}

/// Answers with an error page, or sends somebody who must log in to do so.
pub(crate) fn failure(site: &Site, request: &Request<'_>, response: &mut Response, failure: &Failure) {
    let mut visit = Visit::unread(site, request);
    if matches!(failure, Failure::LoginNeeded) && !visit.wants_fragment {
        redirect(site, response, "/users/login", Message::LoginNeeded);
        return;
    }
    let status = failure.status();
    if let Failure::MethodNotAllowed(allowed) = failure {
        response.header("Allow", allowed);
    }
    if status < 500 {
        // The page should greet its viewer, but an error page must not fail in turn.
        let _ = visit.find_viewer(site);
    }
    let key = alloc::format!("error:{status}");
    let what = Page::new(error::words(status).0, "error", &key);
    let written = page(site, &visit, response, &what, |html| {
        error::content(html, status);
        Ok(())
    });
    debug_assert!(written.is_ok(), "an error page has nothing that can fail");
    response.status(status);
}

/// A form comes back with what was entered and what is wrong with it.
pub(crate) fn again(
    site: &Site,
    visit: &Visit<'_>,
    response: &mut Response,
    what: &Page<'_>,
    content: impl FnOnce(&mut Html),
) -> Result<(), Failure> {
    page(site, visit, response, what, |html| {
        content(html);
        Ok(())
    })?;
    response.status(422);
    Ok(())
}

/// `/events/12`.
pub(crate) fn event_path(id: i64) -> String {
    alloc::format!("/events/{id}")
}

/// `/users/12`.
pub(crate) fn person_path(id: i64) -> String {
    alloc::format!("/users/{id}")
}
