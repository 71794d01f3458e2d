//! Files on a bare block device.

mod device;
mod memory;

pub use device::{BLOCK_BYTES, BlockDevice, is_within};
pub use memory::MemoryDevice;
