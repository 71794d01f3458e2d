//! How a connection is opened.

use alloc::string::String;
use core::time::Duration;

/// Settings of one connection; the journal mode is a property of the database file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Name of a registered VFS; none: the operating system's files.
    pub vfs: Option<String>,
    /// Whether the file may be created or changed.
    pub access: Access,
    /// How a transaction is made atomic.
    pub journal: Journal,
    /// When the file is forced to the medium.
    pub synchronous: Synchronous,
    /// How long a call waits for another connection's lock before it fails as busy.
    pub busy_timeout: Duration,
    /// Page cache of the connection, KiB.
    pub cache_kib: u32,
    /// Bytes of the file that are mapped into memory; 0 = none. Ignored by a VFS of our own.
    pub mmap_bytes: u64,
}

impl Options {
    /// Settings for a database in a [`crate::vfs::MemoryVfs`]: the journal stays on the connection's heap.
    pub fn memory() -> Self {
        Self { journal: Journal::Memory, synchronous: Synchronous::Off, ..Self::default() }
    }

    /// Settings for a database in a [`crate::vfs::block::BlockVfs`]: every commit is on the medium when it
    /// returns.
    pub fn block() -> Self {
        Self { journal: Journal::Persist, synchronous: Synchronous::Full, ..Self::default() }
    }
}

impl Default for Options {
    /// Write-ahead log, `synchronous = NORMAL`, five seconds of patience, 8 MiB of cache.
    fn default() -> Self {
        Self {
            vfs: None,
            access: Access::Create,
            journal: Journal::Wal,
            synchronous: Synchronous::Normal,
            busy_timeout: Duration::from_secs(5),
            cache_kib: 8 * 1024,
            mmap_bytes: 0,
        }
    }
}

/// What the connection may do to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Read and write; the file is created when absent.
    Create,
    /// Read and write an existing file.
    ReadWrite,
    /// Read an existing file.
    ReadOnly,
}

/// SQLite's journal modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Journal {
    /// Write-ahead log: readers never wait for the writer. Needs shared memory, so only on the OS's files.
    Wal,
    /// Rollback journal in a file, deleted at commit.
    Delete,
    /// Rollback journal in a file that stays; a commit overwrites its beginning.
    Persist,
    /// Rollback journal on the heap: a process killed in mid-transaction loses the database.
    Memory,
    /// No journal: a failed statement loses the database. For building a file that is thrown away on failure.
    Off,
}

impl Journal {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Wal => "wal",
            Self::Delete => "delete",
            Self::Persist => "persist",
            Self::Memory => "memory",
            Self::Off => "off",
        }
    }
}

/// SQLite's `synchronous` levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synchronous {
    /// Never wait for the medium.
    Off,
    /// With a write-ahead log: wait only at checkpoints; a power cut may lose the last commits, never
    /// integrity.
    Normal,
    /// Wait at every commit.
    Full,
}

impl Synchronous {
    pub(crate) fn level(self) -> u8 {
        match self {
            Self::Off => 0,
            Self::Normal => 1,
            Self::Full => 2,
        }
    }
}
