//! The columns of SQLite's current row.

use core::marker::PhantomData;
use core::ptr::NonNull;
use core::slice;

use libsqlite3_sys as ffi;

use crate::row::Cell;

/// A statement that stands on a row. What it lends lives until the next step or reset, and both need a call
/// that ends this lifetime.
pub(crate) struct SqliteRow<'s> {
    stmt: NonNull<ffi::sqlite3_stmt>,
    _step: PhantomData<&'s ()>,
}

impl SqliteRow<'_> {
    pub(super) fn new(stmt: NonNull<ffi::sqlite3_stmt>) -> Self {
        Self { stmt, _step: PhantomData }
    }

    /// A column, not copied. An impossible one stays impossible: SQLite answers NULL for it.
    #[inline]
    pub(crate) fn cell(&self, column: usize) -> Cell<'_> {
        let (stmt, column) = (self.stmt.as_ptr(), i32::try_from(column).unwrap_or(i32::MAX));
        // SAFETY: the statement stands on a row. Type, pointer and length are asked for in this order, so
        // that they describe the same bytes, valid until the row's lifetime ends; an empty blob has a null
        // pointer, which `bytes` allows.
        unsafe {
            match ffi::sqlite3_column_type(stmt, column) {
                ffi::SQLITE_INTEGER => Cell::Int(ffi::sqlite3_column_int64(stmt, column)),
                ffi::SQLITE_FLOAT => Cell::Real(ffi::sqlite3_column_double(stmt, column)),
                ffi::SQLITE_TEXT => {
                    let start = ffi::sqlite3_column_text(stmt, column);
                    Cell::Text(bytes(start, ffi::sqlite3_column_bytes(stmt, column)))
                }
                ffi::SQLITE_BLOB => {
                    let start = ffi::sqlite3_column_blob(stmt, column).cast();
                    Cell::Blob(bytes(start, ffi::sqlite3_column_bytes(stmt, column)))
                }
                _ => Cell::Null,
            }
        }
    }
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
