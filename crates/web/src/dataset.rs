//! Data sets: what they say about themselves, how their rows go in, where they are made.

use alloc::format;
use alloc::string::String;
use core::fmt;

use loadstone_store::{Bulk, Db, Dialect, Error, Result, Value};

#[cfg(feature = "std")]
mod folder;

#[cfg(feature = "std")]
pub use folder::{create, create_in, create_in_memory, create_shared};

/// Called with how much is done and how much there is to do, in the same unit of work; the last call has
/// both equal.
pub type Progress<'p> = &'p mut dyn FnMut(u64, u64);

/// Rows between two reports of progress.
const REPORT_EVERY: u64 = 4096;

/// Rows on their way into one table after the other.
pub struct Rows<'s> {
    db: &'s Db,
    /// Rows of the table that is being filled.
    bulk: Option<Bulk<'s>>,
    progress: Progress<'s>,
    done: u64,
    expected: u64,
}

impl<'s> Rows<'s> {
    /// Nothing yet of about `expected` rows.
    pub fn new(db: &'s Db, progress: Progress<'s>, expected: u64) -> Self {
        Self { db, bulk: None, progress, done: 0, expected }
    }

    /// Adds a row; `sql` as for [`Db::bulk`].
    ///
    /// # Errors
    /// As [`Bulk::push`].
    pub fn insert(&mut self, sql: &'static str, row: &[Value<'_>]) -> Result<()> {
        if self.bulk.as_ref().is_none_or(|bulk| !core::ptr::eq(bulk.sql(), sql)) {
            self.flush()?;
        }
        let db = self.db;
        self.bulk.get_or_insert_with(|| db.bulk(sql)).push(row)?;
        self.done += 1;
        if self.done.is_multiple_of(REPORT_EVERY) {
            (self.progress)(self.done.min(self.expected), self.expected);
        }
        Ok(())
    }

    /// Sends what is left.
    ///
    /// # Errors
    /// As [`Bulk::finish`].
    pub fn finish(mut self) -> Result<()> {
        self.flush()?;
        (self.progress)(self.expected, self.expected);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.bulk.take().map_or(Ok(()), Bulk::finish)
    }
}

/// Whether a server's database holds any table, ours or another's.
///
/// # Errors
/// As the database reports.
pub fn has_tables(db: &Db) -> Result<bool> {
    let sql = match db.dialect() {
        Dialect::Sqlite => "SELECT count(*) FROM sqlite_schema",
        Dialect::Postgres => {
            "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema()"
        }
        Dialect::MariaDb => "SELECT count(*) FROM information_schema.tables WHERE table_schema = database()",
    };
    Ok(db.query_row(sql, &[], |row| row.int(0))?.unwrap_or(0) > 0)
}

/// Writes a line of the table `meta`, where a data set describes itself.
///
/// # Errors
/// As the database reports.
pub fn put(db: &Db, name: &str, value: &str) -> Result<()> {
    db.execute("INSERT INTO meta(name, value) VALUES (?, ?)", &[name.into(), value.into()]).map(drop)
}

/// Writes a line of the table `meta` unless there is one of that name; what then stands there. All servers of
/// one database get the same.
///
/// # Errors
/// As the database reports.
pub fn first(db: &Db, name: &str, value: &str) -> Result<String> {
    let sql = "INSERT OR IGNORE INTO meta(name, value) VALUES (?1, ?2)";
    db.execute(sql, &[name.into(), value.into()])?;
    text(db, name)
}

/// A line of the table `meta`.
///
/// # Errors
/// When there is none.
pub fn text(db: &Db, name: &str) -> Result<String> {
    db.query_row("SELECT value FROM meta WHERE name = ?", &[name.into()], |row| {
        row.text(0).map(String::from)
    })?
    .ok_or_else(|| Error::other(format!("the data set does not say its {name}")))
}

/// A line of the table `meta` as a number.
///
/// # Errors
/// When there is none, or it is no number.
pub fn number<T: core::str::FromStr>(db: &Db, name: &str) -> Result<T> {
    let value = text(db, name)?;
    value.parse().map_err(|_| Error::other(format!("the data set's {name} is {value}, no number")))
}

/// Why a data set was not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadError {
    /// An option is out of range.
    Invalid(String),
    /// The folder holds a data set already, or the database tables.
    Exists(String),
    /// Files could not be read or written.
    Files(String),
    /// The database failed.
    Store(Error),
}

impl From<Error> for LoadError {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(message) | Self::Exists(message) | Self::Files(message) => f.write_str(message),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for LoadError {}
