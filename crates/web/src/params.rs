//! What a request carries: query, form fields and files under one roof.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use loadstone_http::{Method, MultipartError, Request};

/// Most fields of a form with its address; the largest form has some twenty.
const MAX_FIELDS: usize = 256;
/// Most bytes of a field: 2,500 of the widest characters take 10,000. Bounds what comes back in a wrong form.
const MAX_FIELD_BYTES: usize = 16 * 1024;

/// A request whose parameters cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadForm;

impl From<MultipartError> for BadForm {
    fn from(_: MultipartError) -> Self {
        Self
    }
}

/// A file of a multipart form.
#[derive(Debug, Clone, Copy)]
pub struct Upload<'a> {
    /// The bytes; never empty.
    pub data: &'a [u8],
}

/// Decoded parameters. Names are short: `event[title]` and `title` are the same.
#[derive(Debug, Default)]
pub struct Params<'a> {
    fields: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    files: Vec<(Cow<'a, str>, Upload<'a>)>,
}

impl<'a> Params<'a> {
    /// Reads the body's fields before the query's, so that a form cannot be overruled by its address.
    ///
    /// # Errors
    /// [`BadForm`] when a multipart body is broken, when there are too many fields or one is too
    /// long, or when one holds a NUL: no form can send it, and password hashes pad with it.
    pub fn read(request: &Request<'a>) -> Result<Self, BadForm> {
        let mut params = Self::default();
        if !request.body.is_empty() {
            if request.content_type().is_some_and(|t| t.eq_ignore_ascii_case("multipart/form-data")) {
                params.read_multipart(request)?;
            } else {
                params.add_all(request.form_pairs())?;
            }
        }
        params.add_all(request.query_pairs())?;
        Ok(params)
    }

    fn add_all(&mut self, pairs: impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)>) -> Result<(), BadForm> {
        pairs.into_iter().try_for_each(|(name, value)| self.add(name, value))
    }

    fn add(&mut self, name: Cow<'a, str>, value: Cow<'a, str>) -> Result<(), BadForm> {
        let too_much = self.fields.len() == MAX_FIELDS || name.len().max(value.len()) > MAX_FIELD_BYTES;
        if too_much || name.contains('\0') || value.contains('\0') {
            return Err(BadForm);
        }
        self.fields.push((short(name), clean(value)));
        Ok(())
    }

    fn read_multipart(&mut self, request: &Request<'a>) -> Result<(), BadForm> {
        for part in request.multipart()? {
            let part = part?;
            if part.filename.is_none() {
                let text = part.text();
                self.add(part.name, text)?;
            } else if !part.data.is_empty() {
                self.files.push((short(part.name), Upload { data: part.data }));
            }
        }
        Ok(())
    }

    /// First value of a field, without white space around it; empty when there is none.
    pub fn get(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// First value of a field as entered, for passwords; empty when there is none.
    pub fn raw(&self, name: &str) -> &str {
        self.fields.iter().find(|(found, _)| found == name).map_or("", |(_, value)| value)
    }

    /// A whole number in plain digits. None for anything that could be read in two ways: signs, blanks,
    /// separators.
    pub fn whole(&self, name: &str) -> Option<i64> {
        let text = self.get(name);
        let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        text.parse().ok().filter(|_| plain)
    }

    /// A file that was really chosen.
    pub fn file(&self, name: &str) -> Option<Upload<'a>> {
        self.files.iter().find(|(found, _)| found == name).map(|(_, file)| *file)
    }

    /// The method that is meant: a form says PUT and DELETE by POST and a field `_method`.
    pub fn method(&self, sent: Method) -> Method {
        match (sent, self.get("_method")) {
            (Method::Head, _) => Method::Get,
            (Method::Post, meant) if meant.eq_ignore_ascii_case("put") => Method::Put,
            (Method::Post, meant) if meant.eq_ignore_ascii_case("delete") => Method::Delete,
            (sent, _) => sent,
        }
    }

    /// The page of a list: from 1, and 1 when it is not a number.
    pub fn page(&self) -> u32 {
        self.whole("page").map_or(1, |page| page.clamp(1, 100_000) as u32)
    }
}

