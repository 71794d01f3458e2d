//! Disks with databases on them and no file system: device nodes, and images of a machine's disk.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use loadstone_store::vfs::block::{BlockDevice, BlockVfs, FileDevice, FormatOptions, Listed};
use loadstone_store::vfs::{VfsError, register};
use loadstone_store::{Access, Options};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use rustix::io::Errno;

use crate::server::choice;

/// Begins the name of a place that is a disk.
const SCHEME: &str = "block:";

#[pyfunction]
pub fn format_disk(py: Python<'_>, path: &str, mode: &str) -> PyResult<()> {
    let atomic = match mode {
        "log" => Some(true),
        "journal" => Some(false),
        _ => None,
    };
    let atomic = choice("mode", mode, atomic, "log and journal")?;
    py.detach(|| {
        let mut device = FileDevice::open(path, false).map_err(refused)?;
        let options = FormatOptions { atomic, ..FormatOptions::default() };
        BlockVfs::format_empty(&mut device, &options, None).map_err(|error| error.to_string())
    })
    .map_err(PyValueError::new_err)
}

/// Why a disk cannot be opened.
fn refused(error: Errno) -> String {
    match error {
        Errno::WOULDBLOCK => "another process has it, or a machine that runs".into(),
        Errno::BUSY => "the system has it: it is mounted, or a part of another device".into(),
        other => other.to_string(),
    }
}

/// A disk that this process has, until dropped: then another one can have it, such as a machine.
pub struct Disk {
    /// Its name among SQLite's places for files.
    vfs: String,
    mounted: BlockVfs,
    device: Removable,
}

impl Disk {
    /// Mounts the disk of a place `block:PATH`; none for other places.
    pub fn open(place: &str) -> PyResult<Option<Self>> {
        place.strip_prefix(SCHEME).map(Self::open_at).transpose()
    }

    /// Mounts the disk in a file or device node.
    pub fn open_at(path: &str) -> PyResult<Self> {
        /// SQLite knows its places for files for ever: each gets a name of its own.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let trouble = |error: &dyn std::fmt::Display| PyOSError::new_err(format!("{path}: {error}"));
        // Through the page cache: it reads for several connections, and a flush is a flush.
        let device = FileDevice::open(path, false).map_err(|error| trouble(&refused(error)))?;
        let device = Removable(Arc::new(Mutex::new(Some(device))));
        let vfs = format!("disk-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let mounted = BlockVfs::mount(device.clone()).map_err(|error| trouble(&error))?;
        register(&vfs, mounted.clone()).map_err(|error| trouble(&error))?;
        Ok(Self { vfs, mounted, device })
    }

    /// Its name among SQLite's places for files.
    pub fn vfs(&self) -> &str {
        &self.vfs
    }

    /// The files on it.
    pub fn list(&self) -> Vec<Listed> {
        self.mounted.list()
    }

    /// As [`Self::open`], once for each place and then for the rest of the process: how databases on it are
    /// opened.
    pub fn keep(place: &str, access: Access) -> PyResult<Option<Options>> {
        static KEPT: Mutex<BTreeMap<String, Disk>> = Mutex::new(BTreeMap::new());
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.contains_key(place) {
            let Some(disk) = Self::open(place)? else { return Ok(None) };
            kept.insert(place.to_owned(), disk);
        }
        Ok(kept.get(place).map(|disk| disk.options(access)))
    }

    /// How databases on it are opened.
    pub fn options(&self, access: Access) -> Options {
        Options { vfs: Some(self.vfs.clone()), access, ..Options::block() }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.device.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// A device that can be taken away from the place for files that has it; then it fails.
#[derive(Clone)]
struct Removable(Arc<Mutex<Option<FileDevice>>>);

impl Removable {
    fn with<T>(&self, work: impl FnOnce(&mut FileDevice) -> Result<T, VfsError>) -> Result<T, VfsError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map_or(Err(VfsError::Io), work)
    }
}

impl BlockDevice for Removable {
    fn blocks(&self) -> u64 {
        self.with(|device| Ok(device.blocks())).unwrap_or(0)
    }

    fn read(&mut self, first: u64, bytes: &mut [u8]) -> Result<(), VfsError> {
        self.with(|device| device.read(first, bytes))
    }

    fn write(&mut self, first: u64, parts: &[&[u8]]) -> Result<(), VfsError> {
        self.with(|device| device.write(first, parts))
    }

    fn flush(&mut self) -> Result<(), VfsError> {
        self.with(FileDevice::flush)
    }

    fn discard(&mut self, first: u64, blocks: u64) -> Result<(), VfsError> {
        self.with(|device| device.discard(first, blocks))
    }
}
