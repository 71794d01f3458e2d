//! The device as a whole: pages that change through the log, pages that change in place, and what is where.
//!
//! What keeps it safe:
//! - A record counts only if it is whole, bears the superblock's epoch and follows the one before.
//! - A block changed by a record still in the log is never written in place except with content that the log
//!   has, flushed: a mount that repeats the log ends with the same bytes.
//! - The log's oldest part is given up only after its pages are in place and flushed, and the superblock that
//!   says so is flushed as well.
//! - After an error of a write or flush nothing is known of the device, so nothing more is written.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use libsqlite3_sys as ffi;

use super::super::VfsError;
use super::ahead::Ahead;
use super::device::{BLOCK_BYTES, BlockDevice};
use super::layout::{SLOT_BLOCKS, Superblock};
use super::page::{Page, Pool, differences};
use super::record::Head;
use super::replay;
use super::ring::Ring;
use super::round::Round;
use super::space::Space;
use super::tables::{Change, Owner, Tables, is_journal};
use super::{FormatOptions, MountError};

/// A page that changed by more bytes than this goes into the log whole.
const MOST_PATCH: usize = 1536;
/// Freed chunks are offered to the device when they are at least so many blocks: a journal's are not.
const DISCARD_BLOCKS: u64 = 1024;

/// A page with changes in the log.
pub(super) struct Cached {
    pub page: Box<Page>,
    /// The record that holds it whole, the newest of them; 0 without one.
    pub whole: u64,
    /// The oldest record since whose changes the block in place may not know, and the newest.
    pub oldest: u64,
    pub newest: u64,
}

/// A mounted device.
pub(super) struct Volume {
    pub(super) device: Box<dyn BlockDevice>,
    pub(super) superblock: Superblock,
    /// Files and chunks as superblock and log have them.
    tables: Tables,
    pub(super) ring: Ring,
    /// The newest record that is surely on the medium.
    flushed: u64,
    pub(super) cache: BTreeMap<u64, Cached>,
    pub(super) round: Option<Round>,
    pub(super) space: Space,
    pub(super) pool: Pool,
    pub(super) ahead: Ahead,
    /// Blocks of records since the checkpoint was last moved on.
    pub(super) appended: u64,
    /// Superblocks that do not tell of a file's creation yet.
    unaware: u8,
    /// Whether a superblock was written since the last flush.
    has_published: bool,
    /// Whether something waits for a flush that somebody may rely on.
    unflushed: bool,
    broken: bool,
}

impl Volume {
    /// Writes an empty volume.
    // An image calls it once, and its program, which is less small, would take it in.
    #[inline(never)]
    pub(super) fn format(device: &mut dyn BlockDevice, options: &FormatOptions) -> Result<(), MountError> {
        let mut superblock = Superblock::plan(device.blocks(), options)?;
        // An epoch that an earlier volume on this device had would bring its log back to life.
        let mut epoch = [0; 8];
        // SAFETY: `epoch` is writable for its length.
        unsafe { ffi::sqlite3_randomness(6, epoch.as_mut_ptr().cast()) };
        superblock.epoch = u64::from_le_bytes(epoch);
        let tables = Tables::new(superblock.chunks);
        for generation in 0..2 {
            superblock.generation = generation;
            device.write(Superblock::slot_start(generation), &[&superblock.encode(&tables)])?;
        }
        device.flush()?;
        Ok(())
    }

    /// Opens what a device holds, and brings its log into place.
    pub(super) fn mount(
        mut device: Box<dyn BlockDevice>,
    ) -> Result<(Self, Tables, Vec<Vec<u32>>), MountError> {
        let (mut superblock, mut tables, alone) = Self::find(&mut *device)?;
        replay::replay(&mut *device, &superblock, &mut tables, alone)?;
        let lists = tables.files_chunks(superblock.chunk_blocks)?;
        device.flush()?;
        superblock.epoch += 1;
        (superblock.tail, superblock.tail_seq, superblock.least_seq) = (0, 1, 0);
        // Both, so that from here on either is of this epoch.
        for _ in 0..2 {
            superblock.generation += 1;
            device.write(Superblock::slot_start(superblock.generation), &[&superblock.encode(&tables)])?;
            device.flush()?;
        }
        let volume = Self {
            ring: Ring::new(superblock.log_blocks),
            flushed: 0,
            cache: BTreeMap::new(),
            round: None,
            space: Space::new(superblock.chunks, &lists),
            pool: Pool::new(superblock.record_blocks()),
            ahead: Ahead::new(device.read_ahead()),
            appended: 0,
            unaware: 0,
            has_published: false,
            unflushed: false,
            broken: false,
            tables: tables.clone(),
            device,
            superblock,
        };
        Ok((volume, tables, lists))
    }

