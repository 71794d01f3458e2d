//! Which chunks are free.

use alloc::vec;
use alloc::vec::Vec;

/// The chunks in use, as this process knows it.
pub(super) struct Space {
    used: Vec<bool>,
    /// Free as soon as the record that says so is on the medium: before, a power cut could bring their owner
    /// back, and it must find them unchanged.
    pending: Vec<u32>,
}

impl Space {
    /// All free but the chunks in `lists`.
    pub(super) fn new(chunks: usize, lists: &[Vec<u32>]) -> Self {
        let mut used = vec![false; chunks];
        for chunk in lists.iter().flatten() {
            used[*chunk as usize] = true;
        }
        Self { used, pending: Vec::new() }
    }

    /// A free chunk, the one after `near` if it can be had.
    pub(super) fn take(&mut self, near: Option<u32>) -> Option<u32> {
        let from = near.map_or(0, |near| near as usize + 1);
        let found = (from..self.used.len()).chain(0..from).find(|chunk| !self.used[*chunk])?;
        self.used[found] = true;
        Some(found as u32)
    }

    /// Gives back chunks that the device never knew to be taken.
    pub(super) fn put(&mut self, chunks: impl IntoIterator<Item = u32>) {
        for chunk in chunks {
            self.used[chunk as usize] = false;
        }
    }

    /// Gives back chunks whose release was just written and not yet flushed.
    pub(super) fn put_after_flush(&mut self, chunks: Vec<u32>) {
        self.pending.extend(chunks);
    }

    /// Whether a flush would free chunks.
    pub(super) fn waits(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Whether somebody has or had the chunk, and it may not be given to another.
    pub(super) fn is_used(&self, chunk: u32) -> bool {
        self.used[chunk as usize]
    }

    /// What a flush would free.
    pub(super) fn pending(&self) -> &[u32] {
        &self.pending
    }

    /// After a flush: what is free now.
    pub(super) fn settle(&mut self) -> Vec<u32> {
        let freed = core::mem::take(&mut self.pending);
        self.put(freed.iter().copied());
        freed
    }
}
