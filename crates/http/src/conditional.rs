//! Requests that want an answer only if it differs from what the client has (RFC 9110 §13).

use crate::{Headers, Method, Request, parse_date};

/// What tells one state of a resource from another.
///
/// ```
/// use loadstone_http::{Headers, Method, Request, Validators, Verdict};
/// let page = Validators { etag: Some("\"v2\""), modified_s: None };
/// let mut request = Request::new(Method::Get, "/");
/// request.headers = Headers::new(b"If-None-Match: \"v1\", W/\"v2\"\r\n");
/// assert_eq!(page.judge(&request), Verdict::NotModified);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Validators<'a> {
    /// The entity tag with its quotes, and `W/` before them when it is weak.
    pub etag: Option<&'a str>,
    /// The time of the last change, seconds since 1970 UTC.
    pub modified_s: Option<u64>,
}

/// What the preconditions of a request come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// They hold, or there are none: answer as ever.
    Proceed,
    /// The client has this state already: 304, without the content.
    NotModified,
    /// The resource is not in the state that the client wants to act on: 412.
    Failed,
}

impl Validators<'_> {
    /// Judges the preconditions of `request` on a resource that exists, in the order of §13.2.2. Of a date
    /// that cannot be read the field counts as absent.
    pub fn judge(&self, request: &Request<'_>) -> Verdict {
        let fields = &request.headers;
        if !request.is_conditional() {
            return Verdict::Proceed;
        }
        let date = |name| fields.get(name).and_then(parse_date).zip(self.modified_s);
        let reads = matches!(request.method, Method::Get | Method::Head);
        if let Some(found) = self.is_listed(fields, "if-match", strongly_equal) {
            if !found {
                return Verdict::Failed;
            }
        } else if date("if-unmodified-since").is_some_and(|(since, modified)| modified > since) {
            return Verdict::Failed;
        }
        if let Some(found) = self.is_listed(fields, "if-none-match", weakly_equal) {
            return match (found, reads) {
                (false, _) => Verdict::Proceed,
                (true, true) => Verdict::NotModified,
                (true, false) => Verdict::Failed,
            };
        }
        if reads && date("if-modified-since").is_some_and(|(since, modified)| modified <= since) {
            return Verdict::NotModified;
        }
        Verdict::Proceed
    }

    /// Whether `If-Range` lets the request have a part (§13.1.5): the client's validator must be strong and
    /// the present one.
    pub fn allow_range(&self, request: &Request<'_>) -> bool {
        let Some(value) = request.headers.get_bytes("if-range") else { return true };
        let strong = self.etag.is_none_or(|tag| !tag.starts_with("W/"));
        match EntityTags(value).next() {
            Some(tag) => self.etag.is_some_and(|own| strongly_equal(tag, own.as_bytes())),
            None => {
                // What changes twice in a second has one date for two states: its tag is weak then.
                let date = core::str::from_utf8(value).ok().and_then(parse_date);
                strong && date.is_some() && date == self.modified_s
            }
        }
    }

    /// Whether the field lists this state's tag, or `*`; none when there is no such field.
    fn is_listed(&self, fields: &Headers<'_>, name: &str, equal: fn(&[u8], &[u8]) -> bool) -> Option<bool> {
        let own = self.etag.map(str::as_bytes);
        let mut values = fields.all(name).peekable();
        values.peek()?;
        Some(values.any(|value| {
            value == b"*" || own.is_some_and(|own| EntityTags(value).any(|tag| equal(tag, own)))
        }))
    }
}

/// The entity tags of a list, up to the first thing that is none. They may hold commas.
struct EntityTags<'a>(&'a [u8]);

impl<'a> Iterator for EntityTags<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let list = self.0.trim_ascii_start();
        // Empty elements are to be skipped (§5.6.1).
        let skipped = list.iter().position(|byte| !matches!(byte, b',' | b' ' | b'\t'))?;
        let list = &list[skipped..];
        let opening = if list.starts_with(b"W/") { 2 } else { 0 };
        self.0 = &[];
        if list.get(opening) != Some(&b'"') {
            return None;
        }
        let closing = opening + 1 + list[opening + 1..].iter().position(|&byte| byte == b'"')?;
        let (tag, rest) = list.split_at(closing + 1);
        if tag.iter().any(|&byte| byte < 0x21 && byte != b' ' || byte == 0x7f) {
            return None;
        }
        self.0 = rest;
        Some(tag)
    }
}

fn opaque(tag: &[u8]) -> &[u8] {
    tag.strip_prefix(b"W/").unwrap_or(tag)
}

