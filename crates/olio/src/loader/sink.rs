//! Where rows go: streams to draw from, the database, counts and progress.

use loadstone_stats::Rng;
use loadstone_store::{Db, Result, Value};
use loadstone_web::dataset::Rows;

use super::author::Author;
use super::{Counts, LoadOptions, Progress};

/// What a stream of random numbers is for; part of the stream's number.
#[derive(Clone, Copy)]
pub(super) enum Stream {
    Address = 1,
    User = 2,
    Event = 3,
    EventTag = 4,
    Attendance = 5,
    Comment = 6,
    Friendship = 7,
}

pub(super) struct Sink<'s> {
    pub options: &'s LoadOptions,
    pub author: &'static dyn Author,
    pub counts: Counts,
    rows: Rows<'s>,
}

impl<'s> Sink<'s> {
    pub(super) fn new(db: &'s Db, options: &'s LoadOptions, progress: Progress<'s>) -> Self {
        // Means of the laws: 15 friends a user; 4 tags, 55 attendees and 10 comments an event.
        let expected = 17 * options.accounts + options.tags() + 70 * options.events();
        let author = options.profile.author();
        Self { options, author, counts: Counts::default(), rows: Rows::new(db, progress, expected) }
    }

    /// The stream of row `id`: number (table * 2^56 + id) of the data set's seed.
    pub(super) fn stream(&self, of: Stream, id: u64) -> Rng {
        Rng::stream(self.options.seed, (of as u64) << 56 | id)
    }

    pub(super) fn insert(&mut self, sql: &'static str, row: &[Value<'_>]) -> Result<()> {
        self.rows.insert(sql, row)
    }

    pub(super) fn finish(self) -> Result<Counts> {
        self.rows.finish()?;
        Ok(self.counts)
    }
}
