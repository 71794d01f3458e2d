//! The back end in this process: SQLite.

use alloc::ffi::CString;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::ffi::{CStr, c_int};
use core::ptr::{self, NonNull};

use libsqlite3_sys as ffi;

use crate::row::Source;
use crate::vfs::RESERVED_BYTES;
use crate::{Access, Error, Options, Result, Row, Value};

mod cells;
mod copy;
mod statement;

pub(crate) use cells::SqliteRow;
pub use copy::copy_database;
use statement::Statement;

/// A statement by the place and length of its SQL; none while it is lent.
type Cached = ((usize, usize), Option<Statement>);

/// A connection and its statements.
pub(crate) struct Sqlite {
    // Fields are dropped in this order: statements before their connection.
    statements: RefCell<Vec<Cached>>,
    connection: Connection,
}

impl Sqlite {
    pub(crate) fn open(path: &str, options: &Options) -> Result<Self> {
        let connection = Connection::open(path, options)?;
        connection.set_up(options)?;
        Ok(Self::on(connection))
    }

    fn on(connection: Connection) -> Self {
        Self { statements: RefCell::default(), connection }
    }

    pub(crate) fn execute(&self, sql: &'static str, params: &[Value<'_>]) -> Result<usize> {
        let before = self.total_changes();
        self.query(sql, params, |_| Ok(()))?;
        Ok(usize::try_from(self.total_changes() - before).unwrap_or(0))
    }

    pub(crate) fn query(
        &self,
        sql: &'static str,
        params: &[Value<'_>],
        mut each: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        self.with_statement(sql, |statement| {
            let mut bound = statement.bind(&self.connection, params)?;
            while let Some(row) = bound.step()? {
                each(&Row::new(Source::Sqlite(row), sql))?;
            }
            Ok(())
        })
    }

    pub(crate) fn query_row<T>(
        &self,
        sql: &'static str,
        params: &[Value<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.with_statement(sql, |statement| {
            let mut bound = statement.bind(&self.connection, params)?;
            bound.step()?.map(|row| read(&Row::new(Source::Sqlite(row), sql))).transpose()
        })
    }

    pub(crate) fn insert_rowid(&self, sql: &'static str, params: &[Value<'_>]) -> Result<i64> {
        self.query(sql, params, |_| Ok(()))?;
        // SAFETY: the connection is open.
        Ok(unsafe { ffi::sqlite3_last_insert_rowid(self.connection.raw()) })
    }

    pub(crate) fn exec_batch(&self, sql: &'static str) -> Result<()> {
        let mut rest = sql;
        loop {
            let (statement, used) = Statement::compile(&self.connection, rest, 0)?;
            if let Some(mut statement) = statement {
                let mut bound = statement.bind(&self.connection, &[])?;
                while bound.step()?.is_some() {}
            }
            rest = &rest[used..];
            if rest.is_empty() {
                return Ok(());
            }
        }
    }

    /// A transaction to write in owns the write lock from its start, so that it cannot fail half-way because
    /// another connection wrote.
    pub(crate) fn begin(&self, writes: bool) -> Result<()> {
        self.execute(if writes { "BEGIN IMMEDIATE" } else { "BEGIN DEFERRED" }, &[]).map(drop)
    }

    pub(crate) fn commit(&self) -> Result<()> {
        self.execute("COMMIT", &[]).map(drop)
    }

    /// Ends what is still open.
    pub(crate) fn rollback(&self) {
        if self.in_transaction() {
            // Nothing is left to do when this fails: SQLite rolls back by itself on errors that forbid it,
            // and when the connection closes.
            let _ = self.execute("ROLLBACK", &[]);
        }
    }

    /// Waiting is SQLite's own affair: what has failed has waited.
    pub(crate) fn may_retry(&self, _: &Error, _: u32) -> bool {
        false
    }

    pub(crate) fn in_transaction(&self) -> bool {
        // SAFETY: the connection is open.
        unsafe { ffi::sqlite3_get_autocommit(self.connection.raw()) == 0 }
    }

    fn total_changes(&self) -> i64 {
        // SAFETY: the connection is open.
        unsafe { ffi::sqlite3_total_changes64(self.connection.raw()) }
    }

    /// Lends the cached statement of `sql` to `work`. It leaves the cache meanwhile, so that a nested call
    /// cannot rebind a running statement.
    fn with_statement<T>(
        &self,
        sql: &'static str,
        work: impl FnOnce(&mut Statement) -> Result<T>,
    ) -> Result<T> {
        let key = (sql.as_ptr() as usize, sql.len());
        let mut statement =
            match self.place(key).ok().and_then(|at| self.statements.borrow_mut()[at].1.take()) {
                Some(statement) => statement,
                None => self.connection.compile_single(sql)?,
            };
        let outcome = work(&mut statement);
        match self.place(key) {
            Ok(at) => self.statements.borrow_mut()[at].1 = Some(statement),
            Err(at) => self.statements.borrow_mut().insert(at, (key, Some(statement))),
        }
        outcome
    }

    /// Where a statement is in the cache, or belongs.
    fn place(&self, key: (usize, usize)) -> core::result::Result<usize, usize> {
        self.statements.borrow().binary_search_by_key(&key, |(found, _)| *found)
    }
}

