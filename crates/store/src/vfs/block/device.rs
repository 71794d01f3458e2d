//! What a block VFS needs from a disk: blocks of 4096 bytes, gathered writes and a flush.

use super::super::VfsError;

/// Bytes of a block, the unit of every request.
pub const BLOCK_BYTES: usize = 4096;

/// A disk.
///
/// A write may stay in the disk's own memory, and writes may reach the medium in any order, until a flush
/// returns. Of a write that was not flushed, any part may survive a power cut, in whole sectors of 512 bytes:
/// a sector has its old content or its new one. A device with stronger promises is welcome, one with weaker
/// promises is not fit to hold a database.
pub trait BlockDevice: Send {
    /// Number of blocks.
    fn blocks(&self) -> u64;

    /// How many blocks a read may ask for when the next ones will probably be wanted, 32 at most; 1 where a
    /// request costs no more than copying.
    fn read_ahead(&self) -> usize {
        32
    }

    /// Fills `bytes`, a multiple of [`BLOCK_BYTES`], from block `first` on. It may lie anywhere in memory.
    ///
    /// # Errors
    /// [`VfsError::Io`], also beyond the end.
    fn read(&mut self, first: u64, bytes: &mut [u8]) -> Result<(), VfsError>;

    /// Writes `parts`, each a multiple of [`BLOCK_BYTES`], one after the other from block `first` on, as one
    /// request where the device can. They may lie anywhere in memory and are the caller's again on return.
    ///
    /// # Errors
    /// [`VfsError::Io`], also beyond the end. What is on the blocks then is open.
    fn write(&mut self, first: u64, parts: &[&[u8]]) -> Result<(), VfsError>;

    /// Returns when everything written before is on the medium, and before anything written after.
    ///
    /// # Errors
    /// [`VfsError::Io`]. What was written since the last flush may be lost.
    fn flush(&mut self) -> Result<(), VfsError>;

    /// Says that nobody will read these blocks before they are written again. A hint.
    ///
    /// # Errors
    /// [`VfsError::Io`].
    fn discard(&mut self, first: u64, blocks: u64) -> Result<(), VfsError> {
        let _ = (first, blocks);
        Ok(())
    }
}

/// Whether `bytes` from block `first` on are whole blocks of a device with `blocks` of them.
pub fn is_within(blocks: u64, first: u64, bytes: usize) -> bool {
    let count = (bytes / BLOCK_BYTES) as u64;
    bytes.is_multiple_of(BLOCK_BYTES) && first.checked_add(count).is_some_and(|end| end <= blocks)
}
