//! Logging in and out.

use alloc::string::ToString;

use loadstone_http::{Response, SetCookie};
use loadstone_web::attempts::Attempt;
use loadstone_web::password;

use crate::data::{people, sessions};
use crate::failure::Failure;
use crate::message::Message;
use crate::page::login;
use crate::reply::{self, Page};
use crate::site::{Site, fresh_session};
use crate::visit::{KNOWN, SESSION, Visit};

/// How long a browser is known after a log-in: a year.
const KNOWN_S: i64 = 365 * 24 * 3600;

/// The log-in page.
pub(super) fn form(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    reply::page(site, visit, response, &Page::new("Login", "login", "login"), |html| {
        login::content(html, "", &visit.token);
        Ok(())
    })
}

/// Checks name and password and begins a session, under an id that nobody could have known before.
pub(super) fn login(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    let username = visit.params.get("username");
    let attempt = match begin(site, visit, username) {
        Ok(attempt) => attempt,
        Err(wait_s) => {
            again(site, visit, username, Message::LoginLater, response)?;
            response.status(429).header("Retry-After", wait_s.to_string());
            return Ok(());
        }
    };
    let found = people::credentials(&site.db, username)?;
    let stored = found.as_ref().map(|(_, stored)| stored.as_str());
    let is_right = password::check(site.options.passwords(), stored, visit.params.raw("password"));
    let Some((user, _)) = found.filter(|_| is_right) else {
        return again(site, visit, username, Message::LoginWrong, response);
    };
    let session = fresh_session(&*site.host);
    let old = visit.viewer.as_ref().map(|_| visit.session.as_str());
    sessions::replace(&site.db, old, &session, user, site.host.now_s(), site.today)?;
    reply::redirect(site, response, "/", Message::LoggedIn);
    response.status(302);
    reply::session_cookie(site, response, &session);
    if let Some((attempts, attempt)) = site.attempts.as_ref().zip(attempt) {
        attempts.succeeded(&attempt);
        let proof = attempts.proof(username);
        let known = site.options.origin.cookie(KNOWN, &proof);
        response.set_cookie(&SetCookie { max_age_s: Some(KNOWN_S), ..known });
    }
    Ok(())
}

/// Counts a try where tries are counted; else the seconds to wait.
fn begin(site: &Site, visit: &Visit<'_>, username: &str) -> Result<Option<Attempt>, u64> {
    let Some(attempts) = &site.attempts else { return Ok(None) };
    attempts.begin(username, visit.request.cookie(KNOWN), site.host.now_s()).map(Some)
}

/// The form once more.
fn again(
    site: &Site,
    visit: &Visit<'_>,
    username: &str,
    message: Message,
    response: &mut Response,
) -> Result<(), Failure> {
    let what = Page { message: Some(message), ..Page::new("Login", "login", "login") };
    reply::again(site, visit, response, &what, |html| login::content(html, username, &visit.token))
}

/// Ends the session. A GET, as in Olio: being logged out by another site is a nuisance, not a harm.
pub(super) fn logout(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    if visit.viewer.is_some() {
        sessions::end(&site.db, &visit.session)?;
    }
    reply::redirect(site, response, "/", Message::LoggedOut);
    response.status(302);
    response.set_cookie(&site.options.origin.no_cookie(SESSION));
    Ok(())
}
