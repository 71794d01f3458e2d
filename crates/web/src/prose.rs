//! Plain English from random numbers: sentences with slots, and texts of an exact number of bytes.
//!
//! A text is sentences, and where none of them fits any more a list whose last word has the length that is
//! missing: "Bring tea, maps, and lanterns." So a data set of words keeps the sizes of one of random letters,
//! byte for byte.

use alloc::string::String;
use alloc::vec::Vec;

use loadstone_stats::Rng;

/// A list of words between blanks: an array, were it not that rustfmt gives each word a line of its own.
macro_rules! list {
    ($($word:literal)*) => { &[$($word),*] };
}

mod nouns;
pub mod words;

use nouns::{LONGEST, SHORTEST};

/// What a kind of text is made of.
#[derive(Debug)]
pub struct Theme {
    sentences: &'static [&'static str],
    openers: &'static [&'static str],
}

impl Theme {
    /// Sentences with slots, see [`fill`], and what can stand before a list of nouns, each with its blank,
    /// the shortest first.
    ///
    /// # Panics
    /// When the first opener is too long for the shortest list.
    pub const fn new(sentences: &'static [&'static str], openers: &'static [&'static str]) -> Self {
        assert!(openers[0].len() + SHORTEST < LEAST_LIST, "the first opener has at most six bytes");
        Self { sentences, openers }
    }
}

/// Tries at a sentence that fits before a list takes what is left.
const TRIES: usize = 4;
/// Least bytes of an opener, a noun and a full stop.
const LEAST_LIST: usize = 10;

/// One of `choices`: `below(length)`.
pub fn pick<T: Copy>(rng: &mut Rng, choices: &[T]) -> T {
    choices[rng.below(choices.len() as u64) as usize]
}

/// Appends `template` with a word in each slot, one pick a slot, from left to right: `{q}` a quality, `{t}` a
/// thing, `{p}` a place, `{m}` music or another art, `{d}` a day, `{s}` a season, `{n}` a number, `{f}` a
/// first name.
///
/// # Panics
/// When a slot has another letter or no end.
pub fn fill(rng: &mut Rng, template: &str, out: &mut String) {
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        out.push_str(pick(rng, words::of_slot(rest.as_bytes()[at + 1])));
        rest = &rest[at + 3..];
    }
    out.push_str(rest);
}

/// One of `templates`, filled, its first letter in upper case.
pub fn heading(rng: &mut Rng, templates: &[&str]) -> String {
    let mut text = String::new();
    let template = pick(rng, templates);
    fill(rng, template, &mut text);
    text[..1].make_ascii_uppercase();
    text
}

/// A text of exactly `length` bytes.
///
/// ```
/// use loadstone_stats::Rng;
/// use loadstone_web::prose::{Theme, exactly};
/// const THEME: Theme = Theme::new(&["We meet by the {p}."], &["Bring "]);
/// assert_eq!(exactly(&mut Rng::new(1), &THEME, 75).len(), 75);
/// ```
pub fn exactly(rng: &mut Rng, theme: &Theme, length: usize) -> String {
    let mut text = String::with_capacity(length);
    // Each sentence has its turn before any comes again.
    let mut order: Vec<&str> = theme.sentences.to_vec();
    for end in (1..order.len()).rev() {
        order.swap(end, rng.below(end as u64 + 1) as usize);
    }
    let mut turns = order.iter().cycle();
    while text.len() < length {
        if !text.is_empty() {
            text.push(' ');
        }
        let left = length - text.len();
        if !turns.by_ref().take(TRIES).any(|template| fits(rng, template, left, &mut text)) {
            list(rng, theme.openers, left, &mut text);
        }
    }
    text
}

/// Appends a sentence unless it takes more than `left` bytes or leaves too few for a list.
fn fits(rng: &mut Rng, template: &str, left: usize, text: &mut String) -> bool {
    let before = text.len();
    fill(rng, template, text);
    let taken = text.len() - before;
    let good = taken == left || taken + 1 + LEAST_LIST <= left;
    if !good {
        text.truncate(before);
    }
    good
}

/// Appends exactly `left` bytes: an opener and nouns, or one noun where there is no room for an opener.
fn list(rng: &mut Rng, openers: &[&str], left: usize, text: &mut String) {
    if left < LEAST_LIST {
        return text.push_str(nouns::alone(left));
    }
    let fitting = openers.iter().take_while(|opener| opener.len() + SHORTEST < left).count();
    let opener = openers[rng.below(fitting as u64) as usize];
    text.push_str(opener);
    let mut room = left - opener.len() - 1;
    if room > LONGEST {
        room -= "and ".len();
        while room > LONGEST || text.ends_with(opener) {
            let noun = nouns::shorter(rng, room - SHORTEST - ", ".len());
            text.push_str(noun);
            text.push_str(", ");
            room -= noun.len() + ", ".len();
        }
        text.push_str("and ");
    }
    text.push_str(nouns::of_length(rng, room));
    text.push('.');
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use std::collections::HashSet;

    use loadstone_stats::Rng;

    use super::{Theme, exactly, list};

    const THEME: Theme = Theme::new(
        &["The {q} {t} is by the {p}.", "{f} plays {m} on {d} at {n}, as every {s}."],
        &["Bring ", "There will be "],
    );

    #[test]
    fn texts_have_the_length_that_is_asked_for() {
        let rng = &mut Rng::new(1);
        for length in (0..400).chain([2500, 7168]) {
            let text = exactly(rng, &THEME, length);
            assert_eq!(text.len(), length, "{text}");
            assert!(text.is_ascii() && !text.contains("  ") && !text.contains(['{', '}']), "{text}");
            assert!(length < 4 || text.ends_with('.'), "{text}");
        }
    }

    #[test]
    fn a_list_ends_where_it_shall() {
        let rng = &mut Rng::new(2);
        for left in 1..150 {
            for _ in 0..50 {
                let mut text = String::new();
                list(rng, THEME.openers, left, &mut text);
                assert_eq!(text.len(), left, "{text}");
                assert!(!text.contains("Bring and") && !text.contains("be and"), "{text}");
            }
        }
    }

    #[test]
    fn texts_differ_and_come_again() {
        let text = |seed| exactly(&mut Rng::new(seed), &THEME, 200);
        let texts: HashSet<_> = (0..500).map(text).collect();
        assert_eq!(texts.len(), 500);
        assert_eq!(text(3), text(3));
    }
}
