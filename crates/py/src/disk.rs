//! Disks for images: files with a database on them and no file system.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use loadstone_store::vfs::block::{BlockDevice, BlockVfs, FileDevice, FormatOptions};
use loadstone_store::vfs::{VfsError, register};
use loadstone_store::{Db, Options};
use loadstone_web::dataset::LoadError;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::rubis;
use crate::site::{choice, load_error, load_options, parse, reporting, rows};

#[pyfunction]
pub fn format_disk(py: Python<'_>, path: &str, mode: &str) -> PyResult<()> {
    let atomic = match mode {
        "log" => Some(true),
        "journal" => Some(false),
        _ => None,
    };
    let atomic = choice("mode", mode, atomic, "log and journal")?;
    py.detach(|| {
        let mut device = FileDevice::open(path, false).map_err(|error| error.to_string())?;
        BlockVfs::format(&mut device, &FormatOptions { atomic, ..FormatOptions::default() })
            .map_err(|error| error.to_string())
    })
    .map_err(PyValueError::new_err)
}

#[pyfunction]
#[pyo3(signature = (path, accounts, profile, options_json, progress))]
pub fn load_olio_disk<'py>(
    py: Python<'py>,
    path: &str,
    accounts: u64,
    profile: &str,
    options_json: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = load_options(accounts, profile, &parse(options_json)?)?;
    let disk = Mounted::open(path)?;
    let loaded = reporting(py, progress, |report| {
        loadstone_olio::loader::load(&disk.database(loadstone_olio::loader::DATABASE)?, &options, report)
    })?;
    rows(py, &loaded.map_err(load_error)?.tables())
}

#[pyfunction]
#[pyo3(signature = (path, scale, options_json, progress))]
pub fn load_rubis_disk<'py>(
    py: Python<'py>,
    path: &str,
    scale: f64,
    options_json: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = rubis::load_options(scale, &parse(options_json)?)?;
    let disk = Mounted::open(path)?;
    let loaded = reporting(py, progress, |report| {
        loadstone_rubis::loader::load(&disk.database(loadstone_rubis::loader::DATABASE)?, &options, report)
    })?;
    rows(py, &loaded.map_err(load_error)?.tables())
}

/// A disk that this process has, until dropped.
struct Mounted {
    /// Its name among SQLite's places for files.
    name: String,
    device: Removable,
}

impl Mounted {
    fn open(path: &str) -> PyResult<Self> {
        /// SQLite knows its places for files for ever: each gets a name of its own.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let failed = |error: String| PyOSError::new_err(error);
        let device = FileDevice::open(path, false).map_err(|error| failed(error.to_string()))?;
        let device = Removable(Arc::new(Mutex::new(Some(device))));
        let name = format!("disk-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let vfs = BlockVfs::mount(device.clone()).map_err(|error| failed(error.to_string()))?;
        register(&name, vfs).map_err(|error| failed(error.to_string()))?;
        Ok(Self { name, device })
    }

    fn database(&self, name: &str) -> Result<Db, LoadError> {
        Ok(Db::open(name, &Options { vfs: Some(self.name.clone()), ..Options::block() })?)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Closes the file: a machine is to have it next.
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
