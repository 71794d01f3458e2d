//! Files that a site sends: conditional requests, and the fields of everything that a browser might guess about.

use alloc::string::String;
use alloc::sync::Arc;

use loadstone_http::{Body, Request, Response};

/// A static file, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaticFile {
    /// Its path.
    pub path: String,
    /// Its content.
    pub bytes: Arc<[u8]>,
    /// Its media type.
    pub content_type: &'static str,
    /// Its entity tag, with quotes.
    pub etag: String,
}

impl StaticFile {
    /// A file with the entity tag of its content.
    pub fn new(path: String, content_type: &'static str, bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        let etag = alloc::format!("\"{:016x}\"", fingerprint(&bytes));
        Self { path, bytes, content_type, etag }
    }
}

/// Sends a file, or says that the client's copy is still the file.
pub fn send(
    request: &Request<'_>,
    response: &mut Response,
    etag: &str,
    modified: Option<&str>,
    (content_type, body): (&str, Body),
) {
    response.header("ETag", etag);
    if let Some(date) = modified {
        response.header("Last-Modified", date);
    }
    safe_fields(response);
    if is_current(request, etag, modified) {
        response.status(304);
    } else {
        response.content(content_type, body);
    }
}

/// The fields of everything that a browser might try to guess about.
pub fn safe_fields(response: &mut Response) {
    response.header("X-Content-Type-Options", "nosniff").header("Referrer-Policy", "same-origin");
}

/// A 64-bit fingerprint (FNV-1a): tells versions of a file apart; forging one gains nothing.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Whether the client's copy is still the file (RFC 9110 §13.2.2: tags decide; without them the date does, where
/// there is one).
fn is_current(request: &Request<'_>, etag: &str, modified: Option<&str>) -> bool {
    if let Some(tags) = request.header("if-none-match") {
        return tags.split(',').map(str::trim).any(|tag| tag == "*" || tag.trim_start_matches("W/") == etag);
    }
    modified.is_some() && request.header("if-modified-since") == modified
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn the_fingerprint_is_fnv1a() {
        assert_eq!(fingerprint(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
