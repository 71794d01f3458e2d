//! Names of categories, regions and things, and the text that descriptions are cut from.

use alloc::string::String;

use loadstone_stats::Rng;

/// The categories.
pub(super) const CATEGORIES: [&str; 20] = [
    "Antiques",
    "Books",
    "Cameras",
    "Clothing",
    "Coins",
    "Computers",
    "Dolls",
    "Electronics",
    "Furniture",
    "Garden",
    "Instruments",
    "Jewellery",
    "Kitchen",
    "Maps and prints",
    "Models and toys",
    "Music",
    "Pottery and glass",
    "Sports",
    "Stamps",
    "Tools",
];

/// The regions.
pub(super) const REGIONS: [&str; 62] = [
    "Aberdeen",
    "Adelaide",
    "Amsterdam",
    "Antwerp",
    "Athens",
    "Auckland",
    "Barcelona",
    "Basel",
    "Bergen",
    "Berlin",
    "Bilbao",
    "Boston",
    "Brisbane",
    "Brussels",
    "Budapest",
    "Calgary",
    "Cardiff",
    "Chicago",
    "Cologne",
    "Copenhagen",
    "Cork",
    "Dallas",
    "Denver",
    "Dresden",
    "Dublin",
    "Edinburgh",
    "Florence",
    "Geneva",
    "Genoa",
    "Glasgow",
    "Graz",
    "Halifax",
    "Hamburg",
    "Helsinki",
    "Houston",
    "Leeds",
    "Leipzig",
    "Lisbon",
    "Liverpool",
    "London",
    "Lyon",
    "Madrid",
    "Malmo",
    "Melbourne",
    "Milan",
    "Montreal",
    "Munich",
    "Naples",
    "Oslo",
    "Ottawa",
    "Perth",
    "Porto",
    "Prague",
    "Riga",
    "Seattle",
    "Stockholm",
    "Sydney",
    "Tallinn",
    "Toronto",
    "Vienna",
    "Warsaw",
    "Zurich",
];

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

/// The name of item `id`: a quality and a thing, one pick each, and the id.
pub(super) fn item(rng: &mut Rng, id: u64) -> String {
    let (quality, thing) = (pick(rng, &QUALITIES), pick(rng, &THINGS));
    alloc::format!("{quality} {thing} {id}")
}

/// A name of letters, the first one in upper case: its length, then the letters.
pub(super) fn person(rng: &mut Rng, low: i64, high: i64) -> String {
    let length = rng.range_inclusive(low, high) as usize;
    let mut name: String = (0..length).map(|_| char::from(b'a' + rng.below(26) as u8)).collect();
    name[..1].make_ascii_uppercase();
    name
}

/// One of `choices`: `below(length)`.
pub(super) fn pick<T: Copy>(rng: &mut Rng, choices: &[T]) -> T {
    choices[rng.below(choices.len() as u64) as usize]
}

/// Words of random letters: long enough that two descriptions are hardly ever the same. Making each description
/// anew would take longer than storing it.
pub(super) struct Words(String);

/// Bytes of the text.
const TEXT: usize = 64 * 1024;

impl Words {
    /// The text of a data set: words of 2..=10 letters.
    pub(super) fn new(rng: &mut Rng) -> Self {
        let mut text = String::with_capacity(TEXT + 16);
        while text.len() < TEXT {
            let length = rng.range_inclusive(2, 10);
            text.extend((0..length).map(|_| char::from(b'a' + rng.below(26) as u8)));
            text.push(' ');
        }
        Self(text)
    }

    /// 1..=`most` bytes of it: how many, and from where. Blanks at the ends become letters.
    pub(super) fn cut(&self, rng: &mut Rng, most: usize) -> String {
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
