//! Values that go into a statement and rows that come out.

use alloc::format;
use core::marker::PhantomData;
use core::ptr::NonNull;
use core::slice;

use libsqlite3_sys as ffi;

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
from_integers!(i64, i32, u32, u16, u8, bool);

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

/// The current row of a query. What it lends lives until the next row.
///
/// An accessor of the wrong type fails: with `STRICT` tables that is a mistake in the program or a broken
/// file, and neither may turn into an empty string on a page. Columns count from 0.
pub struct Row<'s> {
    stmt: NonNull<ffi::sqlite3_stmt>,
    sql: &'static str,
    _step: PhantomData<&'s ()>,
}

impl Row<'_> {
    pub(crate) fn new(stmt: NonNull<ffi::sqlite3_stmt>, sql: &'static str) -> Self {
        Self { stmt, sql, _step: PhantomData }
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
        match self.kind(column) {
            ffi::SQLITE_NULL => Ok(None),
            // SAFETY: the statement stands on a row.
            ffi::SQLITE_INTEGER => Ok(Some(unsafe { ffi::sqlite3_column_int64(self.raw(), index(column)) })),
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
        match self.kind(column) {
            ffi::SQLITE_NULL => Ok(None),
            ffi::SQLITE_INTEGER | ffi::SQLITE_FLOAT => {
                // SAFETY: the statement stands on a row.
                Ok(Some(unsafe { ffi::sqlite3_column_double(self.raw(), index(column)) }))
            }
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
        match self.kind(column) {
            ffi::SQLITE_NULL => Ok(None),
            ffi::SQLITE_TEXT => {
                // SAFETY: the statement stands on a row; the column is text, so the pointer and the length
                // that is asked for after it describe the same bytes, valid until the next step or reset,
                // and both need a call that ends this row's lifetime.
                let bytes = unsafe {
                    let start = ffi::sqlite3_column_text(self.raw(), index(column));
                    bytes(start, ffi::sqlite3_column_bytes(self.raw(), index(column)))
                };
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
        match self.kind(column) {
            ffi::SQLITE_NULL => Ok(None),
            // SAFETY: as in `opt_text`; an empty blob has a null pointer, which `bytes` allows.
            ffi::SQLITE_BLOB => Ok(Some(unsafe {
                let start = ffi::sqlite3_column_blob(self.raw(), index(column)).cast();
                bytes(start, ffi::sqlite3_column_bytes(self.raw(), index(column)))
            })),
            _ => Err(self.wrong(column, "a blob")),
        }
    }

    fn raw(&self) -> *mut ffi::sqlite3_stmt {
        self.stmt.as_ptr()
    }

    fn kind(&self, column: usize) -> i32 {
        // SAFETY: the statement stands on a row; an index out of range reads as NULL.
        unsafe { ffi::sqlite3_column_type(self.raw(), index(column)) }
    }

    fn wrong(&self, column: usize, wanted: &str) -> Error {
        Error::misuse(format!("column {column} is not {wanted}"), self.sql)
    }
}

/// An impossible column stays impossible: SQLite answers NULL for it.
fn index(column: usize) -> i32 {
    i32::try_from(column).unwrap_or(i32::MAX)
}

/// # Safety
/// `start` is null, or `length` bytes from it are readable for `'a`.
unsafe fn bytes<'a>(start: *const u8, length: i32) -> &'a [u8] {
    match usize::try_from(length) {
        // SAFETY: promised by the caller.
        Ok(length) if !start.is_null() => unsafe { slice::from_raw_parts(start, length) },
        _ => &[],
    }
}
