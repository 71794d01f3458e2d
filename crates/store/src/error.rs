//! What can go wrong in the store.

use alloc::format;
use alloc::string::String;
use core::ffi::CStr;
use core::fmt;

use libsqlite3_sys as ffi;

/// The outcome of a call to the store.
pub type Result<T> = core::result::Result<T, Error>;

/// What a failed call means, the same for every back end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Another connection holds a lock for longer than the busy timeout.
    Busy,
    /// The transaction cannot be put into an order with others, or was part of a deadlock; it is undone.
    Conflict,
    /// A unique index or primary key refused the change.
    Unique,
    /// A row that the change refers to is not there, or is still referred to.
    ForeignKey,
    /// A type, NOT NULL or CHECK rule refused the change.
    Constraint,
    /// The connection went away, and with it a transaction that had not begun to commit.
    Lost,
    /// The server cannot be reached, or went away before it said whether the change is done.
    Unavailable,
    /// There is no room left for the change.
    Full,
    /// A table in the database is not the one that the program knows.
    Schema,
    /// Anything else: wrong SQL, a wrong column, a broken file.
    Other,
}

impl Kind {
    /// The status code of an answer that failed for this reason, where the site knows no better: 503 for what
    /// passes by itself, 507 for want of room, 500 for the rest, rot included.
    pub fn status(self) -> u16 {
        match self {
            Self::Busy | Self::Conflict | Self::Lost | Self::Unavailable => 503,
            Self::Full => 507,
            _ => 500,
        }
    }
}

/// A failed call: what it means, the back end's message, and the statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What it means.
    pub kind: Kind,
    /// The back end's sentence with its own code, or ours when the caller was wrong about a column.
    pub message: String,
    /// The statement that failed; empty when the call had none.
    pub sql: &'static str,
}

impl Error {
    /// An error without a statement that none of the other kinds describes.
    pub fn other(message: impl Into<String>) -> Self {
        Self::misuse(message, "")
    }

    /// Others were in the way for too long; the same call may succeed later.
    pub fn is_busy(&self) -> bool {
        matches!(self.kind, Kind::Busy | Kind::Conflict)
    }

    /// There is no server to talk to at the moment.
    pub fn is_unavailable(&self) -> bool {
        matches!(self.kind, Kind::Lost | Kind::Unavailable)
    }

    /// A key, type, NOT NULL, CHECK or foreign-key rule refused the change.
    pub fn is_constraint(&self) -> bool {
        matches!(self.kind, Kind::Unique | Kind::ForeignKey | Kind::Constraint)
    }

    /// A unique index or primary key refused the change.
    pub fn is_unique(&self) -> bool {
        self.kind == Kind::Unique
    }

    /// A row that the change refers to is not there.
    pub fn is_foreign_key(&self) -> bool {
        self.kind == Kind::ForeignKey
    }

    /// An error that the store itself found, without the back end's help.
    pub(crate) fn misuse(message: impl Into<String>, sql: &'static str) -> Self {
        Self { kind: Kind::Other, message: message.into(), sql }
    }

    /// SQLite's extended result code with its message.
    pub(crate) fn sqlite(code: i32, message: &CStr, sql: &'static str) -> Self {
        let kind = match code {
            ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY => Kind::Unique,
            ffi::SQLITE_CONSTRAINT_FOREIGNKEY => Kind::ForeignKey,
            _ => match code & 0xff {
                ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => Kind::Busy,
                ffi::SQLITE_CONSTRAINT => Kind::Constraint,
                ffi::SQLITE_FULL => Kind::Full,
                _ => Kind::Other,
            },
        };
        let message = match code {
            ffi::SQLITE_IOERR_DATA => "a page of the database is damaged: its checksum is wrong".into(),
            _ => message.to_string_lossy(),
        };
        Self { kind, message: format!("{message} (SQLite code {code})"), sql }
    }

    /// The meaning of a bare result code, for calls that leave no message in a connection.
    pub(crate) fn from_code(code: i32) -> Self {
        // SAFETY: sqlite3_errstr returns a static NUL-terminated string for every code.
        Self::sqlite(code, unsafe { CStr::from_ptr(ffi::sqlite3_errstr(code)) }, "")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if self.sql.is_empty() { Ok(()) } else { write!(f, " in: {}", self.sql) }
    }
}

impl core::error::Error for Error {}
