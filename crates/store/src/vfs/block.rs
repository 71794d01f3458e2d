//! Files on a bare block device: databases and their journals without a file system.
//!
//! ```
//! use loadstone_store::vfs::block::{BlockVfs, FormatOptions, MemoryDevice};
//! use loadstone_store::{Db, Journal, Options, Synchronous};
//!
//! let mut device = MemoryDevice::new(1024);
//! BlockVfs::format(&mut device, &FormatOptions::default())?;
//! loadstone_store::vfs::register("disk", BlockVfs::mount(device)?)?;
//! let options = Options { vfs: Some("disk".into()), ..Options::block() };
//! let db = Db::open("notes.db", &options)?;
//! db.exec_batch("CREATE TABLE note(body TEXT)")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::{Characteristics, Control, Lock, Vfs, VfsError, VfsFile};
use crate::mutex::Mutex;

mod ahead;
mod content;
mod device;
#[cfg(feature = "file-device")]
mod file;
mod files;
mod holds;
mod invariants;
mod layout;
mod memory;
mod page;
mod record;
mod replay;
mod ring;
mod round;
mod space;
mod sums;
mod tables;
mod volume;

pub use device::{BLOCK_BYTES, BlockDevice, is_within};
#[cfg(feature = "file-device")]
pub use file::FileDevice;
pub use holds::{Held, holds};
pub use memory::MemoryDevice;
pub(super) use sums::RESERVED;

use files::Files;
use volume::Volume;

/// How a device is laid out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatOptions {
    /// Whether a transaction is one record of a log; otherwise SQLite's rollback journal protects it.
    pub atomic: bool,
    /// Blocks of the log; by default a sixteenth of the device, 1,024 at most. The mount needs as much
    /// memory.
    pub log_blocks: Option<u64>,
    /// Whether every page of a database bears a checksum, which is checked when the page is read (format 2).
    /// Files then are databases that leave room for it, as those of [`crate::Db`] do, and their journals.
    pub checked: bool,
}

impl Default for FormatOptions {
    fn default() -> Self {
        Self { atomic: true, log_blocks: None, checked: true }
    }
}

/// Why a device cannot be formatted or mounted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MountError {
    /// It was never formatted.
    NotFormatted,
    /// It was formatted by another version of this software.
    Version(u32),
    /// It was formatted, and what is on it now makes no sense.
    Damaged(&'static str),
    /// It has fewer blocks than needed.
    TooSmall {
        /// Blocks that it has.
        blocks: u64,
        /// Blocks that it needs.
        least: u64,
    },
    /// It is to be formatted, and holds something.
    Held(Held),
    /// It failed to read or write.
    Io,
}

impl From<VfsError> for MountError {
    fn from(_: VfsError) -> Self {
        Self::Io
    }
}

impl fmt::Display for MountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFormatted => f.write_str("the device was not formatted for databases"),
            Self::Version(version) => write!(f, "the device has format {version}, which is not known here"),
            Self::Damaged(what) => write!(f, "the device is damaged: {what}"),
            Self::TooSmall { blocks, least } => {
                write!(f, "the device has {blocks} blocks of {BLOCK_BYTES} bytes, {least} are needed")
            }
            Self::Held(held) => {
                write!(f, "the device is not empty: at byte {} it holds ", held.block * BLOCK_BYTES as u64)?;
                f.write_str(if held.is_known() { held.name } else { "something unknown" })
            }
            Self::Io => f.write_str("the device failed to read or write"),
        }
    }
}

impl core::error::Error for MountError {}

/// A mounted device as a place for files. Clones share it.
#[derive(Clone)]
pub struct BlockVfs {
    files: Arc<Mutex<Files>>,
}

impl BlockVfs {
    /// Makes a device empty. What was on it is lost.
    ///
    /// # Errors
    /// [`MountError::TooSmall`] below about one megabyte, [`MountError::Io`].
    pub fn format(device: &mut dyn BlockDevice, options: &FormatOptions) -> Result<(), MountError> {
        Volume::format(device, options)
    }

    /// Formats a device that is empty, or that holds what `erase` names: whoever names it knows what is lost.
    ///
    /// # Errors
    /// [`MountError::Held`] when it holds anything else, or a volume of ours, whatever `erase` says and be it
    /// damaged; and those of [`BlockVfs::format`].
    pub fn format_empty(
        device: &mut dyn BlockDevice,
        options: &FormatOptions,
        erase: Option<&str>,
    ) -> Result<(), MountError> {
        match holds(device)? {
            None => Self::format(device, options),
            Some(held) if erase == Some(held.name) && !held.is_ours() => {
                holds::erase(device)?;
                Self::format(device, options)
            }
            Some(held) => Err(MountError::Held(held)),
        }
    }

