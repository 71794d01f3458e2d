//! Pages: blocks in memory, aligned as disks like them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::device::BLOCK_BYTES;

/// The content of a block. Aligned to its size, so that a device may take it without a copy.
#[repr(C, align(4096))]
#[derive(Clone)]
pub(super) struct Page(pub [u8; BLOCK_BYTES]);

/// Pages that were used before: the next ones are taken from here instead of from the allocator.
pub(super) struct Pool {
    free: Vec<Box<Page>>,
    most: usize,
}

impl Pool {
    /// A pool that keeps up to `most` pages.
    pub(super) fn new(most: usize) -> Self {
        Self { free: Vec::new(), most }
    }

    /// A page with what was in it before.
    pub(super) fn take(&mut self) -> Box<Page> {
        self.free.pop().unwrap_or_else(|| Box::new(Page([0; BLOCK_BYTES])))
    }

    /// Keeps a page for the next one who asks.
    pub(super) fn put(&mut self, page: Box<Page>) {
        if self.free.len() < self.most {
            self.free.push(page);
        }
    }
}

/// The bytes of `pages`, one after the other.
pub(super) fn bytes_of(pages: &mut [Page]) -> &mut [u8] {
    let length = size_of_val(pages);
    // SAFETY: `Page` is an array of bytes and nothing else, as large as its alignment: no padding.
    unsafe { core::slice::from_raw_parts_mut(pages.as_mut_ptr().cast(), length) }
}

/// Ranges of bytes in which two pages differ, at most this many.
pub(super) const MOST_RANGES: usize = 32;
/// Equal bytes between two differences that are not worth a new range.
const GAP: usize = 8;

/// Where `new` differs from `old`, as ranges in order; none when `most_bytes` or [`MOST_RANGES`] do not
/// suffice.
pub(super) fn differences(old: &Page, new: &Page, most_bytes: usize) -> Option<Vec<(usize, usize)>> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    let mut total = 0;
    for word in (0..BLOCK_BYTES).step_by(GAP) {
        if old.0[word..word + GAP] == new.0[word..word + GAP] {
            continue;
        }
        total += GAP;
        match ranges.last_mut() {
            Some((_, end)) if word - *end <= GAP => {
                total += word - *end;
                *end = word + GAP;
            }
            _ => ranges.push((word, word + GAP)),
        }
        if total > most_bytes || ranges.len() > MOST_RANGES {
            return None;
        }
    }
    Some(ranges)
}
