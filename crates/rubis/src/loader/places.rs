//! A data set as a folder with `rubis.db`; or in memory; or in a database that several servers share.

use loadstone_store::Options;
use loadstone_web::dataset;

use super::{Counts, LoadError, LoadOptions, Progress, load};
use crate::schema;

/// Name of the database, in a folder or in memory.
pub const DATABASE: &str = "rubis.db";

/// Makes a data set in `folder`, as [`dataset::create`] does.
///
/// # Errors
/// As [`dataset::create`] and [`load`].
pub fn create(folder: &str, options: &LoadOptions, progress: Progress<'_>) -> Result<Counts, LoadError> {
    options.meta()?;
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
    options.meta()?;
    dataset::create_shared(database, replace, schema::DROP, |db| load(db, options, progress))
}

/// Makes a data set in [`DATABASE`] as `store` opens it.
///
/// # Errors
/// As [`dataset::create_in`] and [`load`].
pub fn create_on(
    store: &Options,
    options: &LoadOptions,
    progress: Progress<'_>,
) -> Result<Counts, LoadError> {
    dataset::create_in(DATABASE, store, |db| load(db, options, progress))
}
