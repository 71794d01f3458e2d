//! Texts in English, as people would read them. Where Olio's loader has a law of lengths for a text of more
//! than a line, that law holds to the byte; titles, names and addresses are as long as they come.

use alloc::format;
use alloc::string::{String, ToString};

use loadstone_stats::Rng;
use loadstone_web::prose::{self, Theme, pick, words};

use super::author::{Address, Announcement, Author, Person};
use super::text::{digits, half};

mod sentences;

use sentences::{ABOUT, COMMENT, DESCRIPTION, SUMMARY, TITLES};

const STREET_KINDS: [&str; 6] = ["Street", "Road", "Lane", "Avenue", "Square", "Walk"];
const STATES: [&str; 12] = ["CA", "CO", "IL", "MA", "ME", "MN", "NY", "OR", "TX", "VA", "VT", "WA"];

/// An author who writes English.
pub(super) struct English;

impl Author for English {
    fn address(&self, rng: &mut Rng) -> Address {
        let number = rng.range_inclusive(1, 399);
        let (street, kind) = (pick(rng, words::STREETS), pick(rng, &STREET_KINDS));
        Address {
            street1: format!("{number} {street} {kind}"),
            street2: half(rng).then(|| format!("Floor {}", rng.range_inclusive(1, 12))),
            city: format!("{}{}", pick(rng, words::TOWN_STARTS), pick(rng, words::TOWN_ENDS)),
            state: pick(rng, &STATES).to_string(),
            zip: digits(rng, 5),
            country: if half(rng) { "USA" } else { pick(rng, words::COUNTRIES) }.to_string(),
        }
    }

    fn person(&self, rng: &mut Rng) -> Person {
        Person {
            firstname: pick(rng, words::FIRST_NAMES).to_string(),
            lastname: pick(rng, words::LAST_NAMES).to_string(),
            mail_host: format!("{}.example", pick(rng, words::STREETS).to_ascii_lowercase()),
        }
    }

    fn about(&self, rng: &mut Rng) -> String {
        text(rng, &ABOUT, 250, 2500)
    }

    fn announcement(&self, rng: &mut Rng) -> Announcement {
        Announcement {
            title: prose::heading(rng, TITLES),
            summary: text(rng, &SUMMARY, 50, 90),
            description: text(rng, &DESCRIPTION, 50, 495),
        }
    }

    fn comment(&self, rng: &mut Rng) -> String {
        text(rng, &COMMENT, 10, 1000)
    }
}

fn text(rng: &mut Rng, theme: &Theme, low: i64, high: i64) -> String {
    let length = rng.range_inclusive(low, high) as usize;
    prose::exactly(rng, theme, length)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use loadstone_stats::Rng;

    use super::super::author::{Author, Letters};
    use super::English;

    /// Lengths of a summary, a description, a comment and what a person says of itself.
    fn lengths(author: &dyn Author, seed: u64) -> [usize; 4] {
        let [mut event, mut comment, mut person] = [0, 1, 2].map(|stream| Rng::stream(seed, stream));
        let announcement = author.announcement(&mut event);
        let (comment, about) = (author.comment(&mut comment), author.about(&mut person));
        [announcement.summary.len(), announcement.description.len(), comment.len(), about.len()]
    }

    #[test]
    fn lengths_follow_the_laws_of_letters() {
        const TEXTS: u64 = 4000;
        for (at, (low, high)) in [(50, 90), (50, 495), (10, 1000), (250, 2500)].into_iter().enumerate() {
            for author in [&English as &dyn Author, &Letters] {
                let all: Vec<usize> = (0..TEXTS).map(|seed| lengths(author, seed)[at]).collect();
                assert!(all.iter().all(|length| (low..=high).contains(length)), "{low}..={high}");
                let mean = all.iter().sum::<usize>() as f64 / TEXTS as f64;
                let deviation = (high - low) as f64 / 12.0_f64.sqrt();
                let middle = (low + high) as f64 / 2.0;
                assert!(
                    (mean - middle).abs() < 5.0 * deviation / (TEXTS as f64).sqrt(),
                    "{mean} is not {middle}"
                );
            }
        }
    }

    #[test]
    fn what_is_written_passes_the_forms_of_the_site() {
        for seed in 0..3000 {
            let rng = &mut Rng::new(seed);
            let (address, person) = (English.address(rng), English.person(rng));
            let event = English.announcement(rng);
            assert!((8..=60).contains(&event.title.len()), "{}", event.title);
            assert!(event.title.starts_with(|c: char| c.is_ascii_uppercase()), "{}", event.title);
            assert!((2..=12).contains(&person.firstname.len()) && (5..=15).contains(&person.lastname.len()));
            assert!(address.street1.len() <= 55 && address.city.len() <= 55 && address.zip.len() == 5);
            for text in [event.title, event.summary, event.description, English.comment(rng)] {
                assert!(
                    text.is_ascii() && !text.contains(['{', '}', '\n']) && !text.contains("  "),
                    "{text}"
                );
            }
        }
    }
}
