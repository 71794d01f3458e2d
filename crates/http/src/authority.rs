//! Host and port as they stand in `Host` and in absolute targets (RFC 3986 §3.2.2 and §3.2.3, RFC 9110 §7.2).

use crate::characters::{NAME, is};

/// Whether this is a host, which may be empty, and perhaps a port: a name, an IPv4 address, or an IPv6 or
/// later one in brackets. A user is none of it (RFC 9110 §4.2.4).
pub(crate) fn is_host_and_port(text: &[u8]) -> bool {
    let mut at = 0;
    loop {
        // One pass over nearly every host there is.
        while at < text.len() && is(text[at], NAME) {
            at += 1;
        }
        match &text[at..] {
            [] => return true,
            [b':', port @ ..] => return is_port(port),
            [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => at += 3,
            [b'[', rest @ ..] if at == 0 => return is_literal_and_port(rest),
            _ => return false,
        }
    }
}

fn is_port(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_digit)
}

/// What follows `[`.
fn is_literal_and_port(text: &[u8]) -> bool {
    let Some(end) = text.iter().position(|&byte| byte == b']') else { return false };
    let (address, rest) = (&text[..end], &text[end + 1..]);
    let behind = match rest {
        [] => true,
        [b':', port @ ..] => is_port(port),
        _ => false,
    };
    behind && (is_ipv6(address) || is_later(address))
}

/// An address of a version that is still to come: `v`, its number, a dot, anything.
fn is_later(text: &[u8]) -> bool {
    let [b'v' | b'V', rest @ ..] = text else { return false };
    let Some(dot) = rest.iter().position(|&byte| byte == b'.') else { return false };
    let (version, address) = (&rest[..dot], &rest[dot + 1..]);
    let number = !version.is_empty() && version.iter().all(u8::is_ascii_hexdigit);
    number && !address.is_empty() && address.iter().all(|&byte| is(byte, NAME) || byte == b':')
}

/// Eight groups of up to four hexadecimal digits; `::` stands for one or more of zeros, once; the last two
/// may be an IPv4 address.
fn is_ipv6(text: &[u8]) -> bool {
    let gap = text.windows(2).position(|pair| pair == b"::");
    match gap {
        None => groups(text, true) == Some(8),
        Some(at) => {
            let (before, after) = (&text[..at], &text[at + 2..]);
            let counts = (groups_or_none(before, false), groups_or_none(after, true));
            matches!(counts, (Some(before), Some(after)) if before + after <= 7)
        }
    }
}

fn groups_or_none(text: &[u8], last: bool) -> Option<usize> {
    if text.is_empty() { Some(0) } else { groups(text, last) }
}

/// The number of groups; an IPv4 address, which may only be the `last`, counts as two.
fn groups(text: &[u8], last: bool) -> Option<usize> {
    let (mut count, mut pieces) = (0, text.split(|&byte| byte == b':').peekable());
    while let Some(piece) = pieces.next() {
        if (1..=4).contains(&piece.len()) && piece.iter().all(u8::is_ascii_hexdigit) {
            count += 1;
        } else if last && pieces.peek().is_none() && is_ipv4(piece) {
            count += 2;
        } else {
            return None;
        }
    }
    Some(count)
}

fn is_ipv4(text: &[u8]) -> bool {
    let mut count = 0;
    let all = text.split(|&byte| byte == b'.').all(|piece| {
        count += 1;
        is_octet(piece)
    });
    all && count == 4
}

/// A decimal number up to 255 without a zero too many.
fn is_octet(piece: &[u8]) -> bool {
    let digits = (1..=3).contains(&piece.len()) && piece.iter().all(u8::is_ascii_digit);
    let spare = piece.len() > 1 && piece[0] == b'0';
    digits && !spare && piece.iter().fold(0, |value, digit| 10 * value + u32::from(digit - b'0')) <= 255
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_ports_are_told_from_what_only_looks_like_them() {
        for good in [
            "",
            "a",
            "a:",
            "a:80",
            "a.example:8080",
            "127.0.0.1",
            "127.0.0.1:80",
            "a_b",
            "a%20b",
            "%41",
            "a%41:1",
            "[::1]",
            "[::1]:80",
            "[::]",
            "[1::]",
            "[1:2:3:4:5:6:7:8]",
            "[1::8]",
            "[1:2:3:4:5:6:7::]",
            "[::ffff:1.2.3.4]",
            "[64:ff9b::192.0.2.1]:1",
            "[v1.x:y]",
            "[vF.a]",
            "a,b",
            "xn--a",
        ] {
            assert!(is_host_and_port(good.as_bytes()), "{good:?}");
        }
        for bad in [
            "localhost:http",
            "a:-1",
            ":-1",
            ":80:80",
            "a:80:80",
            "[::1",
            "[::1]x",
            "[::zz]",
            "a%zz",
            "a%2",
            "a%",
            "::1",
            "[]",
            "[",
            "]",
            "[::1]:x",
            "[::1]]",
            "a[::1]",
            "%41[::1]",
            "[1:2:3:4:5:6:7:8:9]",
            "[1:2:3:4:5:6:7]",
            "[1::2::3]",
            "[:::]",
            "[12345::]",
            "[1:2:3:4:5:6:7:8::]",
            "[::1.2.3]",
            "[::1.2.3.256]",
            "[::1.2.3.4:1]",
            "[1.2.3.4]",
            "[::01.2.3.4]",
            "[:1]",
            "[1:]",
            "[v.a]",
            "[v1.]",
            "[vg.a]",
            "[v1a]",
            "[fe80::1%25eth0]",
            "a/b",
            "u@a",
            "a b",
            "a\"",
            "a?b",
            "a#b",
            "a\\b",
            "a<b",
            "a:8 0",
            "a\u{e9}",
        ] {
            assert!(!is_host_and_port(bad.as_bytes()), "{bad:?}");
        }
    }
}
