//! A file as this process has it: its size, its chunks, and pages that are not on the device yet.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::{LockTable, VfsError};
use super::device::BLOCK_BYTES;
use super::page::Page;
use super::sums;
use super::tables::{Change, Entry, Owner, is_journal};
use super::volume::Volume;

/// A file, open or not.
pub(super) struct Content {
    /// Its place in the table of files and its name; none for a temporary or deleted file.
    pub named: Option<(u8, String)>,
    /// Whether it is a rollback journal: what a mount finds of it must be what a sync made of it.
    pub is_journal: bool,
    is_database: bool,
    pub size: u64,
    chunks: Vec<u32>,
    /// What log and superblock know of it.
    pub known: Known,
    /// Chunks that it gave up but that log and superblock still give it.
    freed: Vec<u32>,
    /// Pages newer than those on the device, by their number in the file.
    pub dirty: BTreeMap<u64, Box<Page>>,
    /// Whether pages went to the device since the last commit point, so that the rest is no whole.
    pub is_spilled: bool,
    batch: Option<Batch>,
    pub locks: LockTable,
    pub handles: usize,
}

/// The part of a file that would be found after a power cut.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    pub exists: bool,
    pub size: u64,
    pub chunks: usize,
}

/// Where an atomic write began.
struct Batch {
    size: u64,
    chunks: usize,
}

impl Content {
    /// An empty file.
    pub(super) fn new(named: Option<(u8, String)>) -> Self {
        Self::found(named, 0, Vec::new(), Known::default())
    }

    /// A file as a mount found it.
    pub(super) fn mounted(index: u8, entry: &Entry, chunks: Vec<u32>) -> Self {
        let known = Known { exists: true, size: entry.size, chunks: chunks.len() };
        Self::found(Some((index, entry.name.clone())), entry.size, chunks, known)
    }

    fn found(named: Option<(u8, String)>, size: u64, chunks: Vec<u32>, known: Known) -> Self {
        Self {
            is_journal: named.as_ref().is_some_and(|(_, name)| is_journal(name)),
            is_database: named.as_ref().is_some_and(|(_, name)| sums::is_database(name)),
            named,
            size,
            chunks,
            known,
            freed: Vec::new(),
            dirty: BTreeMap::new(),
            is_spilled: false,
            batch: None,
            locks: LockTable::default(),
            handles: 0,
        }
    }

    /// Whether it has this name.
    pub(super) fn is_called(&self, wanted: &str) -> bool {
        self.named.as_ref().is_some_and(|(_, name)| name == wanted)
    }

    /// Whether its pages bear checksums.
    pub(super) fn is_checked(&self, volume: &Volume) -> bool {
        volume.superblock.checked && self.is_database
    }

    /// Gives a page that was written its checksum, if it is to have one.
    ///
    /// # Errors
    /// [`VfsError::Io`] when the file is no database that leaves room for one: what it has there would be lost.
    pub(super) fn stamp(&mut self, volume: &Volume, number: u64) -> Result<(), VfsError> {
        if !self.is_checked(volume) {
            return Ok(());
        }
        let page = self.dirty.get_mut(&number).ok_or(VfsError::Io)?;
        // A large first transaction writes its later pages first: what lies before them is zeros until then.
        if number == 0 && !sums::has_room(page) && page.0.iter().any(|byte| *byte != 0) {
            return Err(VfsError::Io);
        }
        sums::stamp(page, number);
        Ok(())
    }

    /// Pages, the last one perhaps in part.
    pub(super) fn pages(&self) -> u64 {
        self.size.div_ceil(BLOCK_BYTES as u64)
    }

    /// The block of a page, and how many of the following pages are on the blocks behind it.
    pub(super) fn place(&self, volume: &Volume, page: u64) -> (u64, u64) {
        let per_chunk = volume.superblock.chunk_blocks;
        let (index, within) = ((page / per_chunk) as usize, page % per_chunk);
        let neighbours = self.chunks[index..].windows(2).take_while(|pair| pair[0] + 1 == pair[1]);
        // Nobody reads further ahead than a few chunks.
        let more = neighbours.take(4).count() as u64 * per_chunk + per_chunk - within - 1;
        let left = self.pages().saturating_sub(page + 1);
        (volume.superblock.chunk_start(self.chunks[index]) + within, more.min(left))
    }

    /// Takes chunks until `size` bytes have blocks.
    pub(super) fn reserve(&mut self, volume: &mut Volume, size: u64) -> Result<(), VfsError> {
        let chunk_bytes = volume.superblock.chunk_blocks * BLOCK_BYTES as u64;
        let wanted = usize::try_from(size.div_ceil(chunk_bytes)).map_err(|_| VfsError::Full)?;
        let before = self.chunks.len();
        while self.chunks.len() < wanted {
            let near = self.chunks.last().copied();
            let chunk = match volume.space.take(near) {
                None if volume.space.waits() => {
                    volume.flush()?;
                    volume.space.take(near)
                }
                taken => taken,
            };
            let Some(chunk) = chunk else {
                self.keep_chunks(volume, before);
                return Err(VfsError::Full);
            };
            self.chunks.push(chunk);
        }
        Ok(())
    }

