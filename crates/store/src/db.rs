//! A connection to a database, whatever keeps it.

use alloc::vec::Vec;

#[cfg(feature = "mariadb")]
use crate::mariadb::MariaDb;
#[cfg(feature = "postgres")]
use crate::postgres::Postgres;
#[cfg(feature = "servers")]
use crate::server::Server;
use crate::sqlite::Sqlite;
use crate::{Bulk, Dialect, Error, Options, Result, Row, Value};

/// A connection for one thread at a time: each worker opens its own. It may move between threads, but takes
/// no locks, so it cannot be shared.
///
/// Every statement is compiled once for a connection and kept; a call may be made from inside a row callback.
pub struct Db {
    backend: Backend,
}

enum Backend {
    Sqlite(Sqlite),
    #[cfg(feature = "postgres")]
    Postgres(Server<Postgres>),
    #[cfg(feature = "mariadb")]
    MariaDb(Server<MariaDb>),
}

/// The same call to whichever back end there is.
macro_rules! on {
    ($db:expr, $backend:ident => $call:expr) => {
        match &$db.backend {
            Backend::Sqlite($backend) => $call,
            #[cfg(feature = "postgres")]
            Backend::Postgres($backend) => $call,
            #[cfg(feature = "mariadb")]
            Backend::MariaDb($backend) => $call,
        }
    };
}

impl Db {
    /// Whether databases may be servers. Without one, what only servers need takes no code.
    pub const HAS_SERVERS: bool = cfg!(feature = "servers");

    /// Opens the database at `place`: a URL such as `postgres://user:password@host:5432/name` or
    /// `mysql://user:password@host:3306/name` (with the features of those names), else a file name for the
    /// VFS that `options` name.
    ///
    /// # Errors
    /// When the file cannot be opened, is no database, or the journal mode cannot be had; when the server
    /// does not answer or refuses the user.
    pub fn open(place: &str, options: &Options) -> Result<Self> {
        let backend = match Dialect::of(place) {
            Dialect::Sqlite => Backend::Sqlite(Sqlite::open(place, options)?),
            #[cfg(feature = "postgres")]
            Dialect::Postgres => Backend::Postgres(Server::open(place, options)?),
            #[cfg(feature = "mariadb")]
            Dialect::MariaDb => Backend::MariaDb(Server::open(place, options)?),
            #[cfg(not(all(feature = "postgres", feature = "mariadb")))]
            _ => return Err(Error::other("this program was built without that kind of database server")),
        };
        Ok(Self { backend })
    }

    /// Which SQL the database speaks: schemas differ, the application's statements do not.
    pub fn dialect(&self) -> Dialect {
        match &self.backend {
            Backend::Sqlite(_) => Dialect::Sqlite,
            #[cfg(feature = "postgres")]
            Backend::Postgres(_) => Dialect::Postgres,
            #[cfg(feature = "mariadb")]
            Backend::MariaDb(_) => Dialect::MariaDb,
        }
    }

