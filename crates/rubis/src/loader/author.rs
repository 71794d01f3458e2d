//! Who writes the texts of a data set: one in random letters, one in English.

use alloc::string::String;

use loadstone_stats::Rng;

mod english;
mod letters;

pub(super) use english::English;
pub(super) use letters::{Letters, Words};

/// Most bytes of an item's description.
const DESCRIPTION: usize = 7 * 1024;
/// Most bytes of a comment.
const COMMENT: usize = 2 * 1024;

/// Names of a user.
pub(super) struct Person {
    pub firstname: String,
    pub lastname: String,
    pub nickname: String,
}

/// Texts from random numbers; descriptions have 1..=7168 bytes and comments 1..=2048, uniformly.
pub(super) trait Author {
    fn person(&self, rng: &mut Rng, id: u64) -> Person;
    /// The name of what is sold.
    fn item(&self, rng: &mut Rng, id: u64) -> String;
    fn description(&self, rng: &mut Rng) -> String;
    fn comment(&self, rng: &mut Rng) -> String;
}
