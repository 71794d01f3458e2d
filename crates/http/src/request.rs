//! A complete request, as an application sees it.

use form_urlencoded::Parse;

use crate::{Cookies, Headers, Method, Multipart, MultipartError, Version};

/// A complete request; everything in it borrows the bytes that were received.
///
/// ```
/// use loadstone_http::{Headers, Method, Request};
/// let mut request = Request::new(Method::Get, "/events?page=2&tag=jazz%20rock");
/// request.headers = Headers::new(b"Cookie: sid=42\r\n");
/// assert_eq!(request.path, "/events");
/// assert_eq!(request.query_pairs().last().unwrap().1, "jazz rock");
/// assert_eq!(request.cookie("sid"), Some("42"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The method.
    pub method: Method,
    /// The target as received: `/path?query`, `http://host/path?query` or `*`.
    pub target: &'a str,
    /// Path of the target, still percent-encoded; `/` when the target has none.
    pub path: &'a str,
    /// What follows `?`, still percent-encoded; empty when there is none.
    pub query: &'a str,
    /// The protocol version.
    pub version: Version,
    /// The header fields.
    pub headers: Headers<'a>,
    /// The body, whole and without its transfer coding.
    pub body: &'a [u8],
}

impl<'a> Request<'a> {
    /// An HTTP/1.1 request without header fields and body.
    pub fn new(method: Method, target: &'a str) -> Self {
        let (path, query) = split_target(target);
        let (version, headers, body) = (Version::Http11, Headers::default(), &[][..]);
        Self { method, target, path, query, version, headers, body }
    }

    /// First value of a header field, in any letter case.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.headers.get(name)
    }

    /// Value of the first cookie of this name; names are case-sensitive.
    pub fn cookie(&self, name: &str) -> Option<&'a str> {
        self.cookies().find(|(found, _)| *found == name).map(|(_, value)| value)
    }

    /// Name and value of every cookie, in order.
    pub fn cookies(&self) -> Cookies<'a> {
        Cookies::new(self.header("cookie").unwrap_or(""))
    }

    /// The media type of the body without its parameters, e.g. `multipart/form-data`.
    pub fn content_type(&self) -> Option<&'a str> {
        self.header("content-type").map(|value| value.split(';').next().unwrap_or("").trim_ascii())
    }

    /// Whether there is a field `If-…`: the client wants the answer under a condition.
    pub fn is_conditional(&self) -> bool {
        let named = |name: &[u8]| name.len() > 3 && name[2] == b'-' && name[..2].eq_ignore_ascii_case(b"if");
        self.headers.iter().any(|(name, _)| named(name))
    }

    /// Whether the client would rather have, or as well, gzip than the plain content (`Accept-Encoding`).
    pub fn accepts_gzip(&self) -> bool {
        crate::encoding::accepts_gzip(&self.headers)
    }

    /// Names and values of the query, decoded: borrowed when nothing had to be, U+FFFD for what is no UTF-8.
    pub fn query_pairs(&self) -> Parse<'a> {
        form_urlencoded::parse(self.query.as_bytes())
    }

    /// Names and values of an `application/x-www-form-urlencoded` body, decoded; nothing when the
    /// body is of another type.
    pub fn form_pairs(&self) -> Parse<'a> {
        let form =
            self.content_type().is_some_and(|t| t.eq_ignore_ascii_case("application/x-www-form-urlencoded"));
        form_urlencoded::parse(if form { self.body } else { &[] })
    }

    /// The parts of a `multipart/form-data` body.
    ///
    /// # Errors
    /// [`MultipartError::NotMultipart`] when the content type is another or names no boundary.
    pub fn multipart(&self) -> Result<Multipart<'a>, MultipartError> {
        Multipart::new(self.header("content-type").unwrap_or(""), self.body)
    }

    /// Whether the client wants the connection kept after the response (RFC 9112 §9.3).
    pub fn keep_alive(&self) -> bool {
        keep_alive(self.version, &self.headers)
    }
}

/// RFC 9112 §9.3: `close` wins, then the version decides, HTTP/1.0 needs an explicit `keep-alive`.
pub(crate) fn keep_alive(version: Version, headers: &Headers<'_>) -> bool {
    match (headers.get_bytes("connection"), version) {
        (None, version) => version == Version::Http11,
        (Some(_), _) if headers.lists("connection", "close") => false,
        (Some(_), Version::Http11) => true,
        (Some(_), Version::Http10) => headers.lists("connection", "keep-alive"),
    }
}

/// Path and query of a target in origin, absolute or asterisk form (RFC 9112 §3.2).
fn split_target(target: &str) -> (&str, &str) {
    let rest = if target.starts_with('/') {
        target
    } else if let Some((_, authority)) = split_scheme(target) {
        authority.find(['/', '?']).and_then(|start| authority.get(start..)).unwrap_or("")
    } else {
        target
    };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    (if path.is_empty() { "/" } else { path }, query)
}

/// Scheme of an absolute target, and what follows `://`. A search for a text would bring a search engine into
/// an image, a slice of a text what describes text in a panic.
pub(crate) fn split_scheme(target: &str) -> Option<(&str, &str)> {
    let end = target.as_bytes().windows(3).position(|window| window == b"://")?;
    Some((target.get(..end)?, target.get(end + 3..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(headers: &'static [u8]) -> Request<'static> {
        Request { headers: Headers::new(headers), ..Request::new(Method::Get, "/") }
    }

    #[test]
    fn targets_split_into_path_and_query() {
        for (target, path, query) in [
            ("/", "/", ""),
            ("/a/b?c=d?e", "/a/b", "c=d?e"),
            ("http://h:80/a?b", "/a", "b"),
            ("http://h", "/", ""),
            ("http://h?q", "/", "q"),
            ("/x?u=http://y/z", "/x", "u=http://y/z"),
            ("*", "*", ""),
        ] {
            let request = Request::new(Method::Get, target);
            assert_eq!((request.path, request.query), (path, query), "{target}");
        }
    }

    #[test]
    fn persistence_follows_version_and_connection() {
        assert!(with(b"").keep_alive());
        assert!(!with(b"Connection: Close\r\n").keep_alive());
        assert!(!with(b"Connection: keep-alive, close\r\n").keep_alive());
        let old = Request { version: Version::Http10, ..with(b"") };
        assert!(!old.keep_alive());
        assert!(Request { version: Version::Http10, ..with(b"Connection: keep-alive\r\n") }.keep_alive());
    }

    #[test]
    fn a_form_is_read_only_from_a_form_body() {
        let mut request = with(b"Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\n");
        request.body = b"a=1&b=x+y";
        assert_eq!(request.form_pairs().count(), 2);
        request.headers = Headers::new(b"Content-Type: text/plain\r\n");
        assert_eq!(request.form_pairs().count(), 0);
    }
}
