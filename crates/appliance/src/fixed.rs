//! Words of the command line that were fixed when the image was built. They are constants, so the code that
//! would read or do something else is not in the image, and a machine that is told such a word is refused.
//!
//! `loadstone image build --fix` checks them and hands them over in `LOADSTONE_FIX`; IPv6 addresses have all
//! eight groups there.

use core::net::Ipv4Addr;
#[cfg(feature = "ipv6")]
use core::net::Ipv6Addr;

/// All of them, `key=value`, separated by single spaces.
pub const WORDS: &str = match option_env!("LOADSTONE_FIX") {
    Some(words) if cfg!(feature = "fixed") => words,
    _ => "",
};

/// For whoever looks into the image's file; the linker keeps it in a section of that name.
#[cfg(feature = "fixed")]
#[used]
#[unsafe(link_section = ".fixed")]
static SHOWN: [u8; WORDS.len()] = {
    let mut bytes = [0; WORDS.len()];
    bytes.copy_from_slice(WORDS.as_bytes());
    bytes
};

/// What a word was fixed to.
///
/// ```
/// // Nothing is fixed unless an image is built so.
/// assert_eq!(loadstone_appliance::fixed::word("port"), None);
/// ```
pub const fn word(key: &str) -> Option<&'static str> {
    find(WORDS, key)
}

/// Whether a word may still be said at boot.
pub(crate) const fn is_free(key: &str) -> bool {
    word(key).is_none()
}

/// Whether a word was fixed to this value.
pub const fn is(key: &str, value: &str) -> bool {
    match word(key) {
        Some(found) => same(found.as_bytes(), value.as_bytes()),
        None => false,
    }
}

/// Key and value of each. Taken apart here, for a machine that did it would need code for that.
#[cfg(feature = "fixed")]
pub(crate) static EACH: &[(&str, &str)] = &{
    let mut each = [("", ""); count(WORDS)];
    let (mut rest, mut at) = (WORDS, 0);
    while at < each.len() {
        let (key, value) = cut(rest, b'=');
        let (value, behind) = until_space(value);
        each[at] = (key, value);
        (rest, at) = (behind, at + 1);
    }
    each
};

/// A number, or what there is without the word, or with it `off`.
pub(crate) const fn number(key: &str, default: u64) -> u64 {
    match word(key) {
        Some(text) if !same(text.as_bytes(), b"off") => decimal(text),
        _ => default,
    }
}

/// An address of IPv4, with the bits of its network.
pub(crate) const fn network(key: &str) -> Option<(Ipv4Addr, u8)> {
    match word(key) {
        Some(text) => Some(address_and_bits(text)),
        None => None,
    }
}

/// One without; none where it is fixed to `none`, too.
pub(crate) const fn address(key: &str) -> Option<Ipv4Addr> {
    match word(key) {
        Some(text) if !same(text.as_bytes(), b"none") => Some(four(text)),
        _ => None,
    }
}

/// The same of IPv6.
#[cfg(feature = "ipv6")]
pub(crate) const fn network6(key: &str) -> Option<(Ipv6Addr, u8)> {
    match word(key) {
        Some(text) => {
            let (address, bits) = cut(text, b'/');
            Some((six(address), decimal(bits) as u8))
        }
        None => None,
    }
}

/// The same of IPv6.
#[cfg(feature = "ipv6")]
pub(crate) const fn address6(key: &str) -> Option<Ipv6Addr> {
    match word(key) {
        Some(text) if !same(text.as_bytes(), b"none") => Some(six(text)),
        _ => None,
    }
}

const fn address_and_bits(text: &str) -> (Ipv4Addr, u8) {
    let (address, bits) = cut(text, b'/');
    (four(address), decimal(bits) as u8)
}

const fn four(text: &str) -> Ipv4Addr {
    let (a, rest) = cut(text, b'.');
    let (b, rest) = cut(rest, b'.');
    let (c, d) = cut(rest, b'.');
    Ipv4Addr::new(decimal(a) as u8, decimal(b) as u8, decimal(c) as u8, decimal(d) as u8)
}

#[cfg(feature = "ipv6")]
const fn six(text: &str) -> Ipv6Addr {
    let (mut bits, mut rest, mut groups) = (0, text, 0);
    while groups < 8 {
        let group = if groups < 7 { cut(rest, b':') } else { (rest, "") };
        bits = bits << 16 | parsed(group.0, 16) as u128;
        (rest, groups) = (group.1, groups + 1);
    }
    Ipv6Addr::from_bits(bits)
}

const fn decimal(text: &str) -> u64 {
    parsed(text, 10)
}

const fn parsed(text: &str, radix: u32) -> u64 {
    match u64::from_str_radix(text, radix) {
        Ok(number) => number,
        Err(_) => panic!("LOADSTONE_FIX: there is no number where one must be"),
    }
}

/// What is before the first such byte, and what is behind it.
const fn cut(text: &str, at: u8) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() && bytes[end] != at {
        end += 1;
    }
    assert!(end < bytes.len(), "LOADSTONE_FIX: a value is cut off");
    let (before, rest) = text.split_at(end);
    (before, rest.split_at(1).1)
}

/// The value of a word among `words`.
const fn find<'a>(words: &'a str, key: &str) -> Option<&'a str> {
    let mut rest = words;
    while !rest.is_empty() {
        let (found, value) = cut(rest, b'=');
        let (value, behind) = until_space(value);
        if same(found.as_bytes(), key.as_bytes()) {
            return Some(value);
        }
        rest = behind;
    }
    None
}

/// The first of what is separated by spaces, and the others.
const fn until_space(text: &str) -> (&str, &str) {
    let mut end = 0;
    while end < text.len() && text.as_bytes()[end] != b' ' {
        end += 1;
    }
    let (first, behind) = text.split_at(end);
    (first, if behind.is_empty() { behind } else { behind.split_at(1).1 })
}

/// How many there are.
#[cfg(any(feature = "fixed", test))]
const fn count(words: &str) -> usize {
    let (mut rest, mut count) = (words, 0);
    while !rest.is_empty() {
        (rest, count) = (until_space(rest).1, count + 1);
    }
    count
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_by_its_whole_key() {
        let words = "ip=10.0.2.15/24 port=8080 olio.url=http://a/?x=y";
        assert_eq!(find(words, "ip"), Some("10.0.2.15/24"));
        assert_eq!(find(words, "port"), Some("8080"));
        assert_eq!(find(words, "olio.url"), Some("http://a/?x=y"));
        for absent in ["por", "ports", "10.0.2.15/24", "olio", "x", ""] {
            assert_eq!(find(words, absent), None, "{absent}");
        }
        assert_eq!(find("", "ip"), None);
        assert_eq!((count(words), count("")), (3, 0));
    }

    #[test]
    fn values_are_read_while_the_image_is_compiled() {
        const FOUR: (Ipv4Addr, u8) = address_and_bits("192.0.2.15/28");
        assert_eq!(FOUR, (Ipv4Addr::new(192, 0, 2, 15), 28));
        #[cfg(feature = "ipv6")]
        {
            const SIX: Ipv6Addr = six("2001:0db8:0000:0000:0000:0000:0000:0015");
            assert_eq!(SIX, "2001:db8::15".parse::<Ipv6Addr>().unwrap());
        }
        assert!(same(b"off", b"off") && !same(b"off", b"of") && !same(b"off", b"on "));
    }
}