    /// Gives up the chunks and pages behind `size` bytes, which is the new size.
    pub(super) fn cut(&mut self, volume: &mut Volume, size: u64) {
        self.size = size;
        let chunk_bytes = volume.superblock.chunk_blocks * BLOCK_BYTES as u64;
        self.keep_chunks(volume, size.div_ceil(chunk_bytes) as usize);
        for (_, page) in self.dirty.split_off(&self.pages()) {
            volume.pool.put(page);
        }
        // What is behind the end reads as zeros if the file grows over it. Pages on the device are cleared
        // when they are read to be written.
        let (last, within) = (size / BLOCK_BYTES as u64, size as usize % BLOCK_BYTES);
        if let Some(page) = self.dirty.get_mut(&last) {
            page.0[within..].fill(0);
        }
    }

    fn keep_chunks(&mut self, volume: &mut Volume, keep: usize) {
        if keep >= self.chunks.len() {
            return;
        }
        let known = self.known.chunks.max(keep).min(self.chunks.len());
        volume.space.put(self.chunks.split_off(known));
        self.freed.extend(self.chunks.split_off(keep));
        self.known.chunks = self.known.chunks.min(keep);
    }

    /// The chunks that it has, and those that it gave up but that a mount would still give it.
    pub(super) fn all_chunks(&self) -> impl Iterator<Item = u32> {
        self.chunks.iter().chain(&self.freed).copied()
    }

    /// # Panics
    /// When it has not the chunks of its size, or pages behind its end.
    pub(super) fn assert_sound(&self, chunk_bytes: u64) {
        let room = self.chunks.len() as u64 * chunk_bytes;
        assert!(self.size <= room, "{} bytes have room for {room}", self.size);
        assert!(self.known.chunks <= self.chunks.len(), "a mount finds chunks that the file has not");
        let last = self.dirty.last_key_value().map(|(page, _)| *page);
        assert!(last.is_none_or(|last| last < self.pages()), "page {last:?} is behind the file's end");
    }

    /// What log and superblock do not know yet.
    pub(super) fn changes(&self) -> Vec<Change> {
        let Some((index, name)) = &self.named else { return Vec::new() };
        let mut changes: Vec<Change> = self.freed.iter().map(|chunk| Change::Chunk(*chunk, None)).collect();
        if !self.known.exists {
            changes.push(Change::File(*index, Entry { name: name.clone(), size: self.size }));
        } else if self.known.size != self.size {
            changes.push(Change::Size(*index, self.size));
        }
        let new = (0u32..).zip(&self.chunks).skip(self.known.chunks);
        changes.extend(
            new.map(|(position, chunk)| Change::Chunk(*chunk, Some(Owner { file: *index, position }))),
        );
        changes
    }

    /// Notes that the [`Content::changes`] are in the log.
    pub(super) fn changes_are_known(&mut self, volume: &mut Volume) {
        self.known = Known { exists: true, size: self.size, chunks: self.chunks.len() };
        volume.space.put_after_flush(core::mem::take(&mut self.freed));
    }

    /// Makes it a file without a name: returns what takes it out of the tables, and its chunks there.
    pub(super) fn unname(&mut self, volume: &mut Volume) -> Option<(Vec<Change>, Vec<u32>)> {
        self.cut(volume, 0);
        let (index, _) = self.named.take()?;
        let freed = core::mem::take(&mut self.freed);
        let mut changes: Vec<Change> = freed.iter().map(|chunk| Change::Chunk(*chunk, None)).collect();
        changes.push(Change::Gone(index));
        core::mem::take(&mut self.known).exists.then_some((changes, freed))
    }

    /// Whether an atomic write is under way.
    pub(super) fn in_batch(&self) -> bool {
        self.batch.is_some()
    }

    /// Begins an atomic write. No page is dirty.
    pub(super) fn begin_batch(&mut self) {
        self.batch = Some(Batch { size: self.size, chunks: self.chunks.len() });
    }

    /// The atomic write is complete.
    pub(super) fn end_batch(&mut self) {
        self.batch = None;
    }

    /// Forgets the atomic write.
    pub(super) fn undo_batch(&mut self, volume: &mut Volume) {
        if let Some(batch) = self.batch.take() {
            for (_, page) in core::mem::take(&mut self.dirty) {
                volume.pool.put(page);
            }
            self.keep_chunks(volume, batch.chunks);
            self.size = batch.size;
        }
    }
}
