//! Where things are on the device, and the superblock that says so.
//!
//! Two superblocks, written in turn, each with its tables behind it and one checksum over both: a torn one
//! leaves the other. Then the log, then the data in chunks.

use alloc::vec::Vec;

use super::device::BLOCK_BYTES;
use super::tables::{MOST_CHUNKS, TABLES_BLOCKS, Tables};
use super::{FormatOptions, MountError};

/// Blocks set aside for a superblock and its tables.
pub(super) const SLOT_BLOCKS: u64 = 1 + TABLES_BLOCKS as u64;
const LOG_START: u64 = 2 * SLOT_BLOCKS;
pub(super) const MAGIC: [u8; 8] = *b"LOADSTNV";
/// Format 2 has checksums in the pages of databases, format 1 has none.
const VERSIONS: [u32; 2] = [1, 2];
const HEADER_BYTES: usize = 96;
/// Where in the header its checksum is.
const CHECKSUM_AT: usize = 88;
/// Limits of the log, blocks: below, a record could not hold a change of every chunk; above, memory is
/// wasted.
const LOG_BLOCKS: (u64, u64) = (160, 16 * 1024);
const SMALLEST_CHUNK: u64 = 8;

/// A superblock: the places, and from where the log counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Superblock {
    /// Whether transactions go through the log as a whole.
    pub atomic: bool,
    /// Whether pages of databases bear checksums.
    pub checked: bool,
    /// Grows by one with every superblock written.
    pub generation: u64,
    /// Grows by one with every mount. Records of the log bear it; older ones are no longer meant.
    pub epoch: u64,
    /// Blocks of the log.
    pub log_blocks: u64,
    pub chunk_blocks: u64,
    pub chunks: usize,
    /// The oldest record that is still needed: where it may be, in blocks from the start of the log.
    pub tail: u64,
    /// Its number.
    pub tail_seq: u64,
    /// The newest record that was on the medium when this was written: a log that ends before it is damaged.
    pub least_seq: u64,
}

impl Superblock {
    /// Places for a device of so many blocks.
    pub(super) fn plan(blocks: u64, options: &FormatOptions) -> Result<Self, MountError> {
        let wanted = options.log_blocks.unwrap_or(blocks / 16);
        let log_blocks =
            wanted.clamp(LOG_BLOCKS.0, if options.log_blocks.is_some() { LOG_BLOCKS.1 } else { 1024 });
        let data = blocks.saturating_sub(LOG_START + log_blocks);
        let mut chunk_blocks = SMALLEST_CHUNK;
        while data / chunk_blocks > MOST_CHUNKS as u64 {
            chunk_blocks *= 2;
        }
        let chunks = (data / chunk_blocks) as usize;
        if chunks < 4 {
            let least = LOG_START + log_blocks + 4 * SMALLEST_CHUNK;
            return Err(MountError::TooSmall { blocks, least });
        }
        let (atomic, checked) = (options.atomic, options.checked);
        let (tail, tail_seq, least_seq) = (0, 1, 0);
        let (generation, epoch) = (0, 0);
        Ok(Self {
            atomic,
            checked,
            generation,
            epoch,
            log_blocks,
            chunk_blocks,
            chunks,
            tail,
            tail_seq,
            least_seq,
        })
    }

    /// First block of the log.
    pub(super) fn log_start(&self) -> u64 {
        LOG_START
    }

    /// First block of the data.
    pub(super) fn data_start(&self) -> u64 {
        LOG_START + self.log_blocks
    }

    /// Blocks that the volume needs of its device.
    pub(super) fn end(&self) -> u64 {
        self.data_start() + self.chunks as u64 * self.chunk_blocks
    }

    /// First block of a chunk.
    pub(super) fn chunk_start(&self, chunk: u32) -> u64 {
        self.data_start() + u64::from(chunk) * self.chunk_blocks
    }

