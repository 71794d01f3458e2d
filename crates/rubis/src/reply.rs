//! Responses: pages, refusals and errors, with the header fields that each of them needs.

use loadstone_http::{Request, Response};
use loadstone_web::files::safe_fields;
use loadstone_web::html::Html;

use crate::failure::Failure;
use crate::page::layout::{self, Frame};
use crate::page::trouble;
use crate::site::Site;
use crate::visit::Visit;

/// Only what this site serves itself, and no scripts.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

/// Answers with a page; `kind` is the state's name in the transition tables.
pub(crate) fn page(
    site: &Site,
    visit: &Visit<'_>,
    response: &mut Response,
    (title, kind): (&str, &'static str),
    content: impl FnOnce(&mut Html),
) {
    let mut html = Html::new(core::mem::take(response.buffer()));
    let viewer = visit.viewer.as_ref();
    let frame = Frame { title, kind, viewer, token: &visit.token, now: site.now() };
    layout::page(&mut html, &frame, content);
    response.html(html.into_bytes());
    safe_fields(response);
    response.header("Cache-Control", "no-store").header("Content-Security-Policy", POLICY);
    visit.cookies(site, response);
}

/// Answers with the page for what did not work.
pub(crate) fn failure(site: &Site, request: &Request<'_>, response: &mut Response, failure: &Failure) {
    if let Failure::MethodNotAllowed(allowed) = failure {
        response.header("Allow", allowed);
    }
    let visit = Visit::failed(site, request);
    let status = failure.status();
    match failure {
        Failure::Sorry(_, sentence) => {
            page(site, &visit, response, ("Not possible", "sorry"), |html| trouble::sorry(html, sentence));
        }
        _ => {
            let (title, sentence) = trouble::words(status);
            page(site, &visit, response, (title, "error"), |html| trouble::error(html, title, sentence));
        }
    }
    response.status(status);
}
