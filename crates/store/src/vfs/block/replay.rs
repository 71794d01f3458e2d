//! What a mount does with the log: everything in it is brought to its place again.
//!
//! The log is read twice. Chunks that it frees may have got other content in place since, so that first the
//! last release of every chunk is looked for, and older pages of such a chunk stay away from it. The rest may
//! be repeated as often as power is cut meanwhile: pages and ranges are given by value, in their order.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::MountError;
use super::device::{BLOCK_BYTES, BlockDevice};
use super::layout::Superblock;
use super::page::{Page, Pool};
use super::record::{self, Step};
use super::tables::{Change, Tables};

/// Pages held before they are written in place.
const HELD: usize = 256;
/// Blocks of the log that are looked through at a time.
const SCANNED: usize = 32;

/// Brings `tables` and the blocks of the device up to date. `alone` says that the other superblock is lost.
pub(super) fn replay(
    device: &mut dyn BlockDevice,
    superblock: &Superblock,
    tables: &mut Tables,
    alone: bool,
) -> Result<(), MountError> {
    let mut released = vec![0; superblock.chunks];
    let found = records(device, superblock, |_, seq, steps| {
        for step in steps {
            if let Step::Change(Change::Chunk(chunk, None)) = step {
                *released.get_mut(*chunk as usize).ok_or(MountError::Damaged(OUTSIDE))? = seq;
            }
        }
        Ok(())
    })?;
    if superblock.tail_seq + found <= superblock.least_seq {
        return Err(MountError::Damaged("the log lacks what was in it"));
    }
    look_behind(device, superblock, superblock.tail_seq + found, alone)?;
    let mut held = Held { pages: BTreeMap::new(), pool: Pool::new(HELD) };
    records(device, superblock, |device, seq, steps| {
        for step in steps {
            match step {
                Step::Change(change) if tables.apply(change) => {}
                Step::Change(_) => {
                    return Err(MountError::Damaged("the log names a file or chunk that cannot be"));
                }
                Step::Whole(block, bytes) => {
                    if released[chunk_of(superblock, *block)?] < seq {
                        held.page(device, *block, false)?.0.copy_from_slice(bytes);
                    }
                }
                Step::Patch(block, ranges) => {
                    if released[chunk_of(superblock, *block)?] < seq {
                        let page = held.page(device, *block, true)?;
                        for (start, bytes) in ranges {
                            page.0[*start..][..bytes.len()].copy_from_slice(bytes);
                        }
                    }
                }
            }
        }
        Ok(())
    })?;
    held.write(device)
}

const OUTSIDE: &str = "the log names a block outside the data";

fn chunk_of(superblock: &Superblock, block: u64) -> Result<usize, MountError> {
    let inside = (superblock.data_start()..superblock.end()).contains(&block);
    let chunk = block.wrapping_sub(superblock.data_start()) / superblock.chunk_blocks;
    if inside { Ok(chunk as usize) } else { Err(MountError::Damaged(OUTSIDE)) }
}

/// Pages on their way to their places.
struct Held {
    pages: BTreeMap<u64, Box<Page>>,
    pool: Pool,
}

impl Held {
    fn page(
        &mut self,
        device: &mut dyn BlockDevice,
        block: u64,
        with_content: bool,
    ) -> Result<&mut Page, MountError> {
        if self.pages.len() >= HELD && !self.pages.contains_key(&block) {
            self.write(device)?;
        }
        let pool = &mut self.pool;
        match self.pages.entry(block) {
            alloc::collections::btree_map::Entry::Occupied(page) => Ok(page.into_mut()),
            alloc::collections::btree_map::Entry::Vacant(place) => {
                let mut page = pool.take();
                if with_content {
                    device.read(block, &mut page.0)?;
                }
                Ok(place.insert(page))
            }
        }
    }

    fn write(&mut self, device: &mut dyn BlockDevice) -> Result<(), MountError> {
        while let Some((block, page)) = self.pages.pop_first() {
            device.write(block, &[&page.0])?;
            self.pool.put(page);
        }
        Ok(())
    }
}

/// Goes through the records from the superblock's tail on, up to the first that is not whole.
fn records(
    device: &mut dyn BlockDevice,
    superblock: &Superblock,
    mut each: impl FnMut(&mut dyn BlockDevice, u64, &[Step<'_>]) -> Result<(), MountError>,
) -> Result<u64, MountError> {
    let (mut at, mut seq) = (superblock.tail, superblock.tail_seq);
    let mut bytes = Vec::new();
    loop {
        let places = if at == 0 { [Some(0), None] } else { [Some(at), Some(0)] };
        let mut found = None;
        for place in places.into_iter().flatten() {
            if let Some(blocks) = load(device, superblock, place, seq, &mut bytes)?
                && let Some(steps) = record::decode(&bytes, superblock.epoch, seq)
            {
                each(device, seq, &steps)?;
                found = Some(place + blocks);
                break;
            }
        }
        let Some(end) = found else { return Ok(seq - superblock.tail_seq) };
        at = end;
        seq += 1;
    }
}

/// Loads the record `seq` that may begin at `place`; returns how many blocks it claims to have.
fn load(
    device: &mut dyn BlockDevice,
    superblock: &Superblock,
    place: u64,
    seq: u64,
    bytes: &mut Vec<u8>,
) -> Result<Option<u64>, MountError> {
    if place >= superblock.log_blocks {
        return Ok(None);
    }
    bytes.resize(BLOCK_BYTES, 0);
    device.read(superblock.log_start() + place, bytes)?;
    let Some((_, blocks)) = record::extent(bytes, superblock.epoch, seq) else { return Ok(None) };
    if blocks > superblock.record_blocks() || place + blocks as u64 > superblock.log_blocks {
        return Ok(None);
    }
    bytes.resize(blocks * BLOCK_BYTES, 0);
    if blocks > 1 {
        device.read(superblock.log_start() + place + 1, &mut bytes[BLOCK_BYTES..])?;
    }
    Ok(Some(blocks as u64))
}

/// Looks for records behind the log's end, where `missing` is the first that is not whole. After a power cut
/// there may be some, as far as nothing was flushed since `missing` was written; a whole one that was written
/// after such a flush is the witness that `missing` was on the medium and rotted. With one superblock `alone`,
/// any shows that it is not the last one that was written.
fn look_behind(
    device: &mut dyn BlockDevice,
    superblock: &Superblock,
    missing: u64,
    alone: bool,
) -> Result<(), MountError> {
    let mut bytes = vec![0; SCANNED * BLOCK_BYTES];
    let mut record = Vec::new();
    for start in (0..superblock.log_blocks).step_by(SCANNED) {
        let count = (superblock.log_blocks - start).min(SCANNED as u64) as usize;
        let bytes = &mut bytes[..count * BLOCK_BYTES];
        device.read(superblock.log_start() + start, bytes)?;
        for (place, block) in (start..).zip(bytes.chunks_exact(BLOCK_BYTES)) {
            let seq = record::number(block, superblock.epoch).filter(|seq| *seq > missing);
            let Some(seq) = seq else { continue };
            if alone && missing == superblock.tail_seq {
                return Err(MountError::Damaged(
                    "the newest superblock is lost, and the other one is too old",
                ));
            }
            if record::witnessed(block, seq) >= missing
                && load(device, superblock, place, seq, &mut record)?.is_some()
                && record::decode(&record, superblock.epoch, seq).is_some()
            {
                return Err(MountError::Damaged("the log lacks a record that a later one saw on the medium"));
            }
        }
    }
    Ok(())
}
