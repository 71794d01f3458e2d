//! A disk in memory.

use alloc::boxed::Box;
use alloc::vec;

use super::super::VfsError;
use super::device::{BLOCK_BYTES, BlockDevice, is_within};

/// Blocks in memory: every write is durable at once, for as long as the process lives.
pub struct MemoryDevice {
    bytes: Box<[u8]>,
}

impl MemoryDevice {
    /// A device of so many zeroed blocks.
    pub fn new(blocks: usize) -> Self {
        Self { bytes: vec![0; blocks * BLOCK_BYTES].into() }
    }
}

impl BlockDevice for MemoryDevice {
    fn blocks(&self) -> u64 {
        (self.bytes.len() / BLOCK_BYTES) as u64
    }

    fn read_ahead(&self) -> usize {
        1
    }

    fn read(&mut self, first: u64, bytes: &mut [u8]) -> Result<(), VfsError> {
        if !is_within(self.blocks(), first, bytes.len()) {
            return Err(VfsError::Io);
        }
        let start = first as usize * BLOCK_BYTES;
        bytes.copy_from_slice(&self.bytes[start..][..bytes.len()]);
        Ok(())
    }

    fn write(&mut self, first: u64, parts: &[&[u8]]) -> Result<(), VfsError> {
        let mut block = first;
        for part in parts {
            if !is_within(self.blocks(), block, part.len()) {
                return Err(VfsError::Io);
            }
            self.bytes[block as usize * BLOCK_BYTES..][..part.len()].copy_from_slice(part);
            block += (part.len() / BLOCK_BYTES) as u64;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), VfsError> {
        Ok(())
    }
}
