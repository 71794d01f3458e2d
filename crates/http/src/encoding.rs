//! Which content coding a client takes (RFC 9110 §12.5.3).

use crate::Headers;

/// Whether gzip is acceptable and no less wanted than the plain content. Without `Accept-Encoding` everything
/// is acceptable, but nothing but the plain content is wanted.
pub(crate) fn accepts_gzip(headers: &Headers<'_>) -> bool {
    let (mut gzip, mut identity, mut any) = (None, None, None);
    for item in headers.all("accept-encoding").flat_map(|value| value.split(|&byte| byte == b',')) {
        let mut parts = item.split(|&byte| byte == b';').map(<[u8]>::trim_ascii);
        let name = parts.next().unwrap_or(b"");
        let slot = if name.eq_ignore_ascii_case(b"gzip") || name.eq_ignore_ascii_case(b"x-gzip") {
            &mut gzip
        } else if name.eq_ignore_ascii_case(b"identity") {
            &mut identity
        } else if name == b"*" {
            &mut any
        } else {
            continue;
        };
        *slot = Some(parts.next().map_or(1000, weight));
    }
    // What is listed says it; else `*` does, which speaks for plain content only when it forbids it.
    let gzip = gzip.or(any).unwrap_or(0);
    gzip > 0 && gzip >= identity.unwrap_or(0)
}

/// Thousandths of `q=0.123`; what is no weight is none.
fn weight(parameter: &[u8]) -> u16 {
    let Some((name, value)) = parameter.split_at_checked(2) else { return 0 };
    let (whole, decimals) = match value {
        [whole] => (whole, &[][..]),
        [whole, b'.', decimals @ ..] if decimals.len() <= 3 => (whole, decimals),
        _ => return 0,
    };
    if !name.eq_ignore_ascii_case(b"q=") || !decimals.iter().all(u8::is_ascii_digit) {
        return 0;
    }
    let thousandths =
        (0..3).fold(0, |sum, at| sum * 10 + decimals.get(at).map_or(0, |digit| u16::from(digit - b'0')));
    match (whole, thousandths) {
        (b'0', thousandths) => thousandths,
        (b'1', 0) => 1000,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use proptest::prelude::*;

    fn accepts(value: &str) -> bool {
        accepts_gzip(&Headers::new(format!("Accept-Encoding: {value}\r\n").as_bytes()))
    }

    #[test]
    fn gzip_is_negotiated() {
        for value in [
            "gzip",
            "GZip",
            "x-gzip",
            "br, gzip;q=0.001",
            "deflate,gzip;Q=1.000",
            "*",
            "*;q=0.5, identity;q=0.5",
            "gzip;q=0.5, *;q=0",
            "gzip ; q=0.8, identity ; q=0.8",
        ] {
            assert!(accepts(value), "{value}");
        }
        for value in [
            "",
            "br",
            "identity",
            "gzip;q=0",
            "gzip;q=0.000, *",
            "gzip;q=1.001",
            "gzip;q=2",
            "gzip;q=.5",
            "gzip;q=0.1234",
            "gzip;level=1",
            "gzip;q=0.5, identity",
            "gzipped",
        ] {
            assert!(!accepts(value), "{value}");
        }
        assert!(!accepts_gzip(&Headers::new(b"Host: x\r\n")));
        assert!(accepts_gzip(&Headers::new(b"Accept-Encoding: br\r\naccept-encoding: gzip\r\n")));
    }

    proptest! {
        #[test]
        fn the_larger_weight_wins(gzip in 0_u16..=1000, identity in 0_u16..=1000) {
            let q = |thousandths: u16| format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
            let value = format!("identity;q={}, gzip;q={}", q(identity), q(gzip));
            prop_assert_eq!(accepts(&value), gzip > 0 && gzip >= identity);
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let line = [b"Accept-Encoding: ", bytes.as_slice(), b"\r\n"].concat();
            let _ = accepts_gzip(&Headers::new(&line));
        }
    }
}
