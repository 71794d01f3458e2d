//! Random text, names and numbers. Each function says what it draws, in order.

use alloc::string::String;
use core::fmt::Write;

use loadstone_stats::Rng;
use loadstone_web::prose::pick;

/// One lower-case letter: `below(26)`.
fn letter(rng: &mut Rng) -> char {
    char::from(b'a' + rng.below(26) as u8)
}

/// A run of letters: its length, then the letters.
pub(super) fn letters(rng: &mut Rng, low: i64, high: i64) -> String {
    let length = rng.range_inclusive(low, high) as usize;
    (0..length).map(|_| letter(rng)).collect()
}

/// As [`letters`], the first one in upper case.
pub(super) fn name(rng: &mut Rng, low: i64, high: i64) -> String {
    let mut name = letters(rng, low, high);
    name[..1].make_ascii_uppercase();
    name
}

/// Words between single blanks: the total length; then for each word its length 1..12, cut where the total
/// ends, and its letters. A blank that would be the last character is a letter instead.
pub(super) fn words(rng: &mut Rng, low: i64, high: i64) -> String {
    let length = rng.range_inclusive(low, high) as usize;
    let mut text = String::with_capacity(length);
    while text.len() < length {
        let word = (rng.range_inclusive(1, 12) as usize).min(length - text.len());
        text.extend((0..word).map(|_| letter(rng)));
        match length - text.len() {
            0 => {}
            1 => text.push(letter(rng)),
            _ => text.push(' '),
        }
    }
    text
}

/// Decimal digits, each `below(10)`.
pub(super) fn digits(rng: &mut Rng, count: usize) -> String {
    (0..count).map(|_| char::from(b'0' + rng.below(10) as u8)).collect()
}

/// Half the time: `below(2)` is 1.
pub(super) fn half(rng: &mut Rng) -> bool {
    rng.below(2) == 1
}

/// `001-ddd-ddd-dddd` or `00-dd-dd-ddd-dddd`: which (half), then the digits.
pub(super) fn telephone(rng: &mut Rng) -> String {
    let (mut number, groups): (_, &[usize]) =
        if half(rng) { (String::from("001"), &[3, 3, 4]) } else { (String::from("00"), &[2, 2, 3, 4]) };
    for &group in groups {
        number.push('-');
        number.push_str(&digits(rng, group));
    }
    number
}

/// A decimal of six places, uniform on the millionths from -limit to +limit.
pub(super) fn degrees(rng: &mut Rng, limit_millionths: i64) -> String {
    let value = rng.range_inclusive(-limit_millionths, limit_millionths);
    let (sign, magnitude) = (if value < 0 { "-" } else { "" }, value.unsigned_abs());
    let mut text = String::with_capacity(12);
    write!(text, "{sign}{}.{:06}", magnitude / 1_000_000, magnitude % 1_000_000).expect("a string takes all");
    text
}

/// Time zones a user or event can have.
const TIMEZONES: [&str; 8] = [
    "Pacific Time (US & Canada)",
    "Mountain Time (US & Canada)",
    "Central Time (US & Canada)",
    "Eastern Time (US & Canada)",
    "London",
    "Berlin",
    "Tokyo",
    "Sydney",
];

/// A time zone: one pick.
pub(super) fn timezone(rng: &mut Rng) -> &'static str {
    pick(rng, &TIMEZONES)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use loadstone_stats::Rng;

    use super::{degrees, letters, name, telephone, words};

    #[test]
    fn text_keeps_its_form() {
        let mut rng = Rng::new(1);
        let mut lengths = [false; 6];
        for _ in 0..2000 {
            let text = words(&mut rng, 15, 20);
            lengths[text.len() - 15] = true;
            assert_eq!(text.split(' ').map(str::trim).collect::<alloc::vec::Vec<_>>().join(" "), text);
            assert!(!text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  "), "{text:?}");
            assert!(text.split(' ').all(|word| word.len() <= 13), "{text:?}");
            assert!((10..=12).contains(&letters(&mut rng, 10, 12).len()));
            assert!(name(&mut rng, 1, 3).starts_with(|c: char| c.is_ascii_uppercase()));
            let number = telephone(&mut rng);
            assert!(
                (7..=20).contains(&number.len()) && number.bytes().all(|c| c == b'-' || c.is_ascii_digit())
            );
        }
        assert_eq!(lengths, [true; 6]);
    }

    #[test]
    fn degrees_have_six_places_and_their_sign() {
        let mut rng = Rng::new(2);
        for _ in 0..2000 {
            let text = degrees(&mut rng, 1_500_000);
            let value: f64 = text.parse().unwrap();
            assert!(value.abs() <= 1.5 && text.split_once('.').unwrap().1.len() == 6, "{text}");
        }
        let texts: alloc::vec::Vec<_> = (0..100).map(|_| degrees(&mut rng, 1)).collect();
        for expected in ["-0.000001", "0.000000", "0.000001"] {
            assert!(texts.contains(&expected.to_string()));
        }
    }
}