fn weakly_equal(one: &[u8], other: &[u8]) -> bool {
    opaque(one) == opaque(other)
}

fn strongly_equal(one: &[u8], other: &[u8]) -> bool {
    one == other && !one.starts_with(b"W/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Failed, NotModified, Proceed};

    const MODIFIED: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
    const LATER: &str = "Sun, 06 Nov 1994 08:49:38 GMT";
    const EARLIER: &str = "Sun, 06 Nov 1994 08:49:36 GMT";
    const PAGE: Validators<'static> = Validators { etag: Some("\"a,b\""), modified_s: Some(784_111_777) };

    fn judge(method: Method, fields: &str) -> Verdict {
        PAGE.judge(&Request { headers: Headers::new(fields.as_bytes()), ..Request::new(method, "/") })
    }

    fn line(name: &str, value: &str) -> alloc::string::String {
        alloc::format!("{name}: {value}\r\n")
    }

    #[test]
    fn tags_decide() {
        for (name, value, get, put) in [
            ("If-None-Match", "\"a,b\"", NotModified, Failed),
            ("if-none-match", "\"x\" ,, W/\"a,b\"", NotModified, Failed),
            ("If-None-Match", "*", NotModified, Failed),
            ("If-None-Match", "\"a\", \"b\"", Proceed, Proceed),
            ("If-None-Match", "a,b", Proceed, Proceed),
            ("If-None-Match", "\"a,b", Proceed, Proceed),
            ("If-Match", "\"a,b\"", Proceed, Proceed),
            ("If-Match", "*", Proceed, Proceed),
            ("If-Match", "W/\"a,b\"", Failed, Failed),
            ("If-Match", "\"x\"", Failed, Failed),
            ("If-Match", "", Failed, Failed),
        ] {
            let fields = line(name, value);
            assert_eq!((judge(Method::Get, &fields), judge(Method::Put, &fields)), (get, put), "{fields}");
        }
    }

    #[test]
    fn dates_decide_where_there_is_no_tag() {
        for (name, date, get) in [
            ("If-Modified-Since", MODIFIED, NotModified),
            ("If-Modified-Since", LATER, NotModified),
            ("If-Modified-Since", EARLIER, Proceed),
            ("If-Modified-Since", "yesterday", Proceed),
            ("If-Unmodified-Since", MODIFIED, Proceed),
            ("If-Unmodified-Since", EARLIER, Failed),
            ("If-Unmodified-Since", "yesterday", Proceed),
        ] {
            assert_eq!(judge(Method::Head, &line(name, date)), get, "{name} {date}");
        }
        assert_eq!(judge(Method::Post, &line("If-Modified-Since", MODIFIED)), Proceed);
    }

    #[test]
    fn precedence_is_that_of_the_standard() {
        let two = |a: &str, b: &str| alloc::format!("{a}{b}");
        let known = line("If-None-Match", "\"a,b\"");
        let other = line("If-None-Match", "\"x\"");
        assert_eq!(judge(Method::Get, &two(&other, &line("If-Modified-Since", LATER))), Proceed);
        assert_eq!(judge(Method::Get, &two(&line("If-Match", "\"a,b\""), &known)), NotModified);
        assert_eq!(judge(Method::Get, &two(&line("If-Match", "\"x\""), &known)), Failed);
        let stale = line("If-Unmodified-Since", EARLIER);
        assert_eq!(judge(Method::Get, &two(&line("If-Match", "*"), &stale)), Proceed);
        assert_eq!(judge(Method::Get, &two(&stale, &known)), Failed);
        assert_eq!(judge(Method::Get, &two(&other, &known)), NotModified, "both lines are one list");
    }

    #[test]
    fn a_part_is_given_of_the_same_state_only() {
        let allows = |validators: Validators<'_>, value: &str| {
            let fields = line("If-Range", value);
            let request =
                Request { headers: Headers::new(fields.as_bytes()), ..Request::new(Method::Get, "/") };
            validators.allow_range(&request)
        };
        for (value, allowed) in [
            ("\"a,b\"", true),
            ("W/\"a,b\"", false),
            ("\"x\"", false),
            (MODIFIED, true),
            (LATER, false),
            (EARLIER, false),
            ("", false),
        ] {
            assert_eq!(allows(PAGE, value), allowed, "{value}");
        }
        let young = Validators { etag: Some("W/\"a\""), ..PAGE };
        assert!(!allows(young, MODIFIED) && !allows(young, "W/\"a\""));
        assert!(PAGE.allow_range(&Request::new(Method::Get, "/")));
    }
}
