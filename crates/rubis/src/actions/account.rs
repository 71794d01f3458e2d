//! Registering, logging in and out, and all that is one's own.

use alloc::string::ToString;

use loadstone_http::Response;
use loadstone_web::check::Complaints;
use loadstone_web::params::Params;
use loadstone_web::password::{self, SALT_BYTES};

use crate::data::{catalogue, comments, items, users};
use crate::failure::Failure;
use crate::model::Viewer;
use crate::page::about::{self as own, About};
use crate::page::auth::{self, Auth};
use crate::page::forms::{self, Form};
use crate::page::{done, home};
use crate::reply::page;
use crate::site::Site;
use crate::visit::{Visit, Who};

/// The log-in form before something.
pub(super) fn ask(
    site: &Site,
    visit: &Visit<'_>,
    response: &mut Response,
    (title, kind): (&str, &'static str),
    action: &str,
) {
    let auth = Auth { title, action, nickname: "", trouble: None };
    page(site, visit, response, (title, kind), |html| {
        auth::form(html, &auth, visit.viewer.as_ref(), &visit.token);
    });
}

/// Who sent the log-in form; none when it was answered with the form again.
pub(super) fn identify(
    site: &Site,
    visit: &mut Visit<'_>,
    response: &mut Response,
    (title, kind): (&str, &'static str),
    action: &str,
) -> Result<Option<Viewer>, Failure> {
    let (status, wait_s, trouble) = match visit.identify(site)? {
        Who::Is(viewer) => return Ok(Some(viewer)),
        Who::Nobody => (422, None, "this nickname and password do not belong together."),
        Who::TooManyTries(wait_s) => {
            (429, Some(wait_s), "too many wrong passwords were tried. Please wait some minutes.")
        }
    };
    let auth = Auth { title, action, nickname: visit.params.get("nickname"), trouble: Some(trouble) };
    page(site, visit, response, (title, kind), |html| {
        auth::form(html, &auth, visit.viewer.as_ref(), &visit.token);
    });
    response.status(status);
    if let Some(wait_s) = wait_s {
        response.header("Retry-After", wait_s.to_string());
    }
    Ok(None)
}

/// Who is logged in, where the form that was sent needs somebody.
pub(super) fn needs(visit: &Visit<'_>) -> Result<Viewer, Failure> {
    visit.viewer.clone().ok_or_else(|| Failure::refused("you are not logged in any more."))
}

pub(super) fn register_form(site: &Site, visit: &Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    show_register(site, visit, response, &Params::default(), &Complaints::new())
}

pub(super) fn register(site: &Site, visit: &mut Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    let outcome = new_user(site, &visit.params)?;
    match outcome {
        Ok(viewer) => {
            visit.log_in(site, viewer.clone());
            page(site, visit, response, ("Registered", "RegisterUser"), |html| {
                done::registered(html, &viewer);
            });
        }
        Err(wrong) => {
            show_register(site, visit, response, &visit.params, &wrong)?;
            response.status(422);
        }
    }
    Ok(())
}

fn new_user(site: &Site, params: &Params<'_>) -> Result<Result<Viewer, Complaints>, Failure> {
    let (user, password) = match crate::validate::user(params) {
        Ok(checked) => checked,
        Err(wrong) => return Ok(Err(wrong)),
    };
    if catalogue::region(&site.db, user.region)?.is_none() {
        return Ok(Err([("region", "Please choose a region.".into())].into()));
    }
    let mut salt = [0; SALT_BYTES];
    site.host.entropy(&mut salt);
    let stored = password::hash(site.options.passwords(), &password, &salt);
    Ok(match users::add(&site.db, &user, &stored, site.now())? {
        Some(id) => Ok(Viewer { id, nickname: user.nickname }),
        None => Err([("nickname", "Somebody has this nickname already.".into())].into()),
    })
}

fn show_register(
    site: &Site,
    visit: &Visit<'_>,
    response: &mut Response,
    params: &Params<'_>,
    wrong: &Complaints,
) -> Result<(), Failure> {
    let regions = catalogue::regions(&site.db)?;
    page(site, visit, response, ("Register", "Register"), |html| {
        forms::register(html, &Form { params, wrong, token: &visit.token }, &regions);
    });
    Ok(())
}

pub(super) fn logout(site: &Site, visit: &mut Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    visit.log_out(site)?;
    page(site, visit, response, ("Home", "Home"), home::home);
    Ok(())
}

pub(super) fn about_auth(site: &Site, visit: &Visit<'_>, response: &mut Response) {
    ask(site, visit, response, ("About me", "AboutMeAuth"), "/me");
}

pub(super) fn about(site: &Site, visit: &mut Visit<'_>, response: &mut Response) -> Result<(), Failure> {
    let Some(viewer) = identify(site, visit, response, ("About me", "AboutMeAuth"), "/me")? else {
        return Ok(());
    };
    let (db, id) = (&site.db, viewer.id);
    let _snapshot = db.snapshot()?;
    let about = About {
        user: super::browse::find_user(site, id)?,
        bidding: items::bidding(db, id)?,
        won: items::won(db, id)?,
        bought: items::bought(db, id)?,
        selling: items::selling(db, id)?,
        sold: items::sold(db, id)?,
        comments: comments::about(db, id, 1)?,
    };
    page(site, visit, response, ("About me", "AboutMe"), |html| own::me(html, &about, site.now()));
    Ok(())
}
