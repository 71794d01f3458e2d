//! A record of the log: what one commit changes, checked as a whole.
//!
//! A head of one or more blocks lists changes of the tables and of pages; whole pages follow it. A page that
//! changed little since a version that the log still knows is a list of its new bytes in the head.

use alloc::string::String;
use alloc::vec::Vec;

use twox_hash::XxHash3_64;

use super::device::BLOCK_BYTES;
use super::page::Page;
use super::tables::{Change, Entry, MOST_NAME, Owner};

const MAGIC: u32 = 0x4345_524c;
const HEADER_BYTES: usize = 40;
const CHECKSUM_AT: usize = 32;

const FILE: u8 = 1;
const GONE: u8 = 2;
const SIZE: u8 = 3;
const OWNED: u8 = 4;
const FREE: u8 = 5;
const WHOLE: u8 = 6;
const PATCH: u8 = 7;

/// Builds the head of a record.
pub(super) struct Head {
    bytes: Vec<u8>,
    whole: u32,
}

impl Head {
    /// Nothing yet.
    pub(super) fn new() -> Self {
        Self { bytes: alloc::vec![0; HEADER_BYTES], whole: 0 }
    }

    /// Blocks of head and whole pages together.
    pub(super) fn blocks(&self) -> usize {
        self.bytes.len().div_ceil(BLOCK_BYTES) + self.whole as usize
    }

    /// Adds a change of the tables.
    pub(super) fn change(&mut self, change: &Change) {
        let bytes = &mut self.bytes;
        match change {
            Change::File(index, entry) => {
                bytes.extend_from_slice(&[FILE, *index, entry.name.len() as u8]);
                bytes.extend_from_slice(&entry.size.to_le_bytes());
                bytes.extend_from_slice(entry.name.as_bytes());
            }
            Change::Gone(index) => bytes.extend_from_slice(&[GONE, *index]),
            Change::Size(index, size) => {
                bytes.extend_from_slice(&[SIZE, *index]);
                bytes.extend_from_slice(&size.to_le_bytes());
            }
            Change::Chunk(chunk, Some(owner)) => {
                bytes.extend_from_slice(&[OWNED, owner.file]);
                bytes.extend_from_slice(&chunk.to_le_bytes());
                bytes.extend_from_slice(&owner.position.to_le_bytes());
            }
            Change::Chunk(chunk, None) => {
                bytes.push(FREE);
                bytes.extend_from_slice(&chunk.to_le_bytes());
            }
        }
    }

    /// Adds a page whose content follows the head, in the order of these calls.
    pub(super) fn whole(&mut self, block: u64) {
        self.bytes.push(WHOLE);
        self.bytes.extend_from_slice(&block.to_le_bytes());
        self.whole += 1;
    }

    /// Adds the bytes of `page` in `ranges`.
    pub(super) fn patch(&mut self, block: u64, page: &Page, ranges: &[(usize, usize)]) {
        self.bytes.push(PATCH);
        self.bytes.extend_from_slice(&block.to_le_bytes());
        self.bytes.push(ranges.len() as u8);
        for &(start, end) in ranges {
            self.bytes.extend_from_slice(&(start as u16).to_le_bytes());
            self.bytes.extend_from_slice(&((end - start) as u16).to_le_bytes());
            self.bytes.extend_from_slice(&page.0[start..end]);
        }
    }

    /// The head's blocks, numbered and with the checksum over them and `pages`.
    /// `flushed` is the newest record that is on the medium: the witness that it was.
    pub(super) fn seal<'p>(
        mut self,
        epoch: u64,
        seq: u64,
        flushed: u64,
        pages: impl Iterator<Item = &'p Page>,
    ) -> Vec<u8> {
        let used = self.bytes.len() as u32;
        self.bytes.resize(self.bytes.len().next_multiple_of(BLOCK_BYTES), 0);
        self.bytes[0..4].copy_from_slice(&MAGIC.to_le_bytes());
        self.bytes[4..8].copy_from_slice(&used.to_le_bytes());
        self.bytes[8..16].copy_from_slice(&epoch.to_le_bytes());
        self.bytes[16..24].copy_from_slice(&seq.to_le_bytes());
        self.bytes[24..28].copy_from_slice(&self.whole.to_le_bytes());
        let since = u32::try_from(seq - flushed).unwrap_or(0);
        self.bytes[28..32].copy_from_slice(&since.to_le_bytes());
        let sum = pages.fold(XxHash3_64::oneshot_with_seed(epoch, &self.bytes), |sum, page| {
            XxHash3_64::oneshot_with_seed(sum, &page.0)
        });
        self.bytes[CHECKSUM_AT..CHECKSUM_AT + 8].copy_from_slice(&sum.to_le_bytes());
        self.bytes
    }
}