    /// Runs a statement for its effect; returns how many rows it inserted, matched or deleted.
    ///
    /// # Errors
    /// As the back end reports; see [`Error::is_busy`] and [`Error::is_constraint`].
    pub fn execute(&self, sql: &'static str, params: &[Value<'_>]) -> Result<usize> {
        on!(self, backend => backend.execute(sql, params))
    }

    /// Calls `each` for every row in order; an error from it ends the query.
    ///
    /// # Errors
    /// As the back end reports, or what `each` returns.
    pub fn query(
        &self,
        sql: &'static str,
        params: &[Value<'_>],
        each: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        on!(self, backend => backend.query(sql, params, each))
    }

    /// The first row; none when there is none.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn query_row<T>(
        &self,
        sql: &'static str,
        params: &[Value<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        on!(self, backend => backend.query_row(sql, params, read))
    }

    /// All rows.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn query_all<T>(
        &self,
        sql: &'static str,
        params: &[Value<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        self.query(sql, params, |row| {
            rows.push(read(row)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Runs an INSERT that ends in `RETURNING id`; the new row's id.
    ///
    /// # Errors
    /// As [`Self::execute`].
    pub fn insert(&self, sql: &'static str, params: &[Value<'_>]) -> Result<i64> {
        let id = self.query_row(sql, params, |row| row.int(0))?;
        id.ok_or_else(|| Error::misuse("no row was inserted", sql))
    }

    /// Runs an INSERT of one row on SQLite; the new row's id. RETURNING would build a table of its answers.
    pub(crate) fn insert_rowid(&self, sql: &'static str, params: &[Value<'_>]) -> Result<i64> {
        match &self.backend {
            Backend::Sqlite(sqlite) => sqlite.insert_rowid(sql, params),
            #[cfg(feature = "servers")]
            _ => Err(Error::misuse("servers have no such ids", sql)),
        }
    }

    /// Runs several statements without parameters, such as a schema, as they are: in the database's own
    /// dialect.
    ///
    /// # Errors
    /// As the back end reports; statements before the failed one may have been run.
    pub fn exec_batch(&self, sql: &'static str) -> Result<()> {
        on!(self, backend => backend.exec_batch(sql))
    }

    /// Rows for one table, in as few trips as the back end allows. `sql` is an INSERT of one row whose last
    /// part is `VALUES (...)`.
    pub fn bulk(&self, sql: &'static str) -> Bulk<'_> {
        Bulk::new(self, sql)
    }

    /// Runs `work` in a transaction that happens as if it were alone: SQLite gives it the write lock from its
    /// start, servers run it serializable. Commits when `work` succeeds; rolls back when it fails, panics, or
    /// the commit fails. When a server finds that two such transactions got into each other's way, or loses
    /// the connection before the commit, nothing of it remains and it is run again: `work` has no effect but
    /// on the database. Transactions do not nest.
    ///
    /// # Errors
    /// What `work` returns, busy when locks or conflicts outlast all patience, or
    /// [`crate::Kind::Unavailable`] when the server went away without saying whether it had committed.
    pub fn transaction<T>(&self, mut work: impl FnMut(&Self) -> Result<T>) -> Result<T> {
        let mut attempt = 0;
        loop {
            match self.attempt(&mut work) {
                Err(error) if on!(self, backend => backend.may_retry(&error, attempt)) => attempt += 1,
                outcome => return outcome,
            }
        }
    }

    fn attempt<T>(&self, work: &mut impl FnMut(&Self) -> Result<T>) -> Result<T> {
        on!(self, backend => backend.begin(true))?;
        let _undo = Snapshot(self);
        let value = work(self)?;
        on!(self, backend => backend.commit())?;
        Ok(value)
    }

    /// One view of the database for all statements until the guard is dropped: they see the same state, and
    /// it is set up once instead of once a statement. The view is that of the first statement.
    ///
    /// # Errors
    /// As the back end reports.
    pub fn snapshot(&self) -> Result<Snapshot<'_>> {
        on!(self, backend => backend.begin(false))?;
        Ok(Snapshot(self))
    }

    /// [`Self::transaction`] for rows whose references are right by construction: checking each would double
    /// the time where it can be left out. MariaDB commits at every change of the schema, so that there only
    /// the rows are all or nothing.
    ///
    /// # Errors
    /// As [`Self::transaction`].
    pub fn unchecked<T>(&self, work: impl FnMut(&Self) -> Result<T>) -> Result<T> {
        // SQLite's pragma does nothing inside a transaction, so both stand around it.
        let (off, on) = match self.dialect() {
            Dialect::Sqlite => ("PRAGMA foreign_keys = OFF", "PRAGMA foreign_keys = ON"),
            Dialect::MariaDb => ("SET foreign_key_checks = 0", "SET foreign_key_checks = 1"),
            // Only a superuser could switch them off: the schema adds them after the rows.
            Dialect::Postgres => return self.transaction(work),
        };
        self.exec_batch(off)?;
        let value = self.transaction(work)?;
        self.exec_batch(on)?;
        Ok(value)
    }

    /// Runs rows of [`Bulk`], which only servers get this way.
    #[cfg(feature = "servers")]
    pub(crate) fn send(&self, text: &str, sql: &'static str) -> Result<()> {
        match &self.backend {
            Backend::Sqlite(_) => Err(Error::misuse("SQLite takes row by row", sql)),
            #[cfg(feature = "postgres")]
            Backend::Postgres(server) => server.send(text, sql),
            #[cfg(feature = "mariadb")]
            Backend::MariaDb(server) => server.send(text, sql),
        }
    }

    /// How many seconds this server is behind the one that it follows; none when it follows nobody at the
    /// moment: it is no replica, or does not reach its primary. Outside of transactions.
    ///
    /// # Errors
    /// As the back end reports, such as when the user may not ask.
    pub fn lag_s(&self) -> Result<Option<f64>> {
        match &self.backend {
            Backend::Sqlite(_) => Ok(None),
            #[cfg(feature = "postgres")]
            Backend::Postgres(server) => server.lag_s(),
            #[cfg(feature = "mariadb")]
            Backend::MariaDb(server) => server.lag_s(),
        }
    }

    /// Whether a transaction or a snapshot is open.
    pub fn in_transaction(&self) -> bool {
        on!(self, backend => backend.in_transaction())
    }
}

/// One view of the database; ends, undoing what was not committed, when it is dropped.
pub struct Snapshot<'d>(&'d Db);

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        on!(self.0, backend => backend.rollback());
    }
}
