//! `application/x-www-form-urlencoded` and percent-encoding (WHATWG URL §5, RFC 3986 §2.1).

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Names and values of a query or form body, decoded; borrowed when nothing had to be decoded.
///
/// ```
/// use loadstone_http::FormPairs;
/// let pairs: Vec<_> = FormPairs::new(b"a=1&b=x+y%21&c").collect();
/// assert_eq!(pairs, [("a".into(), "1".into()), ("b".into(), "x y!".into()), ("c".into(), "".into())]);
/// ```
#[derive(Debug, Clone)]
pub struct FormPairs<'a> {
    rest: &'a [u8],
}

impl<'a> FormPairs<'a> {
    /// The pairs of `encoded`.
    pub fn new(encoded: &'a [u8]) -> Self {
        Self { rest: encoded }
    }
}

impl<'a> Iterator for FormPairs<'a> {
    type Item = (Cow<'a, str>, Cow<'a, str>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let (pair, rest) = split_at_byte(self.rest, b'&');
            self.rest = rest;
            if !pair.is_empty() {
                let (name, value) = split_at_byte(pair, b'=');
                return Some((decode(name, true), decode(value, true)));
            }
        }
    }
}

/// What stands before and after the first `byte`; everything and nothing when there is none.
fn split_at_byte(text: &[u8], byte: u8) -> (&[u8], &[u8]) {
    match memchr::memchr(byte, text) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, &[]),
    }
}

/// Decodes `%41` to `A`; `+` stays. A `%` that starts no two hexadecimal digits stays as it is, and
/// bytes that are not UTF-8 become U+FFFD.
pub fn percent_decode(encoded: &[u8]) -> Cow<'_, str> {
    decode(encoded, false)
}

fn decode(encoded: &[u8], plus_is_space: bool) -> Cow<'_, str> {
    if !encoded.iter().any(|&byte| byte == b'%' || (plus_is_space && byte == b'+')) {
        return String::from_utf8_lossy(encoded);
    }
    let mut out = Vec::with_capacity(encoded.len());
    let mut rest = encoded;
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'%', [high, low, after @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                out.push(nibble(*high) << 4 | nibble(*low));
                rest = after;
            }
            (b'+', _) if plus_is_space => out.push(b' '),
            (byte, _) => out.push(*byte),
        }
    }
    Cow::Owned(match String::from_utf8(out) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

fn nibble(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20) - b'a' + 10,
    }
}

/// Appends `text` with everything but letters, digits and `-._~` as `%XX`: safe in a path segment,
/// a query and a form.
pub fn percent_encode(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte),
            _ => out.extend_from_slice(&[b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]),
        }
    }
}

/// Appends `name=value` to a form or query, after `&` when `out` holds something since `start`.
///
/// ```
/// let mut body = Vec::new();
/// loadstone_http::write_form_pair("title", "Jazz & Rock", 0, &mut body);
/// loadstone_http::write_form_pair("day", "3", 0, &mut body);
/// assert_eq!(body, b"title=Jazz+%26+Rock&day=3");
/// ```
pub fn write_form_pair(name: &str, value: &str, start: usize, out: &mut Vec<u8>) {
    if out.len() > start {
        out.push(b'&');
    }
    for (text, end) in [(name, &b"="[..]), (value, b"")] {
        for (index, word) in text.split(' ').enumerate() {
            if index > 0 {
                out.push(b'+');
            }
            percent_encode(word, out);
        }
        out.extend_from_slice(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_is_copied_without_need() {
        assert!(matches!(percent_decode(b"a+b"), Cow::Borrowed("a+b")));
        assert!(FormPairs::new(b"a=b").all(|(n, v)| matches!((n, v), (Cow::Borrowed(_), Cow::Borrowed(_)))));
    }

    #[test]
    fn broken_encodings_stay_as_they_are() {
        assert_eq!(percent_decode(b"100%"), "100%");
        assert_eq!(percent_decode(b"%4"), "%4");
        assert_eq!(percent_decode(b"%zz%41%6a"), "%zzAj");
        assert_eq!(percent_decode(b"%ff"), "\u{fffd}");
    }

    #[test]
    fn empty_pairs_are_skipped_and_empty_values_kept() {
        let names: Vec<_> = FormPairs::new(b"&&a=&=b&c&").collect();
        assert_eq!(
            names,
            [("a".into(), "".into()), ("".into(), "b".into()), ("c".into(), "".into())]
                as [(Cow<str>, Cow<str>); 3]
        );
    }

    proptest! {
        #[test]
        fn forms_round_trip(pairs in proptest::collection::vec((".+", ".*"), 0..8)) {
            let mut body = Vec::new();
            for (name, value) in &pairs {
                write_form_pair(name, value, 0, &mut body);
            }
            let read: Vec<_> = FormPairs::new(&body).map(|(n, v)| (n.into_owned(), v.into_owned())).collect();
            prop_assert_eq!(read, pairs);
        }

        #[test]
        fn text_round_trips(text in ".*") {
            let mut encoded = Vec::new();
            percent_encode(&text, &mut encoded);
            prop_assert!(encoded.iter().all(u8::is_ascii_graphic));
            prop_assert_eq!(percent_decode(&encoded), text);
        }

        #[test]
        fn any_bytes_are_survived(bytes: Vec<u8>) {
            for (name, value) in FormPairs::new(&bytes) {
                let _ = (name.len(), value.len());
            }
        }
    }
}
