//! The site's files: a style sheet and three pictures.

use alloc::format;

use loadstone_http::{Method, Request, Response};
use loadstone_web::files::{StaticFile, send};

use crate::failure::Failure;

/// Where static files stand.
pub(crate) const PREFIX: &str = "/static/";
/// They change with the program: an hour without asking, then by entity tag.
const CACHE: &str = "public, max-age=3600";
const SVG: &str = "image/svg+xml";

/// Every static file, in memory.
pub(crate) struct Statics([StaticFile; 4]);

impl Statics {
    pub(crate) fn new() -> Self {
        let file =
            |name: &str, kind, text: &str| StaticFile::new(format!("{PREFIX}{name}"), kind, text.as_bytes());
        Self([
            file("style.css", "text/css; charset=utf-8", include_str!("statics/style.css")),
            file("hammer.svg", SVG, include_str!("statics/hammer.svg")),
            file("search.svg", SVG, include_str!("statics/search.svg")),
            file("tag.svg", SVG, include_str!("statics/tag.svg")),
        ])
    }

    /// Answers a request for a file; `None` when the path is of something else.
    pub(crate) fn answer(
        &self,
        request: &Request<'_>,
        response: &mut Response,
    ) -> Option<Result<(), Failure>> {
        // Browsers ask for this name unasked.
        let path = if request.path == "/favicon.ico" { "/static/hammer.svg" } else { request.path };
        if !path.starts_with(PREFIX) {
            return None;
        }
        if !matches!(request.method, Method::Get | Method::Head) {
            return Some(Err(Failure::MethodNotAllowed("GET, HEAD")));
        }
        let Some(file) = self.0.iter().find(|file| file.path == path) else {
            return Some(Err(Failure::NotFound));
        };
        response.header("Cache-Control", CACHE);
        send(request, response, &file.etag, None, (file.content_type, file.bytes.clone().into()));
        Some(Ok(()))
    }
}
