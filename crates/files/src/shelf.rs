//! The entries that are kept.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::Options;
use crate::entry::{Entry, Root};
use crate::name::file_name;
use crate::variant::{Absence, Content, Variant};

/// What an entry takes besides its content, about.
const ENTRY_BYTES: u64 = 512;
/// What an open file counts as, at least.
const OPEN_BYTES: u64 = 64 * 1024;

/// Entries by the path that asked for them, as it was sent: a hit decodes nothing.
#[derive(Debug)]
pub(crate) struct Shelf {
    root: Root,
    entries: Cache<Box<str>, Arc<Entry>, Weight>,
    /// Files that are kept open at most.
    pub most_open: usize,
    valid_ms: u64,
}

#[derive(Debug, Clone)]
struct Weight {
    /// Of an open file.
    open: u64,
}

impl Weighter<Box<str>, Arc<Entry>> for Weight {
    fn weight(&self, path: &Box<str>, entry: &Arc<Entry>) -> u64 {
        let weight = |variant: &Variant| match &variant.content {
            Content::Kept(bytes) => bytes.len() as u64,
            Content::Static(_) => 0,
            Content::Open(..) => self.open,
        };
        ENTRY_BYTES + path.len() as u64 + weight(&entry.plain) + entry.gzip.as_ref().map_or(0, weight)
    }
}

impl Shelf {
    pub fn new(root: Root, options: &Options) -> Self {
        let likely = (options.cache_bytes / (8 * 1024)).max(16) as usize;
        let open = (options.cache_bytes / most_open()).max(OPEN_BYTES);
        Self {
            root,
            entries: Cache::with_weighter(likely, options.cache_bytes, Weight { open }),
            most_open: (options.cache_bytes / open) as usize,
            valid_ms: options.valid.as_millis() as u64,
        }
    }

    /// The entry of a path, as it was no longer ago than entries are valid.
    pub fn find(&self, path: &str) -> Result<Arc<Entry>, Absence> {
        let now_ms = now_ms();
        if let Some(entry) = self.entries.get(path) {
            let checked_ms = entry.checked_ms.load(Ordering::Relaxed);
            if now_ms.saturating_sub(checked_ms) < self.valid_ms {
                return Ok(entry);
            }
            let name = file_name(path).map_err(Absence::Name)?;
            if self.root.is_current(&name, &entry) {
                entry.checked_ms.store(now_ms, Ordering::Relaxed);
                return Ok(entry);
            }
            self.entries.remove(path);
        }
        let name = file_name(path).map_err(Absence::Name)?;
        let entry = Arc::new(self.root.load(&name).map_err(Absence::File)?);
        if entry.settled {
            entry.checked_ms.store(now_ms, Ordering::Relaxed);
            self.entries.insert(path.into(), entry.clone());
        }
        Ok(entry)
    }
}

/// A quarter of the files that the system lets the process open: the others are for connections.
fn most_open() -> u64 {
    (getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX) / 4).max(1)
}

/// Milliseconds on a clock that costs a few nanoseconds and is right within a few milliseconds.
fn now_ms() -> u64 {
    let now = clock_gettime(ClockId::MonotonicCoarse);
    now.tv_sec as u64 * 1000 + now.tv_nsec as u64 / 1_000_000
}
