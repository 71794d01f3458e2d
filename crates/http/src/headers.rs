//! Header fields, read where they were received.

use memchr::{memchr, memchr2};

/// The field lines of a message: `Name: value` lines, each ending in CRLF, without the empty line.
///
/// A lookup scans the lines; with the few dozen fields of a real message that costs less than
/// building an index for every message would.
///
/// ```
/// use loadstone_http::Headers;
/// let headers = Headers::new(b"Host: a.example\r\nAccept: text/html\r\n");
/// assert_eq!(headers.get("accept"), Some("text/html"));
/// assert_eq!(headers.get("cookie"), None);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Headers<'a> {
    lines: &'a [u8],
}

impl<'a> Headers<'a> {
    /// The fields in `lines`. Lines that are not `name: value` are skipped by every lookup; the
    /// codecs refuse them before they get here.
    pub const fn new(lines: &'a [u8]) -> Self {
        Self { lines }
    }

    /// First value of the field, in any letter case. A value that is not UTF-8 counts as absent.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.get_bytes(name).and_then(|value| core::str::from_utf8(value).ok())
    }

    /// First value of the field as raw bytes.
    pub fn get_bytes(&self, name: &str) -> Option<&'a [u8]> {
        self.all(name).next()
    }

    /// Every value of the field, in order (`Set-Cookie` comes once per cookie).
    pub fn all<'n>(&self, name: &'n str) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
        self.iter()
            .filter(move |(field, _)| field.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| value)
    }

    /// Whether the field lists `token`, as `Connection: keep-alive, upgrade` lists `upgrade`.
    pub fn lists(&self, name: &str, token: &str) -> bool {
        self.all(name)
            .flat_map(|value| value.split(|&byte| byte == b','))
            .any(|item| item.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
    }

    /// Name and value of every field, in order, without the white space around the value.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let mut rest = self.lines;
        core::iter::from_fn(move || {
            while !rest.is_empty() {
                let end = memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
                let (line, after) = rest.split_at(end);
                rest = after;
                // One pass over the name: a line whose first of ':' and LF is not ':' is no field.
                if let Some(colon) = memchr2(b':', b'\n', line).filter(|&at| line[at] == b':') {
                    return Some((&line[..colon], line[colon + 1..].trim_ascii()));
                }
            }
            None
        })
    }

    /// The field lines as received.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.lines
    }
}

impl core::fmt::Debug for Headers<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_map()
            .entries(self.iter().map(|(name, value)| {
                (alloc::string::String::from_utf8_lossy(name), alloc::string::String::from_utf8_lossy(value))
            }))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn lookup_ignores_case_and_white_space() {
        let headers = Headers::new(b"HOST:a\r\nX-Empty:\r\nEtag: \t\"x\" \r\n");
        assert_eq!(headers.get("host"), Some("a"));
        assert_eq!(headers.get("x-empty"), Some(""));
        assert_eq!(headers.get("ETag"), Some("\"x\""));
        assert_eq!(headers.get("ost"), None);
    }

    #[test]
    fn repeated_fields_keep_their_order() {
        let headers = Headers::new(b"Set-Cookie: a=1\r\nX: y\r\nset-cookie: b=2\r\n");
        let all: Vec<_> = headers.all("Set-Cookie").collect();
        assert_eq!(all, [b"a=1", b"b=2"]);
    }

    #[test]
    fn tokens_are_found_in_lists_over_several_lines() {
        let headers = Headers::new(b"Connection: Keep-Alive , TE\r\nConnection: close\r\n");
        assert!(headers.lists("connection", "te"));
        assert!(headers.lists("connection", "close"));
        assert!(!headers.lists("connection", "keep"));
    }

    #[test]
    fn values_that_are_not_utf8_are_absent_as_text() {
        let headers = Headers::new(b"X: \xff\r\n");
        assert_eq!(headers.get("x"), None);
        assert_eq!(headers.get_bytes("x"), Some(&b"\xff"[..]));
    }
}
