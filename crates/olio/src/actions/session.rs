//! Logging in and out.

use loadstone_http::{Response, SetCookie};
use loadstone_web::password;

use crate::data::{people, sessions};
use crate::failure::Failure;
use crate::message::Message;
use crate::page::login;
use crate::reply::{self, Page};
use crate::site::{Site, fresh_session};
use crate::visit::{SESSION, Visit};

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
    let password = visit.params.raw("password");
    let found = people::credentials(&site.db, username)?;
    if found.is_none() {
        // As much work as for a known name, so that the time does not tell whether a name exists.
        core::hint::black_box(password::hash(site.options.passwords, password, &[0; password::SALT_BYTES]));
    }
    let Some((user, _)) = found.filter(|(_, stored)| password::verify(stored, password)) else {
        let what = Page { message: Some(Message::LoginWrong), ..Page::new("Login", "login", "login") };
        return reply::again(site, visit, response, &what, |html| {
            login::content(html, username, &visit.token)
        });
    };
    let session = fresh_session(&*site.host);
    sessions::replace(&site.db, &visit.session, &session, user, site.host.now_s(), site.today)?;
    reply::redirect(response, "/", Message::LoggedIn);
    response.status(302);
    reply::session_cookie(response, &session);
    Ok(())
}

/// Ends the session. A GET, as in Olio: being logged out by another site is a nuisance, not a harm.
pub(super) fn logout(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    if visit.viewer.is_some() {
        sessions::end(&site.db, &visit.session)?;
    }
    reply::redirect(response, "/", Message::LoggedOut);
    response.status(302);
    response.set_cookie(&SetCookie { max_age_s: Some(0), http_only: true, ..SetCookie::new(SESSION, "") });
    Ok(())
}
