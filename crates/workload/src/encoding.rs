//! How a value is written into a request, and read back out of a page.

use form_urlencoded::byte_serialize;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

/// All but the characters that RFC 3986 §2.3 does not reserve.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// How the text of a template and its values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// As they are.
    Plain,
    /// Values percent-encoded; the author's own text is taken to be an address already.
    Address,
    /// Text and values application/x-www-form-urlencoded.
    Form,
    /// As they are, without the line ends that would let a value forge a header field.
    Header,
}

impl Encoding {
    /// Writes a value.
    pub(crate) fn value(self, bytes: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Plain => out.extend_from_slice(bytes),
            Self::Address => percent_encode(bytes, RESERVED).for_each(|piece| out.extend(piece.as_bytes())),
            Self::Form => byte_serialize(bytes).for_each(|piece| out.extend(piece.as_bytes())),
            Self::Header => out.extend(bytes.iter().filter(|b| !matches!(b, b'\r' | b'\n' | 0))),
        }
    }

    /// Writes text that the author of the plan spelled.
    pub(crate) fn text(self, bytes: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Form => self.value(bytes, out),
            _ => out.extend_from_slice(bytes),
        }
    }
}

/// Undoes percent-encoding, so that a piece of a link can be encoded again when it is used; what is not an
/// escape stays as it is.
pub(crate) fn percent_decode(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend(percent_encoding::percent_decode(bytes));
}

/// Undoes the five character references that markup needs in an attribute, and decimal and hexadecimal ones
/// below 128.
pub fn markup_decode(bytes: &[u8], out: &mut Vec<u8>) {
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'&', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let end = rest.iter().take(8).position(|b| *b == b';');
        let decoded = end.and_then(|end| character(&rest[1..end]).map(|c| (c, end)));
        let (byte, used) = decoded.map_or((b'&', 1), |(c, end)| (c, end + 1));
        out.push(byte);
        rest = &rest[used..];
    }
    out.extend_from_slice(rest);
}

fn character(name: &[u8]) -> Option<u8> {
    match name {
        b"amp" => Some(b'&'),
        b"lt" => Some(b'<'),
        b"gt" => Some(b'>'),
        b"quot" => Some(b'"'),
        b"apos" => Some(b'\''),
        _ => {
            let digits = std::str::from_utf8(name.strip_prefix(b"#")?).ok()?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u8::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            code.is_ascii().then_some(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(encoding: Encoding, value: &str) -> String {
        let mut out = Vec::new();
        encoding.value(value.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_are_written_for_their_place() {
        assert_eq!(written(Encoding::Address, "a b/ü&c~"), "a%20b%2F%C3%BC%26c~");
        assert_eq!(written(Encoding::Form, "a b+c=d ü"), "a+b%2Bc%3Dd+%C3%BC");
        assert_eq!(written(Encoding::Header, "a\r\nSet-Cookie: x"), "aSet-Cookie: x");
    }

    #[test]
    fn what_is_no_escape_stays() {
        let mut out = Vec::new();
        percent_decode(b"100%+%4%zz%41%6a%ff%", &mut out);
        assert_eq!(out, b"100%+%4%zzAj\xff%");
    }

    #[test]
    fn markup_is_read() {
        let mut out = Vec::new();
        markup_decode(b"?a=1&amp;b=&#39;&#x22;&copy;&&#300;&", &mut out);
        assert_eq!(out, b"?a=1&b='\"&copy;&&#300;&");
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let (mut encoded, mut decoded) = (Vec::new(), Vec::new());
            Encoding::Address.value(&bytes, &mut encoded);
            percent_decode(&encoded, &mut decoded);
            prop_assert_eq!(decoded, bytes);
        }

        #[test]
        fn arbitrary_bytes_are_decoded_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let mut out = Vec::new();
            percent_decode(&bytes, &mut out);
            markup_decode(&bytes, &mut out);
        }
    }
}