/// `event[title]` -> `title`; what has no name in brackets stays.
fn short(name: Cow<'_, str>) -> Cow<'_, str> {
    let Some(inner) = name.split_once('[').and_then(|(_, rest)| rest.strip_suffix(']')) else { return name };
    Cow::Owned(String::from(inner))
}

/// Drops what neither HTML nor XML can show: control characters but tab and newline, and the two
/// non-characters of the basic plane. Line ends become a plain newline.
fn clean(value: Cow<'_, str>) -> Cow<'_, str> {
    let bad = |c: char| (c.is_control() && !matches!(c, '\t' | '\n')) || matches!(c, '\u{fffe}' | '\u{ffff}');
    if value.contains(bad) { Cow::Owned(value.chars().filter(|&c| !bad(c)).collect()) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loadstone_http::Headers;

    #[test]
    fn names_lose_their_wrapping_and_bodies_win_over_queries() {
        let mut request = Request::new(Method::Post, "/x?user%5Bname%5D=query&page=7");
        request.headers = Headers::new(b"Content-Type: application/x-www-form-urlencoded\r\n");
        request.body = b"user%5Bname%5D=+body%0D%0A&event%5Bevent_timestamp%281i%29%5D=2008&_method=PUT";
        let params = Params::read(&request).expect("a form");
        assert_eq!((params.get("name"), params.raw("name")), ("body", " body\n"));
        assert_eq!(params.get("event_timestamp(1i)"), "2008");
        assert_eq!((params.page(), params.method(Method::Post)), (7, Method::Put));
        assert_eq!(params.method(Method::Get), Method::Get);
    }

    #[test]
    fn empty_files_do_not_count() {
        let mut request = Request::new(Method::Post, "/x");
        request.headers = Headers::new(b"Content-Type: multipart/form-data; boundary=B\r\n");
        request.body = b"--B\r\nContent-Disposition: form-data; name=\"a\"; filename=\"\"\r\n\r\n\r\n\
            --B\r\nContent-Disposition: form-data; name=\"b\"; filename=\"x\"\r\n\r\nxyz\r\n\
            --B\r\nContent-Disposition: form-data; name=\"user[c]\"\r\n\r\nq\x01r\r\n--B--\r\n";
        let params = Params::read(&request).expect("a multipart form");
        assert!(params.file("a").is_none());
        assert_eq!(params.file("b").map(|file| file.data), Some(&b"xyz"[..]));
        assert_eq!(params.get("c"), "qr");
    }

    #[test]
    fn pages_are_at_least_one() {
        for (query, page) in
            [("page=0", 1), ("page=-3", 1), ("page=2.5", 1), ("", 1), ("page=99999999", 100_000)]
        {
            let target = alloc::format!("/?{query}");
            assert_eq!(
                Params::read(&Request::new(Method::Get, &target)).expect("a query").page(),
                page,
                "{query}"
            );
        }
    }

    #[test]
    fn whole_numbers_are_plain_digits() {
        for (text, number) in [
            ("0", Some(0)),
            ("007", Some(7)),
            ("+12+", Some(12)),
            ("9".repeat(18).as_str(), Some(10_i64.pow(18) - 1)),
        ] {
            let target = alloc::format!("/?n={text}");
            let request = Request::new(Method::Get, &target);
            assert_eq!(Params::read(&request).expect("a query").whole("n"), number, "{text}");
        }
        for text in [
            "",
            "%2B1",
            "-1",
            "1,5",
            "1.0",
            "1+000",
            "1_000",
            "1e3",
            "0x1F",
            "%D9%A3",
            "99999999999999999999",
        ] {
            let target = alloc::format!("/?n={text}");
            let request = Request::new(Method::Get, &target);
            assert_eq!(Params::read(&request).expect("a query").whole("n"), None, "{text}");
        }
    }
}