    /// The newest superblock that is whole, its tables, and whether the other one is not.
    fn find(device: &mut dyn BlockDevice) -> Result<(Superblock, Tables, bool), MountError> {
        if device.blocks() < 2 * SLOT_BLOCKS {
            return Err(MountError::NotFormatted);
        }
        let mut bytes = alloc::vec![0; SLOT_BLOCKS as usize * BLOCK_BYTES];
        let mut slot = |generation| {
            device.read(Superblock::slot_start(generation), &mut bytes)?;
            let found = Superblock::decode(&bytes, device.blocks())?;
            let place = MountError::Damaged("a superblock is in the other one's place");
            if found.0.generation % 2 == generation { Ok(found) } else { Err(place) }
        };
        match (slot(0), slot(1)) {
            (Ok(one), Ok(other)) => {
                let (superblock, tables) = if one.0.generation > other.0.generation { one } else { other };
                Ok((superblock, tables, false))
            }
            (Ok(one), Err(_)) | (Err(_), Ok(one)) => Ok((one.0, one.1, true)),
            (Err(MountError::NotFormatted), Err(error)) | (Err(error), Err(_)) => Err(error),
        }
    }

    /// Who owns each chunk, as superblock and log have it.
    pub(super) fn owners(&self) -> &[Option<Owner>] {
        &self.tables.chunks
    }

    /// Whether the log still holds changes of a block.
    pub(super) fn is_logged(&self, block: u64) -> bool {
        self.cache.contains_key(&block)
    }

    /// Pages that one record surely holds beside changes of the tables.
    pub(super) fn record_pages(&self, changes: usize) -> usize {
        // A change takes 10 bytes at most but one with a name; a page is listed with 9.
        let blocks = self.superblock.record_blocks();
        let head = (changes * 10 + 512 + blocks * 9).div_ceil(BLOCK_BYTES);
        blocks.saturating_sub(head)
    }

    /// Reads a part of a block as it is now; behind it are `more` blocks of the same file.
    pub(super) fn read(
        &mut self,
        block: u64,
        more: u64,
        offset: usize,
        out: &mut [u8],
    ) -> Result<(), VfsError> {
        if let Some(cached) = self.cache.get(&block) {
            out.copy_from_slice(&cached.page.0[offset..offset + out.len()]);
            return Ok(());
        }
        self.ahead.read(&mut *self.device, block, more, offset, out)
    }

    /// Writes pages in place, neighbours in one request.
    pub(super) fn write_in_place(&mut self, pages: &[(u64, &Page)]) -> Result<(), VfsError> {
        self.is_sound()?;
        let mut outcome = Ok(());
        for run in pages.chunk_by(|one, next| one.0 + 1 == next.0) {
            let parts: Vec<&[u8]> = run.iter().map(|(_, page)| &page.0[..]).collect();
            self.ahead.forget(run[0].0, parts.len() as u64);
            outcome = outcome.and_then(|()| self.device.write(run[0].0, &parts));
        }
        self.unflushed = true;
        self.or_broken(outcome)
    }

    /// Writes one record: all of it survives a power cut, or nothing. Not flushed.
    ///
    /// # Errors
    /// [`VfsError::Io`] when it does not fit a record, or as the device fails.
    pub(super) fn append(
        &mut self,
        changes: &[Change],
        pages: BTreeMap<u64, Box<Page>>,
    ) -> Result<(), VfsError> {
        self.is_sound()?;
        if pages.len() > self.record_pages(changes.len()) {
            return Err(VfsError::Io);
        }
        let start = self.make_room(self.superblock.record_blocks().min(pages.len() * 2 + 32) as u64)?;
        let seq = self.ring.next_seq();
        let mut head = Head::new();
        changes.iter().for_each(|change| head.change(change));
        let mut whole = Vec::new();
        for (block, page) in &pages {
            let known = self.cache.get(block);
            match known.and_then(|cached| differences(&cached.page, page, MOST_PATCH)) {
                Some(ranges) => head.patch(*block, page, &ranges),
                None => {
                    head.whole(*block);
                    whole.push((*block, &**page));
                }
            }
        }
        let blocks = head.blocks() as u64;
        let sealed = head.seal(self.superblock.epoch, seq, self.flushed, whole.iter().map(|(_, page)| *page));
        let mut parts = alloc::vec![&sealed[..]];
        parts.extend(whole.iter().map(|(_, page)| &page.0[..]));
        let outcome = self.device.write(self.superblock.log_start() + start, &parts);
        self.or_broken(outcome)?;
        let whole: Vec<u64> = whole.into_iter().map(|(block, _)| block).collect();
        self.ring.push(start, blocks);
        self.appended += blocks;
        self.unflushed = true;
        for change in changes {
            if matches!(change, Change::File(_, entry) if !is_journal(&entry.name)) {
                self.unaware = 2;
            }
            self.tables.apply(change);
        }
        self.note(seq, pages, &whole);
        Ok(())
    }

