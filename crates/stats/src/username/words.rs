//! Names of words: "jazz", "harbour_kite", "harbour_kite1".

use alloc::string::String;
use core::fmt::Write;

/// A list of words between blanks: an array, were it not that rustfmt gives each word a line of its own.
macro_rules! list {
    ($($word:literal)*) => { &[$($word),*] };
}

/// As many as a prime, of at most eight letters; all of our own choice. They have to do as tags, too.
const WORDS: &[&str; 131] = list![
    "jazz" "picnic" "garden" "film" "chess" "poetry" "market" "dance" "museum" "theatre" "history"
    "cycling" "coffee" "bread" "books" "comedy" "choir" "drums" "guitar" "fiddle" "harbour" "river"
    "island" "bridge" "lantern" "window" "kettle" "compass" "meadow" "orchard" "sparrow" "heron" "otter"
    "badger" "falcon" "beetle" "dolphin" "tiger" "panda" "rabbit" "maple" "cedar" "willow" "clover"
    "thistle" "fern" "juniper" "saffron" "ginger" "pepper" "apple" "cherry" "lemon" "plum" "melon"
    "hazelnut" "walnut" "honey" "butter" "cheese" "summer" "autumn" "winter" "spring" "sunrise"
    "evening" "midnight" "holiday" "weekend" "morning" "photo" "painting" "drawing" "pottery" "weaving"
    "knitting" "sewing" "printing" "design" "carving" "running" "rowing" "sailing" "skating"
    "climbing" "hiking" "swimming" "football" "tennis" "archery" "science" "stars" "maths" "robots"
    "trains" "ships" "bicycles" "kites" "balloons" "clocks" "family" "children" "teens" "seniors"
    "students" "barn" "village" "city" "outdoor" "indoor" "opera" "ballet" "tango" "salsa" "swing"
    "folk" "brass" "piano" "violin" "cello" "puzzle" "riddle" "magic" "circus" "parade" "carnival"
    "quiz" "lecture" "debate" "charity" "repair"
];

/// Pairs of different words.
const PAIRS: u64 = (WORDS.len() * (WORDS.len() - 1)) as u64;
/// Throws neighbours far apart; a prime that does not divide [`PAIRS`], so that every pair is met once.
const FACTOR: u64 = 10_007;

/// Appends the name of `id`: the first ids have one word, others two, and a number when all pairs are used
/// up.
pub(super) fn push(out: &mut String, id: u64) {
    if let Some(word) = id.checked_sub(1).and_then(|at| WORDS.get(usize::try_from(at).ok()?)) {
        return out.push_str(word);
    }
    let (round, place) = (id / PAIRS, (id % PAIRS * FACTOR % PAIRS) as usize);
    let first = place / (WORDS.len() - 1);
    let second = (first + 1 + place % (WORDS.len() - 1)) % WORDS.len();
    out.push_str(WORDS[first]);
    out.push('_');
    out.push_str(WORDS[second]);
    if round > 0 {
        write!(out, "{round}").expect("a string takes all");
    }
}