/// Has SQLite give back what it keeps of files in memory and does not need at the moment, on every
/// connection; returns how many bytes. Only a SQLite that was built with its memory management does; others
/// keep what they have.
pub fn release_memory() -> usize {
    // SAFETY: may be called at any time.
    usize::try_from(unsafe { ffi::sqlite3_release_memory(c_int::MAX) }).unwrap_or(0)
}

/// SQLite's handle; closed when dropped.
pub(crate) struct Connection(NonNull<ffi::sqlite3>);

// SAFETY: opened with SQLITE_OPEN_NOMUTEX, a connection may be used by any thread as long as only one uses
// it at a time. `Connection` has no Sync, and `Sqlite` lends it only through itself.
unsafe impl Send for Connection {}
// SAFETY: a statement belongs to one `Sqlite` and moves with it.
unsafe impl Send for Statement {}

impl Connection {
    fn open(path: &str, options: &Options) -> Result<Self> {
        Self::open_with(path, options, 0)
    }

    fn open_with(path: &str, options: &Options, flags: c_int) -> Result<Self> {
        let nul = |_| Error::misuse("a name holds a NUL byte", "");
        let path = CString::new(path).map_err(nul)?;
        let vfs = options.vfs.as_deref().map(CString::new).transpose().map_err(nul)?;
        let access = match options.access {
            Access::Create => ffi::SQLITE_OPEN_READWRITE | ffi::SQLITE_OPEN_CREATE,
            Access::ReadWrite => ffi::SQLITE_OPEN_READWRITE,
            Access::ReadOnly => ffi::SQLITE_OPEN_READONLY,
        };
        let flags = flags | access | ffi::SQLITE_OPEN_NOMUTEX | ffi::SQLITE_OPEN_EXRESCODE;
        let mut raw = ptr::null_mut();
        // SAFETY: both names are NUL-terminated and live through the call; `raw` is a valid place.
        let code = unsafe {
            let vfs = vfs.as_ref().map_or(ptr::null(), |vfs| vfs.as_ptr());
            ffi::sqlite3_open_v2(path.as_ptr(), &raw mut raw, flags, vfs)
        };
        // Without memory there is no handle; otherwise a failed open leaves one that holds the message.
        let connection = Self(NonNull::new(raw).ok_or_else(|| Error::from_code(code))?);
        if code == ffi::SQLITE_OK { Ok(connection) } else { Err(connection.error(code, "")) }
    }

