//! Values that go into a statement and rows that come out.

use alloc::format;

use crate::sqlite::SqliteRow;
use crate::{Error, Result};

/// A parameter of a statement, borrowed for the length of the call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// SQL NULL.
    Null,
    /// 64-bit integer.
    Int(i64),
    /// Double.
    Real(f64),
    /// UTF-8 text.
    Text(&'a str),
    /// Bytes.
    Blob(&'a [u8]),
}

macro_rules! from_integers {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Value<'_> {
            fn from(value: $kind) -> Self {
                Self::Int(i64::from(value))
            }
        }
    )*};
}
from_integers!(i64, i32, i16, u32, u16, u8, bool);

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a alloc::string::String> for Value<'a> {
    fn from(value: &'a alloc::string::String) -> Self {
        Self::Text(value)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Blob(value)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A column as a back end holds it; text is not yet known to be UTF-8.
pub(crate) enum Cell<'a> {
    Null,
    Int(i64),
    Real(f64),
    Text(&'a [u8]),
    Blob(&'a [u8]),
}

/// Whose row it is.
pub(crate) enum Source<'s> {
    Sqlite(SqliteRow<'s>),
    #[cfg(feature = "servers")]
    Server(&'s dyn crate::server::Record),
}

/// The current row of a query. What it lends lives until the next row.
///
/// An accessor of the wrong type fails: with typed tables that is a mistake in the program or a broken
/// file, and neither may turn into an empty string on a page. Columns count from 0.
pub struct Row<'s> {
    source: Source<'s>,
    sql: &'static str,
}

impl<'s> Row<'s> {
    pub(crate) fn new(source: Source<'s>, sql: &'static str) -> Self {
        Self { source, sql }
    }

    /// An integer.
    ///
    /// # Errors
    /// When the column is of another type or NULL; so do all accessors.
    pub fn int(&self, column: usize) -> Result<i64> {
        self.opt_int(column)?.ok_or_else(|| self.wrong(column, "an integer"))
    }

    /// An integer or NULL.
    ///
    /// # Errors
    /// As [`Self::int`], but for NULL.
    pub fn opt_int(&self, column: usize) -> Result<Option<i64>> {
        match self.cell(column) {
            Cell::Null => Ok(None),
            Cell::Int(value) => Ok(Some(value)),
            _ => Err(self.wrong(column, "an integer")),
        }
    }

    /// An integer as a truth value.
    ///
    /// # Errors
    /// As [`Self::int`].
    pub fn bool(&self, column: usize) -> Result<bool> {
        Ok(self.int(column)? != 0)
    }

    /// A number; integers are converted.
    ///
    /// # Errors
    /// As [`Self::int`].
    pub fn real(&self, column: usize) -> Result<f64> {
        self.opt_real(column)?.ok_or_else(|| self.wrong(column, "a number"))
    }

    /// A number or NULL.
    ///
    /// # Errors
    /// As [`Self::int`], but for NULL.
    pub fn opt_real(&self, column: usize) -> Result<Option<f64>> {
        match self.cell(column) {
            Cell::Null => Ok(None),
            Cell::Int(value) => Ok(Some(value as f64)),
            Cell::Real(value) => Ok(Some(value)),
            _ => Err(self.wrong(column, "a number")),
        }
    }

    /// Text, not copied.
    ///
    /// # Errors
    /// As [`Self::int`], and when the bytes are not UTF-8.
    pub fn text(&self, column: usize) -> Result<&str> {
        self.opt_text(column)?.ok_or_else(|| self.wrong(column, "text"))
    }

    /// Text or NULL, not copied.
    ///
    /// # Errors
    /// As [`Self::text`], but for NULL.
    pub fn opt_text(&self, column: usize) -> Result<Option<&str>> {
        match self.cell(column) {
            Cell::Null => Ok(None),
            Cell::Text(bytes) => {
                core::str::from_utf8(bytes).map(Some).map_err(|_| self.wrong(column, "UTF-8"))
            }
            _ => Err(self.wrong(column, "text")),
        }
    }

    /// Bytes, not copied.
    ///
    /// # Errors
    /// As [`Self::int`].
    pub fn blob(&self, column: usize) -> Result<&[u8]> {
        self.opt_blob(column)?.ok_or_else(|| self.wrong(column, "a blob"))
    }

    /// Bytes or NULL, not copied.
    ///
    /// # Errors
    /// As [`Self::int`], but for NULL.
    pub fn opt_blob(&self, column: usize) -> Result<Option<&[u8]>> {
        match self.cell(column) {
            Cell::Null => Ok(None),
            Cell::Blob(bytes) => Ok(Some(bytes)),
            _ => Err(self.wrong(column, "a blob")),
        }
    }

    #[inline]
    fn cell(&self, column: usize) -> Cell<'_> {
        match &self.source {
            Source::Sqlite(row) => row.cell(column),
            #[cfg(feature = "servers")]
            Source::Server(record) => record.cell(column),
        }
    }

    fn wrong(&self, column: usize, wanted: &str) -> Error {
        Error::misuse(format!("column {column} is not {wanted}"), self.sql)
    }
}
