//! What holds between two calls. Builds with debug assertions check it after all that moves pages, chunks or
//! records: in every test and under the fuzzer. A release build skips it, since it looks at all chunks.

use alloc::vec;

use super::device::BLOCK_BYTES;
use super::files::Files;
use super::ring::{Ring, Span};
use super::tables::MOST_FILES;
use super::volume::Volume;

impl Files {
    /// # Panics
    /// When files, chunks, log and cache contradict each other: then a later write would destroy data.
    pub(super) fn assert_sound(&self) {
        // After an error of the device nothing is written any more, and what is in memory means nothing.
        if self.volume.is_sound().is_err() {
            return;
        }
        self.volume.assert_sound();
        let chunk_bytes = self.volume.superblock.chunk_blocks * BLOCK_BYTES as u64;
        let mut owners = vec![None; self.volume.superblock.chunks];
        let mut places = [false; MOST_FILES];
        for (id, content) in self.contents() {
            content.assert_sound(chunk_bytes);
            if let Some((index, name)) = &content.named {
                let taken = core::mem::replace(&mut places[usize::from(*index)], true);
                assert!(!taken, "two files are at place {index} of the table, one is {name}");
            }
            for chunk in content.all_chunks() {
                let before = owners[chunk as usize].replace(id);
                assert!(before.is_none(), "chunk {chunk} belongs to files {before:?} and {id}");
                assert!(self.volume.space.is_used(chunk), "chunk {chunk} of file {id} counts as free");
            }
        }
        for chunk in self.volume.space.pending() {
            let owner = owners[*chunk as usize];
            assert!(owner.is_none(), "chunk {chunk} will be free, and file {owner:?} has it");
        }
    }
}

impl Volume {
    fn assert_sound(&self) {
        self.ring.assert_sound();
        let data = self.superblock.data_start()..self.superblock.end();
        for (block, cached) in &self.cache {
            assert!(data.contains(block), "block {block} is no data, and the log changes it");
            assert!(cached.oldest <= cached.newest && cached.whole <= cached.newest);
            assert!(cached.newest < self.ring.next_seq(), "block {block} is from a record yet to come");
            // Else a mount would not find in the log what the block in place does not know.
            let oldest = self.ring.spans().next().map_or(u64::MAX, |span| span.seq);
            assert!(cached.oldest >= oldest, "the log gave up record {} of block {block}", cached.oldest);
        }
        for (chunk, owner) in (0u32..).zip(self.owners()) {
            assert!(owner.is_none() || self.space.is_used(chunk), "a mount finds chunk {chunk} used");
        }
    }
}

impl Ring {
    fn assert_sound(&self) {
        let mut before: Option<Span> = None;
        for span in self.spans() {
            assert!(span.blocks > 0 && span.end() <= self.length(), "{span:?} is outside the log");
            if let Some(before) = before {
                assert_eq!(span.seq, before.seq + 1, "a record is missing before {span:?}");
            }
            before = Some(*span);
        }
        assert!(before.is_none_or(|newest| newest.seq + 1 == self.next_seq()));
        // A record that begins before the one ahead of it has wrapped around; that happens once.
        let starts = self.spans().zip(self.spans().skip(1));
        assert!(starts.filter(|(one, next)| next.start < one.end()).count() <= 1, "records overlap");
        if let (Some(oldest), Some(newest)) = (self.spans().next(), before)
            && newest.start < oldest.start
        {
            assert!(newest.end() <= oldest.start, "{newest:?} is written over {oldest:?}");
        }
    }
}
