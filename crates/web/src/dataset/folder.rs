//! Where a data set is made: in a folder, in memory, in a database that several servers share.

use alloc::format;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use loadstone_store::vfs::{MemoryVfs, register};
use loadstone_store::{Db, Journal, Options, Synchronous, without_password};

use super::{LoadError, has_tables};

/// Enough for the upper levels of every tree, so that loading does not read back what it wrote.
const CACHE_KIB: u32 = 64 * 1024;

/// Makes a data set as the file `name` of `folder`, which is created when absent. It is built under another
/// name and renamed when complete and on the medium: whatever interrupts it, the file is a whole data set or
/// absent.
///
/// # Errors
/// [`LoadError::Exists`] when the folder holds a data set; else as `load`, or when files fail.
pub fn create<T>(
    folder: &str,
    name: &str,
    load: impl FnOnce(&Db) -> Result<T, LoadError>,
) -> Result<T, LoadError> {
    let folder = Path::new(folder);
    let (database, partial) = (folder.join(name), folder.join(format!("{name}.partial")));
    if database.exists() {
        return Err(LoadError::Exists(format!("{} is there already", database.display())));
    }
    let files = |path: &Path, error: io::Error| LoadError::Files(format!("{}: {error}", path.display()));
    fs::create_dir_all(folder).map_err(|error| files(folder, error))?;
    remove_if_present(&partial).map_err(|error| files(&partial, error))?;
    let loaded = build(&partial, load);
    if loaded.is_err() {
        // The loader's error is the one to report; the next attempt clears the file again.
        let _ = remove_if_present(&partial);
    }
    let made = loaded?;
    publish(folder, &partial, &database).map_err(|error| files(&database, error))?;
    Ok(made)
}

/// Makes a data set in memory: registers a [`MemoryVfs`] as `vfs` and loads `name` into it. Connections are
/// opened with [`Options::memory`] and that name.
///
/// # Errors
/// When the name is taken; else as `load`.
pub fn create_in_memory<T>(
    vfs: &str,
    name: &str,
    load: impl FnOnce(&Db) -> Result<T, LoadError>,
) -> Result<T, LoadError> {
    register(vfs, MemoryVfs::new())?;
    let open = Options { vfs: Some(vfs.into()), cache_kib: CACHE_KIB, ..Options::memory() };
    load(&Db::open(name, &open)?)
}

/// Makes a data set in the database that the URL `database` names. One that holds tables is left alone,
/// unless `replace` is set: then `drop` removes the site's tables first, and other tables stay.
///
/// # Errors
/// [`LoadError::Exists`] when there are tables; else as `load`.
pub fn create_shared<T>(
    database: &str,
    replace: bool,
    drop: &'static str,
    load: impl FnOnce(&Db) -> Result<T, LoadError>,
) -> Result<T, LoadError> {
    if replace {
        let db = Db::open(database, &Options::default())?;
        // One statement for all: they refer to each other.
        db.exec_batch(drop)?;
        return load(&db);
    }
    create_in(database, &Options::default(), load)
}

/// Makes a data set in `database`, opened with `options`. One that holds tables is left alone.
///
/// # Errors
/// [`LoadError::Exists`] when there are tables; else as `load`.
pub fn create_in<T>(
    database: &str,
    options: &Options,
    load: impl FnOnce(&Db) -> Result<T, LoadError>,
) -> Result<T, LoadError> {
    let db = Db::open(database, options)?;
    if has_tables(&db)? {
        return Err(LoadError::Exists(format!("{} holds tables already", without_password(database))));
    }
    load(&db)
}

fn build<T>(path: &Path, load: impl FnOnce(&Db) -> Result<T, LoadError>) -> Result<T, LoadError> {
    let name = path.to_str().ok_or_else(|| LoadError::Files(format!("{} is not UTF-8", path.display())))?;
    // No journal: what fails is thrown away whole.
    let open = Options {
        journal: Journal::Off,
        synchronous: Synchronous::Off,
        cache_kib: CACHE_KIB,
        ..Options::default()
    };
    load(&Db::open(name, &open)?)
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
