//! How a value is written into a request, and read back out of a page.

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
            Self::Address => percent(bytes, false, out),
            Self::Form => percent(bytes, true, out),
            Self::Header => out.extend(bytes.iter().filter(|b| !matches!(b, b'\r' | b'\n' | 0))),
        }
    }

    /// Writes text that the author of the plan spelled.
    pub(crate) fn text(self, bytes: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Form => percent(bytes, true, out),
            _ => out.extend_from_slice(bytes),
        }
    }
}

/// Percent-encodes all but RFC 3986's unreserved characters; in forms a space is `+`.
fn percent(bytes: &[u8], form: bool, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in bytes {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte),
            b' ' if form => out.push(b'+'),
            _ => out.extend([b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]),
        }
    }
}

/// Undoes percent-encoding, so that a piece of a link can be encoded again when it is used; what is not an
/// escape stays as it is.
pub(crate) fn percent_decode(bytes: &[u8], out: &mut Vec<u8>) {
    let digit = |b: Option<&u8>| b.and_then(|b| (*b as char).to_digit(16));
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (byte, digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
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
        assert_eq!(written(Encoding::Form, "a b+c=d"), "a+b%2Bc%3Dd");
        assert_eq!(written(Encoding::Header, "a\r\nSet-Cookie: x"), "aSet-Cookie: x");
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