    /// Opens a formatted device and brings into place what a power cut left in its log.
    ///
    /// # Errors
    /// Any [`MountError`].
    pub fn mount(device: impl BlockDevice + 'static) -> Result<Self, MountError> {
        let vfs = Self { files: Arc::new(Mutex::new(Files::mount(Box::new(device))?)) };
        changed(&vfs.files, |_| ());
        Ok(vfs)
    }

    /// The files that have names.
    pub fn list(&self) -> Vec<Listed> {
        let files = self.files.lock();
        let named = files.contents().filter_map(|(_, content)| {
            let (_, name) = content.named.as_ref()?;
            Some(Listed { name: name.clone(), bytes: content.size, is_database: sums::is_database(name) })
        });
        named.collect()
    }
}

/// A file of a volume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Whether it is a database, not what protects a transaction of one.
    pub is_database: bool,
}

/// Changes the files. Tests and the fuzzer then look whether they are still sound.
fn changed<T>(files: &Mutex<Files>, change: impl FnOnce(&mut Files) -> T) -> T {
    let mut files = files.lock();
    let outcome = change(&mut files);
    if cfg!(debug_assertions) {
        files.assert_sound();
    }
    outcome
}

impl Vfs for BlockVfs {
    fn open(&self, name: Option<&str>, create: bool) -> Result<Box<dyn VfsFile>, VfsError> {
        let id = changed(&self.files, |files| files.open(name, create))?;
        Ok(Box::new(BlockFile { files: self.files.clone(), id, held: Lock::None }))
    }

    fn delete(&self, name: &str) -> Result<(), VfsError> {
        changed(&self.files, |files| files.delete(name))
    }

    fn exists(&self, name: &str) -> bool {
        self.files.lock().find(name).is_some()
    }
}

struct BlockFile {
    files: Arc<Mutex<Files>>,
    id: u32,
    held: Lock,
}

impl VfsFile for BlockFile {
    fn read_at(&mut self, bytes: &mut [u8], offset: u64) -> Result<usize, VfsError> {
        self.files.lock().read(self.id, bytes, offset)
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<(), VfsError> {
        self.files.lock().write(self.id, bytes, offset)
    }

    fn truncate(&mut self, size: u64) -> Result<(), VfsError> {
        changed(&self.files, |files| files.truncate(self.id, size))
    }

    fn sync(&mut self) -> Result<(), VfsError> {
        changed(&self.files, |files| files.sync(self.id))
    }

    fn size(&mut self) -> Result<u64, VfsError> {
        Ok(self.files.lock().content(self.id)?.size)
    }

    fn lock(&mut self, level: Lock) -> Result<bool, VfsError> {
        Ok(self.files.lock().content(self.id)?.locks.raise(&mut self.held, level))
    }

    fn unlock(&mut self, level: Lock) -> Result<(), VfsError> {
        self.files.lock().content(self.id)?.locks.lower(&mut self.held, level);
        Ok(())
    }

    fn is_reserved(&mut self) -> Result<bool, VfsError> {
        Ok(self.files.lock().content(self.id)?.locks.is_reserved())
    }

    fn characteristics(&self) -> Characteristics {
        let files = self.files.lock();
        let superblock = &files.volume.superblock;
        Characteristics {
            batch_atomic: superblock.atomic,
            safe_append: true,
            powersafe_overwrite: true,
            reserved_bytes: if superblock.checked { RESERVED } else { 0 },
        }
    }

    fn control(&mut self, control: Control) -> Result<bool, VfsError> {
        changed(&self.files, |files| match control {
            Control::BeginAtomic => files.begin_batch(self.id),
            Control::CommitAtomic => files.commit_batch(self.id),
            Control::RollbackAtomic => files.undo_batch(self.id),
            Control::CommitPoint => files.commit_point(self.id),
        })?;
        Ok(true)
    }
}

impl Drop for BlockFile {
    fn drop(&mut self) {
        // Looks at nothing, unlike `changed`: a test that fails drops its files, and must not fail twice.
        let mut files = self.files.lock();
        if let Ok(content) = files.content(self.id) {
            content.locks.lower(&mut self.held, Lock::None);
        }
        files.close(self.id);
    }
}
