//! Static files, pictures and documents.

use alloc::format;

use loadstone_http::{Method, Request, Response};
use loadstone_web::files::send;

use crate::failure::Failure;
use crate::host;
use crate::media::MediaFile;
use crate::site::Site;
use crate::statics::{LAST_MODIFIED, PREFIX};

/// Static files change with the program: an hour without asking, then by entity tag.
const STATIC_CACHE: &str = "public, max-age=3600";
/// Pictures can be replaced at any time, and who has just done so wants to see it: kept, but asked for.
const MEDIA_CACHE: &str = "public, no-cache";

/// Answers a request for a file; `None` when the path is of something else.
pub(crate) fn answer(
    site: &Site,
    request: &Request<'_>,
    response: &mut Response,
) -> Option<Result<(), Failure>> {
    // Browsers ask for this name unasked; the pages refer to the static files and to nothing else.
    let path = if request.path == "/favicon.ico" { "/static/brand.png" } else { request.path };
    let media = path.strip_prefix("/media/");
    if media.is_none() && !path.starts_with(PREFIX) {
        return None;
    }
    if !matches!(request.method, Method::Get | Method::Head) {
        return Some(Err(Failure::MethodNotAllowed("GET, HEAD")));
    }
    Some(match media {
        Some(name) => send_media(site, request, response, name),
        None => send_static(site, request, response, path),
    })
}

fn send_static(
    site: &Site,
    request: &Request<'_>,
    response: &mut Response,
    path: &str,
) -> Result<(), Failure> {
    let file = site.statics.get(path).ok_or(Failure::NotFound)?;
    response.header("Cache-Control", STATIC_CACHE);
    send(request, response, &file.etag, Some(LAST_MODIFIED), (file.content_type, file.bytes.clone().into()));
    Ok(())
}

fn send_media(
    site: &Site,
    request: &Request<'_>,
    response: &mut Response,
    name: &str,
) -> Result<(), Failure> {
    let file = site.media.get(name)?.ok_or(Failure::NotFound)?;
    let MediaFile { bytes, rest, content_type, etag, is_upload } = file;
    response.header("Cache-Control", MEDIA_CACHE);
    // They come from people: should one be opened as a page, it may do nothing. A document is saved, because
    // viewers inside browsers do not work under that rule.
    response.header("Content-Security-Policy", "default-src 'none'; sandbox");
    if content_type == "application/pdf" {
        response.header("Content-Disposition", format!("attachment; filename=\"{name}\""));
    }
    let modified = (!is_upload).then_some(LAST_MODIFIED);
    send(request, response, &etag, modified, (content_type, host::body(bytes, rest)));
    Ok(())
}
