//! Texts in English, as people would read them, to the byte as long as those of letters.

use alloc::string::{String, ToString};

use loadstone_stats::{Era, Rng, username};
use loadstone_web::prose::{Theme, exactly, heading, pick, words};

use super::{Author, COMMENT, DESCRIPTION, Person};

/// An author who writes English.
pub(in super::super) struct English;

impl Author for English {
    fn person(&self, rng: &mut Rng, id: u64) -> Person {
        Person {
            firstname: pick(rng, words::FIRST_NAMES).to_string(),
            lastname: pick(rng, words::LAST_NAMES).to_string(),
            nickname: username(id, Era::Words),
        }
    }

    fn item(&self, rng: &mut Rng, _id: u64) -> String {
        heading(rng, ITEMS)
    }

    fn description(&self, rng: &mut Rng) -> String {
        let length = 1 + rng.below(DESCRIPTION as u64) as usize;
        exactly(rng, &OFFER, length)
    }

    fn comment(&self, rng: &mut Rng) -> String {
        let length = 1 + rng.below(COMMENT as u64) as usize;
        exactly(rng, &OPINION, length)
    }
}

const ITEMS: &[&str] = &[
    "{q} {t}",
    "{q} {t} with a {t}",
    "{t} from the old {p}",
    "{q} {t}, restored",
    "{n} {q} pieces for a {t}",
    "{q} {t} and {t}",
    "{t} of the {p}",
    "Signed picture of the {p}",
    "Book on {m}",
    "{q} {t} for {m}",
];

const OFFER: Theme = Theme::new(
    &[
        "The {t} has stood in the {p} for {n} years and works as on the first day.",
        "I bought it in {s} from {f}, who had it from the old {p}.",
        "One corner is a little {q}, as the second photograph shows.",
        "It fits on a {q} shelf and weighs no more than {n} books.",
        "You can see it on any {d} at the {p}, or I pack it and send it.",
        "With it comes a {q} {t} that I never used.",
        "The maker also built the {t} in the {p}, so the work is {q} throughout.",
        "My uncle used it for {m} until the {p} closed.",
        "There are {n} scratches on the back; the front is {q} and clean.",
        "I sell it because we move to a {q} house near the {p}.",
        "Spare parts are easy to find, {f} at the {p} has a drawer full.",
        "Payment within {n} days, please.",
        "No returns, but ask whatever you like.",
        "From a home without smoke.",
    ],
    &["With ", "Beside it ", "It comes with ", "Also for sale: "],
);

const OPINION: Theme = Theme::new(
    &[
        "The {t} came within {n} days, well packed and as {q} as described.",
        "{f} answered every question and even brought the {t} to the {p}.",
        "The colour is not quite what the picture shows, but it is {q} all the same.",
        "I would buy a {t} here again.",
        "It took {n} weeks and {n} letters until the {t} was here.",
        "The {t} was {q} at first and now stands in my window.",
        "There was a {q} note in the parcel, thank you, {f}!",
        "One leg was loose; {n} drops of glue and it was good again.",
        "We met at the {p} on a {d} and settled it over tea.",
        "Less {q} than I had hoped.",
        "All as agreed.",
        "Friendly and quick.",
    ],
    &["With ", "I also got ", "In the parcel: "],
);

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use loadstone_stats::Rng;

    use super::{Author, COMMENT, DESCRIPTION, English};

    #[test]
    fn texts_keep_their_bounds_and_differ() {
        let mut names = BTreeSet::new();
        for seed in 0..2000 {
            let rng = &mut Rng::new(seed);
            let name = English.item(rng, seed);
            assert!(name.len() <= 60 && name.starts_with(|c: char| c.is_ascii_uppercase()), "{name}");
            names.insert(name);
            for (text, most) in [(English.description(rng), DESCRIPTION), (English.comment(rng), COMMENT)] {
                assert!((1..=most).contains(&text.len()), "{text}");
                assert!(text.is_ascii() && !text.contains(['{', '}']) && text.trim() == text, "{text}");
            }
        }
        assert!(names.len() > 1000, "{} names", names.len());
    }
}
