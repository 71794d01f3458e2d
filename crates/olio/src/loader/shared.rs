//! A data set in a database that several servers share.

use alloc::format;

use loadstone_store::{Db, Options, without_password};

use super::{Counts, LoadError, LoadOptions, Progress, load};
use crate::schema;

/// Makes a data set in the database that the URL `database` names. One that holds tables is left alone, unless
/// `replace` is set: then Olio's tables go first, and other tables stay.
///
/// # Errors
/// [`LoadError::Exists`] when there are tables; else as [`load`].
pub fn create_shared(
    database: &str,
    replace: bool,
    options: &LoadOptions,
    progress: Progress<'_>,
) -> Result<Counts, LoadError> {
    options.check()?;
    let db = Db::open(database, &Options::default())?;
    if replace {
        schema::drop_tables(&db)?;
    } else if schema::has_tables(&db)? {
        return Err(LoadError::Exists(format!("{} holds tables already", without_password(database))));
    }
    load(&db, options, progress)
}
