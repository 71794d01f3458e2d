//! Where records of the log are: a ring of blocks in which a record never wraps around.

use alloc::collections::VecDeque;

/// A record's place, in blocks from the start of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub seq: u64,
    pub start: u64,
    pub blocks: u64,
}

impl Span {
    /// Where the next record begins unless it has to begin at the start of the log.
    pub(super) fn end(&self) -> u64 {
        self.start + self.blocks
    }
}

/// The records that are still needed.
pub(super) struct Ring {
    length: u64,
    live: VecDeque<Span>,
    /// Where the next record goes if it fits.
    head: u64,
    next_seq: u64,
}

impl Ring {
    /// An empty ring of so many blocks, whose first record has the number 1.
    pub(super) fn new(length: u64) -> Self {
        Self { length, live: VecDeque::new(), head: 0, next_seq: 1 }
    }

    /// Number of the next record.
    pub(super) fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Where a record of `blocks` can be written; none when it would touch a record still needed.
    pub(super) fn room(&self, blocks: u64) -> Option<u64> {
        let to_end = self.head + blocks <= self.length;
        let Some(oldest) = self.live.front() else {
            return if to_end { Some(self.head) } else { (blocks <= self.length).then_some(0) };
        };
        let wrapped = self.live.back().is_some_and(|newest| newest.start < oldest.start);
        if wrapped {
            (self.head + blocks <= oldest.start).then_some(self.head)
        } else if to_end {
            Some(self.head)
        } else {
            (blocks <= oldest.start).then_some(0)
        }
    }

    /// Notes the record written at `start`.
    pub(super) fn push(&mut self, start: u64, blocks: u64) {
        self.live.push_back(Span { seq: self.next_seq, start, blocks });
        self.next_seq += 1;
        self.head = start + blocks;
    }

    /// Blocks between the oldest record and the newest, gaps included.
    pub(super) fn used(&self) -> u64 {
        match (self.live.front(), self.live.back()) {
            (Some(oldest), Some(newest)) if newest.start < oldest.start => {
                self.length - oldest.start + newest.end()
            }
            (Some(oldest), Some(newest)) => newest.end() - oldest.start,
            _ => 0,
        }
    }

    /// The record up to which the oldest `blocks` blocks reach, or the newest one.
    pub(super) fn reach(&self, blocks: u64) -> Option<Span> {
        let mut sum = 0;
        let enough = self.live.iter().find(|span| {
            sum += span.blocks;
            sum >= blocks
        });
        enough.or(self.live.back()).copied()
    }

    /// The records, the oldest first.
    pub(super) fn spans(&self) -> impl Iterator<Item = &Span> {
        self.live.iter()
    }

    /// Blocks of the log.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Forgets the records up to `seq`.
    pub(super) fn release(&mut self, seq: u64) {
        while self.live.front().is_some_and(|span| span.seq <= seq) {
            self.live.pop_front();
        }
    }
}