    /// Keeps the pages of record `seq`, of which it holds `whole` as they are.
    fn note(&mut self, seq: u64, pages: BTreeMap<u64, Box<Page>>, whole: &[u64]) {
        for (block, page) in pages {
            let is_whole = whole.binary_search(&block).is_ok();
            let old = self.cache.remove(&block);
            let (before, oldest) = old.as_ref().map_or((0, seq), |old| (old.whole, old.oldest));
            let cached = Cached { page, whole: if is_whole { seq } else { before }, oldest, newest: seq };
            self.cache.insert(block, cached);
            if let Some(old) = old {
                self.pool.put(old.page);
            }
        }
    }

    /// Returns when everything written is on the medium; then takes the checkpoint a step further.
    pub(super) fn flush(&mut self) -> Result<(), VfsError> {
        self.is_sound()?;
        if !self.unflushed {
            return Ok(());
        }
        self.flush_and_advance(false)
    }

    fn flush_and_advance(&mut self, hurry: bool) -> Result<(), VfsError> {
        let outcome = self.device.flush();
        self.or_broken(outcome)?;
        (self.unflushed, self.has_published) = (false, false);
        self.flushed = self.ring.next_seq() - 1;
        let freed = self.space.settle();
        let many = freed.len() as u64 * self.superblock.chunk_blocks >= DISCARD_BLOCKS;
        for chunk in freed {
            let first = self.superblock.chunk_start(chunk);
            let end = first + self.superblock.chunk_blocks;
            // A mount that repeats the log leaves them out as well: from now on they may be written in place.
            while let Some((&block, _)) = self.cache.range(first..end).next() {
                if let Some(cached) = self.cache.remove(&block) {
                    self.pool.put(cached.page);
                }
            }
            if many {
                self.ahead.forget(first, self.superblock.chunk_blocks);
                self.device.discard(first, self.superblock.chunk_blocks)?;
            }
        }
        let outcome = self.advance(hurry).and_then(|()| self.tell_of_files());
        self.or_broken(outcome)
    }

    /// Has both superblocks know of new files, so that a disk with a database does not look like an empty one
    /// when its log rots. Right after a flush and the checkpoint's step.
    fn tell_of_files(&mut self) -> Result<(), VfsError> {
        // A power cut could take both, were two of them written between the same flushes.
        if self.unaware == 0 || self.has_published {
            return Ok(());
        }
        self.publish(self.superblock.tail, self.superblock.tail_seq)
    }

    /// Where a record of at most `blocks` can go, after as much of the checkpoint as it takes.
    fn make_room(&mut self, blocks: u64) -> Result<u64, VfsError> {
        // A round of the checkpoint takes three flushes and frees a quarter of the log; a record needs a
        // quarter at most, and another one may be lost at the end of the log.
        for _ in 0..12 {
            let many = self.cache.len() as u64 > self.superblock.log_blocks;
            if let (Some(start), false) = (self.ring.room(blocks), many) {
                return Ok(start);
            }
            self.flush_and_advance(true)?;
        }
        Err(VfsError::Io)
    }

    /// Writes the next superblock, with the log's tail at `tail`. Not flushed; what came before is.
    pub(super) fn publish(&mut self, tail: u64, tail_seq: u64) -> Result<(), VfsError> {
        self.superblock.generation += 1;
        (self.superblock.tail, self.superblock.tail_seq) = (tail, tail_seq);
        self.superblock.least_seq = self.ring.next_seq() - 1;
        self.unaware = self.unaware.saturating_sub(1);
        self.has_published = true;
        let place = Superblock::slot_start(self.superblock.generation);
        self.device.write(place, &[&self.superblock.encode(&self.tables)])
    }

    /// Whether the device can still be trusted.
    pub(super) fn is_sound(&self) -> Result<(), VfsError> {
        if self.broken { Err(VfsError::Io) } else { Ok(()) }
    }

    fn or_broken(&mut self, outcome: Result<(), VfsError>) -> Result<(), VfsError> {
        self.broken |= outcome.is_err();
        outcome
    }
}