    fn set_up(&self, options: &Options) -> Result<()> {
        let patience = c_int::try_from(options.busy_timeout.as_millis()).unwrap_or(c_int::MAX);
        // SAFETY: the connection is open.
        unsafe { ffi::sqlite3_busy_timeout(self.raw(), patience) };
        // Plans must not depend on bound values: otherwise clearing the parameters of a kept statement makes
        // SQLite compile it again for every run, which costs more than most of them. SAFETY: the connection
        // is open; the option takes an int and a place for its value, which may be null.
        unsafe {
            let place: *mut c_int = ptr::null_mut();
            ffi::sqlite3_db_config(self.raw(), ffi::SQLITE_DBCONFIG_ENABLE_QPSG, 1, place);
        }
        self.leave_room()?;
        if options.access != Access::ReadOnly {
            let wanted = options.journal.name();
            let got = self.journal(wanted, patience)?;
            if got != wanted {
                return Err(Error::misuse(format!("journal mode {wanted} cannot be had here: {got}"), ""));
            }
        }
        self.pragma(&format!("PRAGMA synchronous = {}", options.synchronous.level()))?;
        self.pragma(&format!("PRAGMA cache_size = -{}", options.cache_kib))?;
        self.pragma(&format!("PRAGMA mmap_size = {}", options.mmap_bytes))?;
        self.pragma("PRAGMA foreign_keys = ON")?;
        Ok(())
    }

    /// Asks for a journal mode; the one there is then.
    ///
    /// Connections that change it at once may each hold what the other needs. SQLite then refuses one of them
    /// without waiting, so it asks again.
    fn journal(&self, wanted: &str, patience_ms: c_int) -> Result<String> {
        const PAUSE_MS: c_int = 5;
        let sql = format!("PRAGMA journal_mode = {wanted}");
        for _ in 0..patience_ms / PAUSE_MS {
            match self.pragma(&sql) {
                // SAFETY: it only waits.
                Err(error) if error.is_busy() => unsafe { ffi::sqlite3_sleep(PAUSE_MS) },
                answer => return answer,
            };
        }
        self.pragma(&sql)
    }

    /// Leaves as much of each page of a new database to its VFS as that wants.
    fn leave_room(&self) -> Result<()> {
        let mut bytes: c_int = 0;
        let place = (&raw mut bytes).cast();
        // SAFETY: the connection is open; the control takes a place for an int, for the call's time.
        match unsafe { ffi::sqlite3_file_control(self.raw(), c"main".as_ptr(), RESERVED_BYTES, place) } {
            ffi::SQLITE_OK => self.request_room(bytes),
            // The operating system's files, or none yet: they want nothing.
            ffi::SQLITE_NOTFOUND => Ok(()),
            code => Err(self.error(code, "")),
        }
    }

    /// Runs one pragma; the first column of its answer as text.
    fn pragma(&self, sql: &str) -> Result<String> {
        let sql = CString::new(sql).map_err(|_| Error::misuse("a pragma holds a NUL byte", ""))?;
        let mut stmt = ptr::null_mut();
        // SAFETY: `sql` is NUL-terminated and lives through the block; the answer is copied before the
        // statement is finalised; finalise repeats the error of prepare or step.
        unsafe {
            let code = ffi::sqlite3_prepare_v2(self.raw(), sql.as_ptr(), -1, &raw mut stmt, ptr::null_mut());
            if code != ffi::SQLITE_OK {
                return Err(self.error(code, ""));
            }
            let mut answer = String::new();
            if ffi::sqlite3_step(stmt) == ffi::SQLITE_ROW {
                let text = ffi::sqlite3_column_text(stmt, 0);
                if !text.is_null() {
                    answer = CStr::from_ptr(text.cast()).to_string_lossy().into_owned();
                }
            }
            match ffi::sqlite3_finalize(stmt) {
                ffi::SQLITE_OK => Ok(answer),
                code => Err(self.error(code, "")),
            }
        }
    }

    fn compile_single(&self, sql: &'static str) -> Result<Statement> {
        let (statement, used) = Statement::compile(self, sql, ffi::SQLITE_PREPARE_PERSISTENT)?;
        if !sql[used..].trim().is_empty() {
            return Err(Error::misuse("more than one statement", sql));
        }
        statement.ok_or_else(|| Error::misuse("no statement", sql))
    }

    pub(crate) fn raw(&self) -> *mut ffi::sqlite3 {
        self.0.as_ptr()
    }

    pub(crate) fn error(&self, code: i32, sql: &'static str) -> Error {
        // SAFETY: the connection is open; the message is copied before the next call changes it.
        Error::sqlite(code, unsafe { CStr::from_ptr(ffi::sqlite3_errmsg(self.raw())) }, sql)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: every statement is gone, so the close cannot be refused; open transactions roll back.
        unsafe { ffi::sqlite3_close(self.raw()) };
    }
}
