//! A data set as a folder: `olio.db` and `uploads/`; or in memory; or in a database that several servers
//! share.

use alloc::format;
use std::fs;
use std::path::Path;

use loadstone_store::{Db, Options};
use loadstone_web::dataset;

use super::{Counts, LoadError, LoadOptions, Progress, load};
use crate::schema;

/// Name of the database, in a folder or in memory.
pub const DATABASE: &str = "olio.db";
/// Name of the folder of uploads.
pub const UPLOADS: &str = "uploads";

/// Makes a data set in `folder`, as [`dataset::create`] does.
///
/// # Errors
/// As [`dataset::create`] and [`load`].
pub fn create(folder: &str, options: &LoadOptions, progress: Progress<'_>) -> Result<Counts, LoadError> {
    let uploads = Path::new(folder).join(UPLOADS);
    let trouble = |error| LoadError::Files(format!("{}: {error}", uploads.display()));
    fs::create_dir_all(&uploads).map_err(trouble)?;
    dataset::create(folder, DATABASE, |db| load(db, options, progress))
}

/// Makes a data set in memory, as [`dataset::create_in_memory`] does.
///
/// # Errors
/// As [`dataset::create_in_memory`] and [`load`].
pub fn create_in_memory(
    vfs: &str,
    options: &LoadOptions,
    progress: Progress<'_>,
) -> Result<Counts, LoadError> {
    dataset::create_in_memory(vfs, DATABASE, |db| load(db, options, progress))
}

/// Makes a data set in a database on a server, as [`dataset::create_shared`] does.
///
/// # Errors
/// As [`dataset::create_shared`] and [`load`].
pub fn create_shared(
    database: &str,
    replace: bool,
    options: &LoadOptions,
    progress: Progress<'_>,
) -> Result<Counts, LoadError> {
    options.check()?;
    dataset::create_shared(database, replace, schema::DROP, |db| load(db, options, progress))
}

/// Makes a data set in [`DATABASE`] as `store` opens it, and room for uploads: what serves it only reads as it
/// starts.
///
/// # Errors
/// As [`dataset::create_in`] and [`load`].
pub fn create_on(
    store: &Options,
    options: &LoadOptions,
    progress: Progress<'_>,
) -> Result<Counts, LoadError> {
    let counts = dataset::create_in(DATABASE, store, |db| load(db, options, progress))?;
    make_uploads_on(store)?;
    Ok(counts)
}

/// Makes room for uploads in [`DATABASE`], where there are no folders; that there is some already is well.
///
/// # Errors
/// As the database reports, for one that it is not there.
pub fn make_uploads_on(store: &Options) -> Result<(), LoadError> {
    Ok(Db::open(DATABASE, store)?.exec_batch(include_str!("../schema/upload.sql"))?)
}
