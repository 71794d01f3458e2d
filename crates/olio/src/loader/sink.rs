//! Where rows go: streams to draw from, the database, counts and progress.

use loadstone_stats::Rng;
use loadstone_store::{Bulk, Db, Result, Value};

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

/// Rows between two reports of progress.
const REPORT_EVERY: u64 = 4096;

pub(super) struct Sink<'s> {
    db: &'s Db,
    pub options: &'s LoadOptions,
    pub counts: Counts,
    /// Rows of the table that is being filled.
    bulk: Option<Bulk<'s>>,
    progress: Progress<'s>,
    done: u64,
    expected: u64,
}

impl<'s> Sink<'s> {
    pub(super) fn new(db: &'s Db, options: &'s LoadOptions, progress: Progress<'s>) -> Self {
        // Means of the laws: 15 friends a user; 4 tags, 55 attendees and 10 comments an event.
        let expected = 17 * options.accounts + options.tags() + 70 * options.events();
        Self { db, options, counts: Counts::default(), bulk: None, progress, done: 0, expected }
    }

    /// The stream of row `id`: number (table * 2^56 + id) of the data set's seed.
    pub(super) fn stream(&self, of: Stream, id: u64) -> Rng {
        Rng::stream(self.options.seed, (of as u64) << 56 | id)
    }

    pub(super) fn insert(&mut self, sql: &'static str, row: &[Value<'_>]) -> Result<()> {
        if self.bulk.as_ref().is_none_or(|bulk| !core::ptr::eq(bulk.sql(), sql)) {
            self.flush()?;
        }
        let db = self.db;
        self.bulk.get_or_insert_with(|| db.bulk(sql)).push(row)?;
        self.done += 1;
        if self.done.is_multiple_of(REPORT_EVERY) {
            (self.progress)(self.done.min(self.expected), self.expected);
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Counts> {
        self.flush()?;
        (self.progress)(self.expected, self.expected);
        Ok(self.counts)
    }

    fn flush(&mut self) -> Result<()> {
        self.bulk.take().map_or(Ok(()), Bulk::finish)
    }
}
