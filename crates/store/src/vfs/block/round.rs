//! The checkpoint: pages go from the log to their places, a few after every flush.
//!
//! A round takes up the oldest quarter of the log. Its pages are written in place behind one flush, the next
//! flush makes them durable, then a superblock moves the log's tail, and the flush after that frees the
//! quarter. No flush is made for it: it lives on those of the commits. Only when the log is full does a
//! commit wait.

use alloc::vec::Vec;

use super::super::VfsError;
use super::page::Page;
use super::ring::Span;
use super::volume::Volume;

/// Pages in one step at least: fewer would not be worth a request.
const LEAST: u64 = 16;

/// A quarter of the log on its way.
pub(super) struct Round {
    /// The last record of it.
    upto: Span,
    /// Blocks still to be written, the last ones first.
    todo: Vec<u64>,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Pages are being written.
    Writing,
    /// All are, and the superblock is.
    Published,
}

impl Volume {
    /// The next step, right after a flush; the whole of it in a `hurry`.
    pub(super) fn advance(&mut self, hurry: bool) -> Result<(), VfsError> {
        let appended = core::mem::take(&mut self.appended);
        let Some(mut round) = self.round.take() else {
            let log = self.superblock.log_blocks;
            let due = self.ring.used() > log / 2 || self.cache.len() as u64 > log * 3 / 4;
            if (due || hurry)
                // A commit that has to wait for the round's flushes should not have to wait again soon.
                && let Some(upto) = self.ring.reach(if hurry { log } else { log / 4 })
            {
                self.begin(upto);
                return self.write_some(hurry, appended);
            }
            return Ok(());
        };
        match round.stage {
            Stage::Writing if round.todo.is_empty() => {
                self.publish(round.upto.end(), round.upto.seq + 1)?;
                round.stage = Stage::Published;
                self.round = Some(round);
                Ok(())
            }
            Stage::Writing => {
                self.round = Some(round);
                self.write_some(hurry, appended)
            }
            Stage::Published => {
                self.release(round.upto.seq);
                Ok(())
            }
        }
    }

    fn begin(&mut self, upto: Span) {
        let seq = upto.seq;
        // A page that a later record holds whole needs nothing from the older ones.
        let stays = self.cache.iter().filter(|(_, cached)| cached.oldest <= seq && cached.whole <= seq);
        let todo = stays.map(|(block, _)| *block).rev().collect();
        self.round = Some(Round { upto, todo, stage: Stage::Writing });
    }

    /// Writes as many pages as keep the round ahead of the log.
    fn write_some(&mut self, hurry: bool, appended: u64) -> Result<(), VfsError> {
        let Some(mut round) = self.round.take() else { return Ok(()) };
        // A quarter of the log is due within the next one; twice that speed leaves time for its flushes.
        let budget = if hurry { usize::MAX } else { (2 * appended).max(LEAST) as usize };
        let keep = round.todo.len().saturating_sub(budget);
        let blocks = round.todo.split_off(keep);
        self.round = Some(round);
        let taken: Vec<_> =
            blocks.into_iter().rev().filter_map(|block| Some((block, self.cache.remove(&block)?))).collect();
        let pages: Vec<(u64, &Page)> = taken.iter().map(|(block, cached)| (*block, &*cached.page)).collect();
        let outcome = self.write_checkpoint(&pages);
        self.cache.extend(taken);
        outcome
    }

    fn write_checkpoint(&mut self, pages: &[(u64, &Page)]) -> Result<(), VfsError> {
        for run in pages.chunk_by(|one, next| one.0 + 1 == next.0) {
            let parts: Vec<&[u8]> = run.iter().map(|(_, page)| &page.0[..]).collect();
            self.ahead.forget(run[0].0, parts.len() as u64);
            self.device.write(run[0].0, &parts)?;
        }
        Ok(())
    }

    /// The records up to `seq` are not needed any more.
    fn release(&mut self, seq: u64) {
        self.ring.release(seq);
        let done: Vec<u64> =
            self.cache.iter().filter(|(_, cached)| cached.newest <= seq).map(|(block, _)| *block).collect();
        for block in done {
            if let Some(cached) = self.cache.remove(&block) {
                self.pool.put(cached.page);
            }
        }
        for cached in self.cache.values_mut() {
            cached.oldest = cached.oldest.max(seq + 1);
        }
    }
}