/// How many blocks the record with this first block claims: those of its head and in all; none when it is
/// not the record wanted.
pub(super) fn extent(first: &[u8], epoch: u64, seq: u64) -> Option<(usize, usize)> {
    let word = |at: usize| u32::from_le_bytes(first[at..at + 4].try_into().unwrap_or_default());
    let long = |at: usize| u64::from_le_bytes(first[at..at + 8].try_into().unwrap_or_default());
    let used = word(4) as usize;
    let wanted = word(0) == MAGIC && long(8) == epoch && long(16) == seq && used >= HEADER_BYTES;
    let head = used.div_ceil(BLOCK_BYTES);
    wanted.then_some((head, head.saturating_add(word(24) as usize)))
}

/// The number of the record that this block begins, if it seems to begin one of `epoch`.
pub(super) fn number(first: &[u8], epoch: u64) -> Option<u64> {
    let seq = u64::from_le_bytes(first[16..24].try_into().unwrap_or_default());
    extent(first, epoch, seq).map(|_| seq)
}

/// The newest record that was on the medium when the record `seq` with this first block was written; 0 when
/// it does not say, as those of earlier versions.
pub(super) fn witnessed(first: &[u8], seq: u64) -> u64 {
    match u32::from_le_bytes(first[28..32].try_into().unwrap_or_default()) {
        0 => 0,
        since => seq.saturating_sub(since.into()),
    }
}

/// What a step of a record does.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step<'r> {
    /// The tables change.
    Change(Change),
    /// A block has this content.
    Whole(u64, &'r [u8]),
    /// These bytes of a block are new: where, and what.
    Patch(u64, Vec<(usize, &'r [u8])>),
}

/// The steps of the record that fills `bytes`; none when it is not whole.
pub(super) fn decode(bytes: &[u8], epoch: u64, seq: u64) -> Option<Vec<Step<'_>>> {
    let (head_blocks, blocks) = extent(bytes.get(..HEADER_BYTES)?, epoch, seq)?;
    if blocks.checked_mul(BLOCK_BYTES)? != bytes.len() {
        return None;
    }
    let (head, pages) = bytes.split_at(head_blocks * BLOCK_BYTES);
    let mut blank = Vec::from(head);
    blank[CHECKSUM_AT..CHECKSUM_AT + 8].fill(0);
    let sum =
        pages.chunks_exact(BLOCK_BYTES).fold(XxHash3_64::oneshot_with_seed(epoch, &blank), |sum, page| {
            XxHash3_64::oneshot_with_seed(sum, page)
        });
    if sum.to_le_bytes() != head[CHECKSUM_AT..CHECKSUM_AT + 8] {
        return None;
    }
    let used = u32::from_le_bytes(head[4..8].try_into().ok()?) as usize;
    steps(head.get(HEADER_BYTES..used)?, pages)
}

fn steps<'r>(head: &'r [u8], pages: &'r [u8]) -> Option<Vec<Step<'r>>> {
    let mut rest = Cursor(head);
    let mut pages = pages.chunks_exact(BLOCK_BYTES);
    let mut steps = Vec::new();
    while !rest.0.is_empty() {
        steps.push(match rest.byte()? {
            FILE => {
                let (index, length, size) = (rest.byte()?, usize::from(rest.byte()?), rest.long()?);
                if length > MOST_NAME || length == 0 {
                    return None;
                }
                let name = String::from(core::str::from_utf8(rest.bytes(length)?).ok()?);
                Step::Change(Change::File(index, Entry { name, size }))
            }
            GONE => Step::Change(Change::Gone(rest.byte()?)),
            SIZE => Step::Change(Change::Size(rest.byte()?, rest.long()?)),
            OWNED => {
                let (file, chunk, position) = (rest.byte()?, rest.word()?, rest.word()?);
                Step::Change(Change::Chunk(chunk, Some(Owner { file, position })))
            }
            FREE => Step::Change(Change::Chunk(rest.word()?, None)),
            WHOLE => Step::Whole(rest.long()?, pages.next()?),
            PATCH => {
                let (block, count) = (rest.long()?, rest.byte()?);
                let ranges = (0..count).map(|_| {
                    let (start, length) = (usize::from(rest.short()?), usize::from(rest.short()?));
                    (start + length <= BLOCK_BYTES).then_some((start, rest.bytes(length)?))
                });
                Step::Patch(block, ranges.collect::<Option<_>>()?)
            }
            _ => return None,
        });
    }
    Some(steps)
}

/// Bytes that are read from the front.
struct Cursor<'b>(&'b [u8]);

impl<'b> Cursor<'b> {
    fn bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    fn byte(&mut self) -> Option<u8> {
        self.bytes(1).map(|bytes| bytes[0])
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.bytes(2)?.try_into().ok()?))
    }

    fn word(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.bytes(4)?.try_into().ok()?))
    }

    fn long(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }
}
