//! Blocks read before they are asked for, and the block of which parts are asked for again and again.

use alloc::boxed::Box;
use alloc::vec;

use super::super::VfsError;
use super::device::{BLOCK_BYTES, BlockDevice};
use super::page::{Page, bytes_of};

/// Blocks in one request at most, whatever the device would like.
const MOST: usize = 32;
/// Blocks in the first request of those that read ahead; doubled as long as it goes on.
const FIRST: usize = 4;
/// A block follows another one if it is at most so many further on: a scan skips what long values take, and
/// what the log still has.
const NEAR: u64 = 16;

/// What was read from the device and is still as it was.
pub(super) struct Ahead {
    pages: Box<[Page]>,
    start: u64,
    count: usize,
    /// Blocks in one request at most.
    most: usize,
    /// The block after the last one asked for.
    next: u64,
    /// A block of which a part was wanted: SQLite looks at 16 bytes of a database's first page every time it
    /// begins to read.
    part: Box<Page>,
    part_block: Option<u64>,
}

impl Ahead {
    /// Nothing read yet; requests of `most` blocks at most.
    pub(super) fn new(most: usize) -> Self {
        let blank = || Page([0; BLOCK_BYTES]);
        let most = most.clamp(1, MOST);
        let (pages, part) = (vec![blank(); most].into(), Box::new(blank()));
        Self { pages, start: 0, count: 0, most, next: u64::MAX, part, part_block: None }
    }

    /// Reads `out.len()` bytes of `block` from `offset` on; behind it are `more` blocks of the same file.
    pub(super) fn read(
        &mut self,
        device: &mut dyn BlockDevice,
        block: u64,
        more: u64,
        offset: usize,
        out: &mut [u8],
    ) -> Result<(), VfsError> {
        let end = self.start + self.count as u64;
        // Other blocks may come in between, such as a tree's inner pages.
        let goes_on = self.count > 0 && follows(block, end);
        let begins = follows(block, self.next);
        self.next = block + 1;
        let part_known = self.part_block == Some(block);
        let known = block >= self.start && block - self.start < self.count as u64;
        let page = if part_known {
            &self.part
        } else if known {
            &self.pages[(block - self.start) as usize]
        } else if (goes_on || begins) && more > 0 && self.most > 1 {
            let wanted = if goes_on { self.count * 2 } else { FIRST }.min(self.most);
            let count = wanted.min(usize::try_from(more).unwrap_or(MOST) + 1);
            self.count = 0;
            device.read(block, bytes_of(&mut self.pages[..count]))?;
            (self.start, self.count) = (block, count);
            &self.pages[0]
        } else if out.len() == BLOCK_BYTES {
            return device.read(block, out);
        } else {
            self.part_block = None;
            device.read(block, &mut self.part.0)?;
            self.part_block = Some(block);
            &self.part
        };
        out.copy_from_slice(&page.0[offset..offset + out.len()]);
        Ok(())
    }

    /// Forgets what was read of these blocks: they change.
    pub(super) fn forget(&mut self, first: u64, blocks: u64) {
        let meets = |start: u64, count: u64| first < start + count && start < first + blocks;
        if meets(self.start, self.count as u64) {
            self.count = 0;
        }
        if self.part_block.is_some_and(|block| meets(block, 1)) {
            self.part_block = None;
        }
    }
}

/// Whether a block is at `next` or little behind it.
fn follows(block: u64, next: u64) -> bool {
    block.checked_sub(next).is_some_and(|skipped| skipped < NEAR)
}
