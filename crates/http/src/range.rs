//! Requests for parts of a resource (RFC 9110 §14).

use alloc::vec::Vec;
use core::ops::Range;

/// Most parts of one answer: a request for more is answered with the whole.
const MOST_PARTS: usize = 16;

/// What of a resource a request wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// All of it: there is no `Range`, or it is of another unit, malformed, or an attack (more than 16 parts,
    /// or parts that overlap).
    Whole,
    /// These bytes, at least one.
    Part(Range<u64>),
    /// These parts, in this order: at least two, none empty, none overlapping another.
    Parts(Vec<Range<u64>>),
    /// Nothing that there is: 416.
    Unsatisfiable,
}

impl Wanted {
    /// Reads the value of `Range` for a resource of `length` bytes. Of an empty resource everybody wants the
    /// whole.
    ///
    /// ```
    /// use loadstone_http::Wanted;
    /// assert_eq!(Wanted::read(b"bytes=-5", 100), Wanted::Part(95..100));
    /// assert_eq!(Wanted::read(b"bytes=0-0, 90-", 100), Wanted::Parts(vec![0..1, 90..100]));
    /// assert_eq!(Wanted::read(b"bytes=100-", 100), Wanted::Unsatisfiable);
    /// ```
    pub fn read(value: &[u8], length: u64) -> Self {
        if length == 0 {
            return Self::Whole;
        }
        let Some((unit, list)) = value.split_at_checked(6) else { return Self::Whole };
        if !unit.eq_ignore_ascii_case(b"bytes=") {
            return Self::Whole;
        }
        let (mut first, mut more) = (None, Vec::new());
        let mut asked = 0;
        for spec in list.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).filter(|spec| !spec.is_empty()) {
            asked += 1;
            let Some(part) = read_spec(spec, length).filter(|_| asked <= MOST_PARTS) else {
                return Self::Whole;
            };
            if part.is_empty() {
                continue;
            }
            match &first {
                None => first = Some(part),
                Some(first) => {
                    if core::iter::once(first).chain(&more).any(|other| overlap(other, &part)) {
                        return Self::Whole;
                    }
                    more.push(part);
                }
            }
        }
        match first {
            None if asked == 0 => Self::Whole,
            None => Self::Unsatisfiable,
            Some(part) if more.is_empty() => Self::Part(part),
            Some(part) => {
                more.insert(0, part);
                Self::Parts(more)
            }
        }
    }
}

fn overlap(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}

/// The bytes of `3-5`, `3-` or `-3`, empty when there are none; none when it is no range.
fn read_spec(spec: &[u8], length: u64) -> Option<Range<u64>> {
    let dash = spec.iter().position(|&byte| byte == b'-')?;
    let (first, last) = (&spec[..dash], &spec[dash + 1..]);
    if first.is_empty() {
        return Some(length.saturating_sub(position(last)?)..length);
    }
    let first = position(first)?;
    let end = if last.is_empty() {
        length
    } else {
        let last = position(last)?;
        if last < first {
            return None;
        }
        last.saturating_add(1).min(length)
    };
    Some(first.min(end)..end)
}

/// A number; one that no resource reaches counts as the largest.
fn position(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digit = |number: u64, &byte: &u8| number.saturating_mul(10).saturating_add(u64::from(byte - b'0'));
    Some(digits.iter().fold(0, digit))
}

#[cfg(test)]
mod tests {
    use super::Wanted::{self, Part, Parts, Unsatisfiable, Whole};
    use alloc::format;
    use alloc::string::String;
    use alloc::vec;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    #[test]
    fn ranges_are_read() {
        for (value, wanted) in [
            ("bytes=0-0", Part(0..1)),
            ("Bytes=0-99", Part(0..100)),
            ("bytes=99-", Part(99..100)),
            ("bytes=50-1000", Part(50..100)),
            ("bytes=-1", Part(99..100)),
            ("bytes=-1000", Part(0..100)),
            ("bytes=0-18446744073709551615", Part(0..100)),
            ("bytes=-99999999999999999999999", Part(0..100)),
            ("bytes= ,1-2 ,", Part(1..3)),
            ("bytes=5-6,-1,100-", Parts(vec![5..7, 99..100])),
            ("bytes=100-", Unsatisfiable),
            ("bytes=-0", Unsatisfiable),
            ("bytes=99999999999999999999999-", Unsatisfiable),
            ("bytes=", Whole),
            ("bytes=,", Whole),
            ("bytes=-", Whole),
            ("bytes=2-1", Whole),
            ("bytes=1-2,x", Whole),
            ("bytes=+1-2", Whole),
            ("bytes=1-2-3", Whole),
            ("bytes=0-,0-", Whole),
            ("bytes=0-50,50-60", Whole),
            ("lines=1-2", Whole),
            ("bytes", Whole),
            ("", Whole),
        ] {
            assert_eq!(Wanted::read(value.as_bytes(), 100), wanted, "{value}");
        }
        assert_eq!(Wanted::read(b"bytes=0-", 0), Whole);
        let many: Vec<String> = (0..17).map(|at| format!("{at}-{at}")).collect();
        assert!(matches!(Wanted::read(format!("bytes={}", many[..16].join(",")).as_bytes(), 100), Parts(_)));
        assert_eq!(Wanted::read(format!("bytes={}", many.join(",")).as_bytes(), 100), Whole);
    }

    proptest! {
        #[test]
        fn parts_lie_inside_and_apart(value in "bytes=([0-9]{0,3}-[0-9]{0,3}[, ]{0,2}){0,5}", length in 0_u64..500) {
            let parts = match Wanted::read(value.as_bytes(), length) {
                Whole | Unsatisfiable => vec![],
                Part(part) => vec![part],
                Parts(parts) => {
                    prop_assert!(parts.len() >= 2);
                    parts
                }
            };
            prop_assert!(parts.iter().all(|part| part.start < part.end && part.end <= length));
            prop_assert!(parts.iter().map(|part| part.end - part.start).sum::<u64>() <= length);
        }

        #[test]
        fn any_bytes_are_survived(value in prop::collection::vec(any::<u8>(), 0..60), length: u64) {
            let _ = Wanted::read(&value, length);
        }

        #[test]
        fn a_range_means_what_it_says(first in 0_u64..200, more in 0_u64..200) {
            let expected = if first < 100 { Part(first..(first + more + 1).min(100)) } else { Unsatisfiable };
            prop_assert_eq!(Wanted::read(format!("bytes={first}-{}", first + more).as_bytes(), 100), expected);
        }
    }
}
