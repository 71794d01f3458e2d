//! Texts of random letters.

use alloc::format;
use alloc::string::String;

use loadstone_stats::Rng;
use loadstone_web::prose::pick;

use super::{Author, COMMENT, DESCRIPTION, Person};

const QUALITIES: [&str; 16] = [
    "Old",
    "Small",
    "Large",
    "Blue",
    "Green",
    "Red",
    "White",
    "Painted",
    "Signed",
    "Rare",
    "Plain",
    "Heavy",
    "Folding",
    "Hand-made",
    "Restored",
    "Unused",
];

const THINGS: [&str; 24] = [
    "lamp",
    "clock",
    "chair",
    "vase",
    "atlas",
    "radio",
    "camera",
    "mirror",
    "kettle",
    "globe",
    "bicycle",
    "violin",
    "table",
    "stamp album",
    "coat",
    "ring",
    "plate",
    "chess set",
    "lens",
    "typewriter",
    "puzzle",
    "hammer",
    "teapot",
    "map",
];

/// An author whose names and texts are random letters, but for the names of things.
pub(in super::super) struct Letters(pub Words);

impl Author for Letters {
    fn person(&self, rng: &mut Rng, id: u64) -> Person {
        Person { firstname: person(rng, 3, 10), lastname: person(rng, 4, 12), nickname: format!("user{id}") }
    }

    /// A quality and a thing, one pick each, and the id.
    fn item(&self, rng: &mut Rng, id: u64) -> String {
        let (quality, thing) = (pick(rng, &QUALITIES), pick(rng, &THINGS));
        format!("{quality} {thing} {id}")
    }

    fn description(&self, rng: &mut Rng) -> String {
        self.0.cut(rng, DESCRIPTION)
    }

    fn comment(&self, rng: &mut Rng) -> String {
        self.0.cut(rng, COMMENT)
    }
}

/// A name of letters, the first one in upper case: its length, then the letters.
fn person(rng: &mut Rng, low: i64, high: i64) -> String {
    let length = rng.range_inclusive(low, high) as usize;
    let mut name: String = (0..length).map(|_| char::from(b'a' + rng.below(26) as u8)).collect();
    name[..1].make_ascii_uppercase();
    name
}

/// Words of random letters: long enough that two descriptions are hardly ever the same. Making each
/// description anew would take longer than storing it.
pub(in super::super) struct Words(String);

/// Bytes of the text.
const TEXT: usize = 64 * 1024;

impl Words {
    /// The text of a data set: words of 2..=10 letters.
    pub(in super::super) fn new(rng: &mut Rng) -> Self {
        let mut text = String::with_capacity(TEXT + 16);
        while text.len() < TEXT {
            let length = rng.range_inclusive(2, 10);
            text.extend((0..length).map(|_| char::from(b'a' + rng.below(26) as u8)));
            text.push(' ');
        }
        Self(text)
    }

    /// 1..=`most` bytes of it: how many, and from where. Blanks at the ends become letters.
    fn cut(&self, rng: &mut Rng, most: usize) -> String {
        let length = 1 + rng.below(most as u64) as usize;
        let from = rng.below((TEXT - most) as u64) as usize;
        let mut text = String::from(&self.0[from..from + length]);
        if text.starts_with(' ') {
            text.replace_range(..1, "a");
        }
        if text.ends_with(' ') {
            text.replace_range(length - 1.., "s");
        }
        text
    }
}
