//! A prepared statement in use: bound, stepped, and always reset.

use core::ptr::{self, NonNull};

use libsqlite3_sys as ffi;

use super::{Connection, SqliteRow};
use crate::{Error, Result, Value};

/// A prepared statement; finalised when dropped.
pub(super) struct Statement {
    stmt: NonNull<ffi::sqlite3_stmt>,
    sql: &'static str,
}

impl Statement {
    /// Compiles the first statement of `sql`; none when `sql` holds only blanks and comments. Also returns
    /// how many bytes were read.
    pub(super) fn compile(db: &Connection, sql: &'static str, flags: u32) -> Result<(Option<Self>, usize)> {
        let length = i32::try_from(sql.len()).map_err(|_| Error::misuse("statement too long", sql))?;
        let mut stmt = ptr::null_mut();
        let mut tail = ptr::null();
        // SAFETY: the connection is open; `sql` is readable for `length` bytes; both outputs are valid
        // places.
        let code = unsafe {
            ffi::sqlite3_prepare_v3(
                db.raw(),
                sql.as_ptr().cast(),
                length,
                flags,
                &raw mut stmt,
                &raw mut tail,
            )
        };
        if code != ffi::SQLITE_OK {
            return Err(db.error(code, sql));
        }
        let used = tail as usize - sql.as_ptr() as usize;
        Ok((NonNull::new(stmt).map(|stmt| Self { stmt, sql }), used))
    }

    /// Binds `params` and gives the statement out for stepping until the returned guard is dropped.
    pub(super) fn bind<'s>(&'s mut self, db: &'s Connection, params: &'s [Value<'s>]) -> Result<Bound<'s>> {
        let bound = Bound { statement: self, db };
        // SAFETY: the statement is valid.
        let wanted = unsafe { ffi::sqlite3_bind_parameter_count(bound.raw()) };
        if usize::try_from(wanted) != Ok(params.len()) {
            let message = alloc::format!("{} parameters given, {wanted} wanted", params.len());
            return Err(Error::misuse(message, bound.statement.sql));
        }
        for (index, value) in (1..).zip(params) {
            // SAFETY: the statement is valid and not running. Text and blobs are bound without a copy
            // (a null destructor means "static"): the guard clears the bindings before `params` can end.
            let code = unsafe {
                match *value {
                    Value::Null => ffi::sqlite3_bind_null(bound.raw(), index),
                    Value::Int(value) => ffi::sqlite3_bind_int64(bound.raw(), index, value),
                    Value::Real(value) => ffi::sqlite3_bind_double(bound.raw(), index, value),
                    Value::Text(text) => ffi::sqlite3_bind_text64(
                        bound.raw(),
                        index,
                        text.as_ptr().cast(),
                        text.len() as u64,
                        ffi::SQLITE_STATIC(),
                        ffi::SQLITE_UTF8 as u8,
                    ),
                    Value::Blob(blob) => ffi::sqlite3_bind_blob64(
                        bound.raw(),
                        index,
                        blob.as_ptr().cast(),
                        blob.len() as u64,
                        ffi::SQLITE_STATIC(),
                    ),
                }
            };
            if code != ffi::SQLITE_OK {
                return Err(db.error(code, bound.statement.sql));
            }
        }
        Ok(bound)
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        // SAFETY: the statement is valid, belongs to no one else, and its connection is still open:
        // `Sqlite` drops its statements first.
        unsafe { ffi::sqlite3_finalize(self.stmt.as_ptr()) };
    }
}

/// A statement with parameters. Dropping it, also during a panic, resets it and forgets the parameters.
pub(super) struct Bound<'s> {
    statement: &'s mut Statement,
    db: &'s Connection,
}

impl Bound<'_> {
    /// The next row; none at the end.
    pub(super) fn step(&mut self) -> Result<Option<SqliteRow<'_>>> {
        // SAFETY: the statement is valid and bound.
        match unsafe { ffi::sqlite3_step(self.raw()) } {
            ffi::SQLITE_ROW => Ok(Some(SqliteRow::new(self.statement.stmt))),
            ffi::SQLITE_DONE => Ok(None),
            code => Err(self.db.error(code, self.statement.sql)),
        }
    }

    fn raw(&self) -> *mut ffi::sqlite3_stmt {
        self.statement.stmt.as_ptr()
    }
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        // SAFETY: the statement is valid. The result of reset repeats the error that step reported.
        unsafe {
            ffi::sqlite3_reset(self.raw());
            ffi::sqlite3_clear_bindings(self.raw());
        }
    }
}
