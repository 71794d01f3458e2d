//! A disk that tests look into while something has it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use loadstone_store::vfs::VfsError;
use loadstone_store::vfs::block::{BlockDevice, MemoryDevice};

/// A device that outlives its mount, and counts what is read.
#[derive(Clone)]
pub struct Shared(pub Arc<Mutex<MemoryDevice>>, pub Arc<AtomicU64>);

impl Shared {
    pub fn new(blocks: usize) -> Self {
        Self(Arc::new(Mutex::new(MemoryDevice::new(blocks))), Arc::default())
    }
}

impl BlockDevice for Shared {
    fn blocks(&self) -> u64 {
        self.0.lock().unwrap().blocks()
    }

    fn read(&mut self, first: u64, bytes: &mut [u8]) -> Result<(), VfsError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.lock().unwrap().read(first, bytes)
    }

    fn write(&mut self, first: u64, parts: &[&[u8]]) -> Result<(), VfsError> {
        self.0.lock().unwrap().write(first, parts)
    }

    fn flush(&mut self) -> Result<(), VfsError> {
        self.0.lock().unwrap().flush()
    }
}
