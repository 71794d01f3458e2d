//! What an address in a style means.

use percent_encoding::{AsciiSet, CONTROLS, percent_encode};

/// What an address cannot have as it is: these, and all that is not ASCII (URL Standard, path percent-encode set).
const ENCODED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>');

/// Writes what a browser asks for at an address that stands in a style: escapes undone (CSS Syntax §4.3.7), then
/// what an address cannot have left out or percent-encoded (URL Standard).
pub fn style_decode(address: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let mut rest = address;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        write(&rest[..at], out);
        rest = escape(&rest[at + 1..], out);
    }
    write(rest, out);
    // A backslash that is left was escaped itself; in the path of HTTP's addresses it is a slash.
    let path = out[start..].iter_mut().take_while(|b| !matches!(**b, b'?' | b'#'));
    path.filter(|b| **b == b'\\').for_each(|b| *b = b'/');
}

/// Writes what the escape means at whose backslash `text` begins, and returns what follows it.
fn escape<'a>(text: &'a [u8], out: &mut Vec<u8>) -> &'a [u8] {
    let digits = text.iter().take(6).take_while(|b| b.is_ascii_hexdigit()).count();
    let (code, rest) = text.split_at(digits);
    if code.is_empty() {
        return match rest {
            // Within a string, a line may be broken.
            [b'\r', b'\n', rest @ ..] | [b'\n' | b'\r' | b'\x0c', rest @ ..] => rest,
            [itself, rest @ ..] => {
                write(&[*itself], out);
                rest
            }
            [] => rest,
        };
    }
    let digit = |digit: &u8| char::from(*digit).to_digit(16).unwrap_or_default();
    let code = code.iter().map(digit).fold(0, |code, digit| code * 16 + digit);
    let meant = char::from_u32(code).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER);
    write(meant.encode_utf8(&mut [0; 4]).as_bytes(), out);
    // One space ends it, so that a digit may follow.
    match rest {
        [b'\r', b'\n', rest @ ..] | [b' ' | b'\t' | b'\n' | b'\r' | b'\x0c', rest @ ..] => rest,
        _ => rest,
    }
}

/// Writes a part of an address. Tabs and line ends within it count for nothing.
fn write(text: &[u8], out: &mut Vec<u8>) {
    for piece in text.split(|b| matches!(b, b'\t' | b'\n' | b'\r')) {
        percent_encode(piece, ENCODED).for_each(|piece| out.extend_from_slice(piece.as_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn meant(address: &str) -> String {
        let mut out = b"before ".to_vec();
        style_decode(address.as_bytes(), &mut out);
        String::from_utf8(out.split_off(7)).unwrap()
    }

    #[test]
    fn what_escapes_mean() {
        for (written, expected) in [
            ("a.png", "a.png"),
            (r"\61.png", "a.png"),
            (r"\000061b.png", "ab.png"),
            (r"\0000611.png", "a1.png"),
            (r"\61 b.png", "ab.png"),
            ("\\61\r\nb.png", "ab.png"),
            ("\\61\tb.png", "ab.png"),
            (r"\61  b.png", "a%20b.png"),
            (r"x\ y.png", "x%20y.png"),
            ("x y.png", "x%20y.png"),
            (r"\e9.png", "%C3%A9.png"),
            ("é.png", "%C3%A9.png"),
            (r"\é.png", "%C3%A9.png"),
            (r"\1F600.png", "%F0%9F%98%80.png"),
            (r"\0.png", "%EF%BF%BD.png"),
            (r"\d800.png", "%EF%BF%BD.png"),
            (r"\ffffff.png", "%EF%BF%BD.png"),
            (r"a\g.png", "ag.png"),
            ("a\\\r\nb\\\nc.png", "abc.png"),
            ("a\\a b\tc.png", "abc.png"),
            (r"a\\b.png?c\\d", r"a/b.png?c\d"),
            (r"a%20b.png?c=%26", "a%20b.png?c=%26"),
            (r"a.png\", "a.png"),
        ] {
            assert_eq!(meant(written), expected, "{written}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_written_can_be_asked_for(address in proptest::collection::vec(any::<u8>(), 0..60)) {
            let mut out = Vec::new();
            style_decode(&address, &mut out);
            prop_assert!(out.iter().all(|b| (b'!'..=b'~').contains(b)));
        }
    }
}
