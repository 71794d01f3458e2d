//! The files below the database: what SQLite needs from an operating system, as safe traits.
//!
//! An implementation is registered under a name and then chosen by [`crate::Options::vfs`]. Rollback
//! journals only: a write-ahead log would need memory shared between connections.

use alloc::boxed::Box;
use core::time::Duration;

pub mod block;
mod locks;
mod memory;
#[cfg_attr(feature = "bare", path = "vfs/platform/bare.rs")]
mod platform;
mod shim;

pub use locks::LockTable;
pub use memory::MemoryVfs;
#[cfg(feature = "bare")]
pub use platform::provide_entropy;
pub(crate) use shim::RESERVED_BYTES;
pub use shim::register;

/// The most bytes of a page that a VFS here wants for itself.
pub(crate) const RESERVED_MOST: u8 = block::RESERVED;

/// A place that holds files by name.
pub trait Vfs: Send + Sync + 'static {
    /// Opens a file. Without a name: a temporary one that is gone when dropped.
    ///
    /// # Errors
    /// [`VfsError::NotFound`] when it is absent and may not be created.
    fn open(&self, name: Option<&str>, create: bool) -> Result<Box<dyn VfsFile>, VfsError>;

    /// Removes a file, durably.
    ///
    /// # Errors
    /// [`VfsError::NotFound`] when it is absent.
    fn delete(&self, name: &str) -> Result<(), VfsError>;

    /// Whether a file exists.
    fn exists(&self, name: &str) -> bool;

    /// Waits: SQLite's patience with a lock. By default on the platform that SQLite was built for.
    fn sleep(&self, time: Duration) {
        platform::sleep(time);
    }

    /// Milliseconds since 1970. Only SQL's own date functions ask.
    fn now_ms(&self) -> i64 {
        0
    }

    /// Unpredictable bytes: names of temporary files, salts of journals. By default the platform's.
    fn randomness(&self, bytes: &mut [u8]) {
        platform::randomness(bytes);
    }
}

/// An open file. Dropping it closes it and gives up its lock.
pub trait VfsFile: Send {
    /// Reads from `offset` until `bytes` is full or the file ends; returns how many bytes were read.
    ///
    /// # Errors
    /// [`VfsError::Io`] or [`VfsError::Rot`].
    fn read_at(&mut self, bytes: &mut [u8], offset: u64) -> Result<usize, VfsError>;

    /// Writes all of `bytes`; a gap before `offset` reads as zeros.
    ///
    /// # Errors
    /// [`VfsError::Full`] or [`VfsError::Io`].
    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<(), VfsError>;

    /// Cuts the file to `size` bytes.
    ///
    /// # Errors
    /// [`VfsError::Io`].
    fn truncate(&mut self, size: u64) -> Result<(), VfsError>;

    /// Returns when everything written before is on the medium.
    ///
    /// # Errors
    /// [`VfsError::Io`].
    fn sync(&mut self) -> Result<(), VfsError>;

    /// Bytes in the file.
    ///
    /// # Errors
    /// [`VfsError::Io`].
    fn size(&mut self) -> Result<u64, VfsError>;

    /// Raises this handle's lock; false when other handles stand in the way. See [`LockTable`].
    ///
    /// # Errors
    /// [`VfsError::Io`].
    fn lock(&mut self, level: Lock) -> Result<bool, VfsError>;

    /// Lowers this handle's lock to [`Lock::Shared`] or [`Lock::None`].
    ///
    /// # Errors
    /// [`VfsError::Io`].
    fn unlock(&mut self, level: Lock) -> Result<(), VfsError>;

    /// Whether any handle intends to write: holds [`Lock::Reserved`] or more.
    ///
    /// # Errors
    /// [`VfsError::Io`].
    fn is_reserved(&mut self) -> Result<bool, VfsError>;

    /// What SQLite may rely on. By default on nothing.
    fn characteristics(&self) -> Characteristics {
        Characteristics::default()
    }

    /// What SQLite says about its transaction; false when that is of no interest here.
    ///
    /// # Errors
    /// [`VfsError::Full`] or [`VfsError::Io`]. An atomic write that failed is undone, and SQLite then makes
    /// the transaction safe with a journal.
    fn control(&mut self, control: Control) -> Result<bool, VfsError> {
        let _ = control;
        Ok(false)
    }
}

/// Promises about writes that spare SQLite work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Characteristics {
    /// Writes between [`Control::BeginAtomic`] and [`Control::CommitAtomic`] survive a power cut together or
    /// not at all: then a transaction needs no journal.
    pub batch_atomic: bool,
    /// A file never grows over bytes that were not written: then a journal is synced once.
    pub safe_append: bool,
    /// A write changes nothing beside it, whatever happens meanwhile.
    pub powersafe_overwrite: bool,
    /// Bytes at the end of each page that a new database is to leave alone: the file uses them.
    pub reserved_bytes: u8,
}

/// A word from SQLite to a database file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// The writes that follow belong together.
    BeginAtomic,
    /// All of them were made.
    CommitAtomic,
    /// They do not count.
    RollbackAtomic,
    /// All pages of a transaction were written; a sync follows if the connection wants one.
    CommitPoint,
}

/// Lock levels of a database file, each stronger than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lock {
    /// No claim.
    None,
    /// Reading; any number of handles.
    Shared,
    /// About to write; one handle, beside readers.
    Reserved,
    /// Waiting for readers to leave; no new ones come in.
    Pending,
    /// Writing; nobody else is in.
    Exclusive,
}

/// Why a file operation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VfsError {
    /// No such file.
    NotFound,
    /// No room left.
    Full,
    /// What is on the medium is not what was written.
    Rot,
    /// The medium failed.
    Io,
}
