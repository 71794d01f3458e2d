//! A data set as a folder: `olio.db` and `uploads/`; or in memory.

use alloc::format;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use loadstone_store::vfs::{MemoryVfs, register};
use loadstone_store::{Db, Journal, Options, Synchronous};

use super::{Counts, LoadError, LoadOptions, Progress, load};

/// Name of the database, in a folder or in memory.
pub const DATABASE: &str = "olio.db";
/// Name of the folder of uploads.
pub const UPLOADS: &str = "uploads";
/// The database while it is being made.
const PARTIAL: &str = "olio.db.partial";
/// Enough for the upper levels of every tree, so that loading does not read back what it wrote.
const CACHE_KIB: u32 = 64 * 1024;

/// Makes a data set in `folder`, which is created when absent. It is built under another name and renamed
/// when complete and on the medium: whatever interrupts it, `olio.db` is a whole data set or absent.
///
/// # Errors
/// [`LoadError::Exists`] when the folder holds a data set; else as [`load`], or when files fail.
pub fn create(folder: &str, options: &LoadOptions, progress: Progress<'_>) -> Result<Counts, LoadError> {
    let folder = Path::new(folder);
    let (database, partial) = (folder.join(DATABASE), folder.join(PARTIAL));
    if database.exists() {
        return Err(LoadError::Exists(format!("{} is there already", database.display())));
    }
    let files = |path: &Path, error: io::Error| LoadError::Files(format!("{}: {error}", path.display()));
    fs::create_dir_all(folder.join(UPLOADS)).map_err(|error| files(folder, error))?;
    remove_if_present(&partial).map_err(|error| files(&partial, error))?;
    let loaded = build(&partial, options, progress);
    if loaded.is_err() {
        // The loader's error is the one to report; the next attempt clears the file again.
        let _ = remove_if_present(&partial);
    }
    let counts = loaded?;
    publish(folder, &partial, &database).map_err(|error| files(&database, error))?;
    Ok(counts)
}

/// Makes a data set in memory: registers a [`MemoryVfs`] as `vfs` and loads [`DATABASE`] into it. Connections
/// are opened with [`Options::memory`] and that name.
///
/// # Errors
/// When the name is taken; else as [`load`].
pub fn create_in_memory(
    vfs: &str,
    options: &LoadOptions,
    progress: Progress<'_>,
) -> Result<Counts, LoadError> {
    register(vfs, MemoryVfs::new())?;
    let open = Options { vfs: Some(vfs.into()), cache_kib: CACHE_KIB, ..Options::memory() };
    load(&Db::open(DATABASE, &open)?, options, progress)
}

fn build(path: &Path, options: &LoadOptions, progress: Progress<'_>) -> Result<Counts, LoadError> {
    let name = path.to_str().ok_or_else(|| LoadError::Files(format!("{} is not UTF-8", path.display())))?;
    // No journal: what fails is thrown away whole.
    let open = Options {
        journal: Journal::Off,
        synchronous: Synchronous::Off,
        cache_kib: CACHE_KIB,
        ..Options::default()
    };
    load(&Db::open(name, &open)?, options, progress)
}

fn publish(folder: &Path, partial: &Path, database: &Path) -> io::Result<()> {
    File::open(partial)?.sync_all()?;
    fs::rename(partial, database)?;
    File::open(folder)?.sync_all()
}

fn remove_if_present(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
