//! Who writes the texts of a data set: one in random letters, one in English.

use alloc::format;
use alloc::string::{String, ToString};

use loadstone_stats::Rng;
use loadstone_web::prose::pick;

use super::text;

/// An address without its coordinates.
pub(super) struct Address {
    pub street1: String,
    pub street2: Option<String>,
    pub city: String,
    pub state: String,
    pub zip: String,
    pub country: String,
}

/// A name and the host of a mail address.
pub(super) struct Person {
    pub firstname: String,
    pub lastname: String,
    pub mail_host: String,
}

/// What an event says of itself.
pub(super) struct Announcement {
    pub title: String,
    pub summary: String,
    pub description: String,
}

/// Texts from random numbers; each draws in the order of its fields.
pub(super) trait Author {
    fn address(&self, rng: &mut Rng) -> Address;
    fn person(&self, rng: &mut Rng) -> Person;
    /// What a person says of itself.
    fn about(&self, rng: &mut Rng) -> String;
    fn announcement(&self, rng: &mut Rng) -> Announcement;
    fn comment(&self, rng: &mut Rng) -> String;
}

const STREETS: [&str; 5] = ["Blvd", "Ave", "St", "Ln", ""];

/// Random letters between blanks, as Olio's own loader writes.
pub(super) struct Letters;

impl Author for Letters {
    fn address(&self, rng: &mut Rng) -> Address {
        let number = rng.range_inclusive(1, 5) as usize;
        let number = text::digits(rng, number);
        let street = text::name(rng, 1, 11);
        let kind = pick(rng, &STREETS);
        Address {
            street1: format!("{number} {street} {kind}").trim_end().to_string(),
            street2: text::half(rng).then(|| text::words(rng, 5, 20)),
            city: text::letters(rng, 4, 14),
            state: text::letters(rng, 2, 2).to_ascii_uppercase(),
            zip: text::digits(rng, 5),
            country: if text::half(rng) { "USA".to_string() } else { text::name(rng, 6, 16) },
        }
    }

    fn person(&self, rng: &mut Rng) -> Person {
        Person {
            firstname: text::name(rng, 2, 12),
            lastname: text::name(rng, 5, 15),
            mail_host: text::letters(rng, 3, 10) + ".com",
        }
    }

    fn about(&self, rng: &mut Rng) -> String {
        text::words(rng, 250, 2500)
    }

    fn announcement(&self, rng: &mut Rng) -> Announcement {
        Announcement {
            title: text::words(rng, 15, 20),
            summary: text::words(rng, 50, 90),
            description: text::words(rng, 50, 495),
        }
    }

    fn comment(&self, rng: &mut Rng) -> String {
        text::letters(rng, 10, 1000)
    }
}
