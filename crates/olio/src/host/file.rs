//! A host whose uploads are files of one folder.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};
use std::time::UNIX_EPOCH;

use loadstone_store::Kind;
use loadstone_web::system::System;

use super::cache::Cache;
use super::{Host, HostError, StoredFile};

/// What the name of a file under way ends with.
const PARTIAL: &str = ".partial";

/// Uploads as files. One process at a time owns the folder: the names in it are read once, so that asking
/// for a picture that nobody uploaded costs no system call.
pub struct FileHost {
    folder: PathBuf,
    stamps: RwLock<HashMap<String, u64>>,
    serial: AtomicU64,
    cache: Cache,
    system: System,
}

impl FileHost {
    /// Opens `folder`, creating it when absent, and clears away what interrupted uploads left behind: files
    /// under way, and empty ones, which no upload is.
    ///
    /// # Errors
    /// When the folder cannot be read or made.
    pub fn new(folder: impl Into<PathBuf>, cache_bytes: usize) -> Result<Self, HostError> {
        let folder = folder.into();
        let stamps = read_names(&folder).map_err(|error| trouble(&folder, &error))?;
        Ok(Self {
            folder,
            stamps: RwLock::new(stamps),
            serial: AtomicU64::new(0),
            cache: Cache::new(cache_bytes),
            system: System::new().map_err(HostError::other)?,
        })
    }

    /// Writes beside the place and renames, so that a reader sees the old file or the new one. Not forced
    /// to the medium: a power cut takes the last moments of the database as well, and what it leaves empty is
    /// cleared at the next start.
    fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<u64> {
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        let partial = self.folder.join(format!("{name}.{serial}{PARTIAL}"));
        let written = fs::write(&partial, bytes)
            .and_then(|()| fs::metadata(&partial))
            .and_then(|metadata| fs::rename(&partial, self.folder.join(name)).map(|()| stamp(&metadata)));
        if written.is_err() {
            // The first error is the one to report; a file left behind is cleared at the next start.
            let _ = fs::remove_file(&partial);
        }
        written
    }
}

impl Host for FileHost {
    fn now_s(&self) -> u64 {
        self.system.now_s()
    }

    fn entropy(&self, bytes: &mut [u8]) {
        self.system.entropy(bytes);
    }

    fn media_put(&self, name: &str, bytes: &[u8]) -> Result<(), HostError> {
        let stamp = self.replace(name, bytes).map_err(|error| trouble(&self.folder.join(name), &error))?;
        self.stamps.write().unwrap_or_else(PoisonError::into_inner).insert(name.into(), stamp);
        Ok(())
    }

    fn media_get(&self, name: &str) -> Result<Option<StoredFile>, HostError> {
        let stamp = self.stamps.read().unwrap_or_else(PoisonError::into_inner).get(name).copied();
        let Some(stamp) = stamp else { return Ok(None) };
        let path = self.folder.join(name);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(StoredFile::whole(bytes, stamp))),
            // Removed since its name was looked up.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(trouble(&path, &error)),
        }
    }

    fn media_remove(&self, name: &str) -> Result<(), HostError> {
        if self.stamps.write().unwrap_or_else(PoisonError::into_inner).remove(name).is_none() {
            return Ok(());
        }
        let path = self.folder.join(name);
        fs::remove_file(&path).map_err(|error| trouble(&path, &error))
    }

    fn cache_get(&self, key: &str) -> Option<Arc<[u8]>> {
        self.cache.get(key, self.system.uptime())
    }

    fn cache_put(&self, key: &str, value: Arc<[u8]>, ttl_s: u32) {
        self.cache.put(key, value, self.system.uptime() + Duration::from_secs(ttl_s.into()));
    }

    fn cache_remove(&self, key: &str) {
        self.cache.remove(key);
    }
}

fn read_names(folder: &Path) -> io::Result<HashMap<String, u64>> {
    fs::create_dir_all(folder)?;
    let mut stamps = HashMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Names that are no text are not ours.
        let Ok(name) = entry.file_name().into_string() else { continue };
        let metadata = entry.metadata()?;
        if name.ends_with(PARTIAL) || metadata.len() == 0 {
            fs::remove_file(entry.path())?;
        } else {
            stamps.insert(name, stamp(&metadata));
        }
    }
    Ok(stamps)
}

/// Time of the last change in nanoseconds, mixed with the size for file systems with coarse times.
fn stamp(metadata: &Metadata) -> u64 {
    let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let nanos = changed.map_or(0, |time| time.as_nanos() as u64);
    nanos ^ metadata.len().rotate_left(40)
}

fn trouble(path: &Path, error: &io::Error) -> HostError {
    let kind = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Kind::Full,
        _ => Kind::Other,
    };
    HostError { kind, sentence: format!("{}: {error}", path.display()) }
}