    /// The most blocks that one record of the log may take: four of them always fit.
    pub(super) fn record_blocks(&self) -> usize {
        (self.log_blocks / 4) as usize
    }

    /// First block of the superblock of `generation`.
    pub(super) fn slot_start(generation: u64) -> u64 {
        (generation % 2) * SLOT_BLOCKS
    }

    /// Superblock and tables as whole blocks.
    pub(super) fn encode(&self, tables: &Tables) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(SLOT_BLOCKS as usize * BLOCK_BYTES);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSIONS[usize::from(self.checked)].to_le_bytes());
        bytes.extend_from_slice(&u32::from(self.atomic).to_le_bytes());
        for field in [self.generation, self.epoch, self.log_blocks, self.chunk_blocks, self.chunks as u64] {
            bytes.extend_from_slice(&field.to_le_bytes());
        }
        for field in [self.tail, self.tail_seq, self.least_seq] {
            bytes.extend_from_slice(&field.to_le_bytes());
        }
        bytes.resize(BLOCK_BYTES, 0);
        tables.encode(&mut bytes);
        bytes.resize(bytes.len().next_multiple_of(BLOCK_BYTES), 0);
        let blocks = (bytes.len() / BLOCK_BYTES) as u64;
        bytes[CHECKSUM_AT - 8..CHECKSUM_AT].copy_from_slice(&blocks.to_le_bytes());
        let sum = checksum(&bytes);
        bytes[CHECKSUM_AT..CHECKSUM_AT + 8].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads what [`Superblock::encode`] made, from the blocks of a slot of a device with `device_blocks`.
    pub(super) fn decode(bytes: &[u8], device_blocks: u64) -> Result<(Self, Tables), MountError> {
        if bytes.len() < HEADER_BYTES || bytes[..8] != MAGIC {
            return Err(MountError::NotFormatted);
        }
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        let version = long(8) as u32;
        if !VERSIONS.contains(&version) {
            return Err(MountError::Version(version));
        }
        let damaged = MountError::Damaged("the superblock's checksum is wrong");
        let used = usize::try_from(long(CHECKSUM_AT - 8)).unwrap_or(0).saturating_mul(BLOCK_BYTES);
        let used = bytes.get(..used).filter(|used| used.len() >= BLOCK_BYTES).ok_or(damaged)?;
        if checksum(used) != long(CHECKSUM_AT) {
            return Err(damaged);
        }
        let places = MountError::Damaged("the superblock's places make no sense");
        let found = Self {
            atomic: long(8) >> 32 != 0,
            checked: version == VERSIONS[1],
            generation: long(16),
            epoch: long(24),
            log_blocks: long(32),
            chunk_blocks: long(40),
            chunks: usize::try_from(long(48)).map_err(|_| places)?,
            tail: long(56),
            tail_seq: long(64),
            least_seq: long(72),
        };
        let sound = (LOG_BLOCKS.0..=LOG_BLOCKS.1).contains(&found.log_blocks)
            && found.chunk_blocks.is_power_of_two()
            && (SMALLEST_CHUNK..=1 << 32).contains(&found.chunk_blocks)
            && found.chunks <= MOST_CHUNKS
            && found.tail <= found.log_blocks
            && found.generation < u64::MAX / 2
            && found.epoch < u64::MAX / 2
            && found.tail_seq < u64::MAX / 2;
        if !sound {
            return Err(places);
        }
        if found.end() > device_blocks {
            return Err(MountError::TooSmall { blocks: device_blocks, least: found.end() });
        }
        let tables = Tables::decode(&used[BLOCK_BYTES..], found.chunks)?;
        Ok((found, tables))
    }
}

/// The checksum of a superblock and its tables, its own place left out.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let sum = twox_hash::XxHash3_64::oneshot(&bytes[..CHECKSUM_AT]);
    twox_hash::XxHash3_64::oneshot_with_seed(sum, &bytes[CHECKSUM_AT + 8..])
}
