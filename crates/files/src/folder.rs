//! A folder as a service.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use loadstone_http::{Handler, Service};

use crate::clerk::Clerk;
use crate::entry::Root;
use crate::shelf::Shelf;

/// What is kept, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Bytes of content kept in memory, at most; a file that is kept open instead counts as 64 KiB, or more
    /// where the system allows the process few open files: a quarter of those are kept at most, and by
    /// default 1,024.
    pub cache_bytes: u64,
    /// For how long an entry is believed without a look at its file.
    pub valid: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { cache_bytes: 64 << 20, valid: Duration::from_secs(1) }
    }
}

/// A folder, ready to be served. What it holds may change while it is.
pub struct Files {
    shelf: Arc<Shelf>,
}

impl Files {
    /// Serves what is beneath `folder`.
    ///
    /// # Errors
    /// The folder cannot be opened, or the system cannot open files beneath a folder only (Linux before 5.6).
    pub fn open(folder: &Path, options: &Options) -> io::Result<Self> {
        Ok(Self { shelf: Arc::new(Shelf::new(Root::open(folder)?, options)) })
    }
}

impl Service for Files {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        Ok(Box::new(Clerk::new(self.shelf.clone())))
    }

    fn open_files(&self) -> usize {
        self.shelf.most_open
    }
}
