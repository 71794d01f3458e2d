//! Databases on block devices and files like them, in use for the rest of the process.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use loadstone_store::vfs::block::{BlockVfs, FileDevice};
use loadstone_store::vfs::register;
use loadstone_store::{Access, Options};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

/// Begins the name of a place that is a device or image.
const SCHEME: &str = "block:";

/// How databases at a place `block:PATH` are opened; none for other places. The device is mounted once.
pub fn on_disk(place: &str, access: Access) -> PyResult<Option<Options>> {
    static MOUNTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let Some(path) = place.strip_prefix(SCHEME) else { return Ok(None) };
    let mut mounted = MOUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    if !mounted.contains(place) {
        let trouble = |error: &dyn std::fmt::Display| PyOSError::new_err(format!("{path}: {error}"));
        // Through the page cache: it reads for several connections, and a flush is a flush.
        let device = FileDevice::open(path, false).map_err(|error| match error.kind() {
            std::io::ErrorKind::WouldBlock => trouble(&"another process has it"),
            _ => trouble(&error),
        })?;
        let vfs = BlockVfs::mount(device).map_err(|error| trouble(&error))?;
        register(place, vfs).map_err(|error| trouble(&error))?;
        mounted.insert(place.to_owned());
    }
    Ok(Some(Options { vfs: Some(place.to_owned()), access, ..Options::block() }))
}
