//! Files that a site sends: conditional requests, and the fields of everything that a browser might guess
//! about.

use alloc::string::String;
use alloc::sync::Arc;

use loadstone_http::{Body, Request, Response, Validators, Verdict, parse_date};

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

/// Sends a file, unless the request's conditions say otherwise: the client's copy is still the file, or it
/// wants another.
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
    let verdict = if request.is_conditional() {
        Validators { etag: Some(etag), modified_s: modified.and_then(parse_date) }.judge(request)
    } else {
        Verdict::Proceed
    };
    match verdict {
        Verdict::Proceed => drop(response.content(content_type, body)),
        Verdict::NotModified => drop(response.status(304)),
        Verdict::Failed => drop(response.status(412)),
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

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn the_fingerprint_is_fnv1a() {
        assert_eq!(fingerprint(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
