//! What can go wrong in the store.

use alloc::string::String;
use core::ffi::CStr;
use core::fmt;

use libsqlite3_sys as ffi;

/// The outcome of a call to the store.
pub type Result<T> = core::result::Result<T, Error>;

/// A failed call: SQLite's extended result code, its message, and the statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Extended result code of SQLite (`SQLITE_BUSY` = 5, `SQLITE_CONSTRAINT_UNIQUE` = 2067, ...).
    pub code: i32,
    /// SQLite's sentence, or ours when the caller was wrong about a column.
    pub message: String,
    /// The statement that failed; empty when the call had none.
    pub sql: &'static str,
}

impl Error {
    /// Another connection holds a lock for longer than the busy timeout.
    pub fn is_busy(&self) -> bool {
        matches!(self.code & 0xff, ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED)
    }

    /// A key, NOT NULL, CHECK or foreign-key rule refused the change.
    pub fn is_constraint(&self) -> bool {
        self.code & 0xff == ffi::SQLITE_CONSTRAINT
    }

    /// A unique index or primary key refused the change.
    pub fn is_unique(&self) -> bool {
        matches!(self.code, ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY)
    }

    /// A row that the change refers to is not there.
    pub fn is_foreign_key(&self) -> bool {
        self.code == ffi::SQLITE_CONSTRAINT_FOREIGNKEY
    }

    /// An error that the store itself found, without SQLite's help.
    pub(crate) fn misuse(message: impl Into<String>, sql: &'static str) -> Self {
        Self { code: ffi::SQLITE_MISUSE, message: message.into(), sql }
    }

    /// The meaning of a bare result code, for calls that leave no message in a connection.
    pub(crate) fn from_code(code: i32) -> Self {
        // SAFETY: sqlite3_errstr returns a static NUL-terminated string for every code.
        let text = unsafe { CStr::from_ptr(ffi::sqlite3_errstr(code)) };
        Self { code, message: text.to_string_lossy().into_owned(), sql: "" }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (SQLite code {})", self.message, self.code)?;
        if self.sql.is_empty() { Ok(()) } else { write!(f, " in: {}", self.sql) }
    }
}

impl core::error::Error for Error {}
