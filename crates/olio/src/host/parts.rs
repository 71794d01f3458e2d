//! Files that are read in parts while they are sent.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use loadstone_http::Produce;

/// Reads the part of that number, counted from 0; none when the file has changed.
type Read = dyn Fn(u32) -> Result<Option<Vec<u8>>, String> + Send + Sync;

/// What follows the beginning of a file.
#[derive(Clone)]
pub struct Rest {
    /// Its length in bytes.
    pub bytes: u64,
    read: Arc<Read>,
}

impl Rest {
    /// So many bytes, in parts that `read` reads: none when the file has changed since.
    pub fn new(
        bytes: u64,
        read: impl Fn(u32) -> Result<Option<Vec<u8>>, String> + Send + Sync + 'static,
    ) -> Self {
        Self { bytes, read: Arc::new(read) }
    }
}

impl fmt::Debug for Rest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rest").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// Only the same is the same: what another will read is not known.
impl PartialEq for Rest {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.read, &other.read)
    }
}

impl Eq for Rest {}

/// A file on its way out.
pub(super) struct Parts {
    /// What it begins with, until that is out.
    first: Option<Arc<[u8]>>,
    rest: Rest,
    /// Number of the next part.
    next: u32,
}

impl Parts {
    pub fn new(first: Arc<[u8]>, rest: Rest) -> Self {
        Self { first: Some(first), rest, next: 0 }
    }
}

impl Produce for Parts {
    fn produce(&mut self, into: &mut Vec<u8>) -> Result<bool, String> {
        if let Some(first) = self.first.take() {
            into.extend_from_slice(&first);
            return Ok(true);
        }
        *into = (self.rest.read)(self.next)?.ok_or("the file has changed")?;
        self.next += 1;
        self.rest.bytes = self.rest.bytes.saturating_sub(into.len() as u64);
        Ok(self.rest.bytes > 0)
    }
}
