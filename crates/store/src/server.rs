//! What every database server needs: one connection that is opened again when it is lost, statements prepared
//! once for it, and transactions that are run again when that is safe.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::time::Duration;
use std::thread;
use std::time::Instant;

use crate::address::Address;
use crate::error::Kind;
use crate::row::{Cell, Source};
use crate::tls::Words;
use crate::{Error, Options, Result, Row, Value};

/// After a connection was refused, calls fail at once for this long: a page answers at once instead of
/// waiting, and a server that comes back is not met by a crowd.
const PAUSE: Duration = Duration::from_millis(250);
/// How often work is run again that got into others' way. The waits grow from 1 ms and add up to about a
/// second.
const ATTEMPTS: u32 = 20;
const LONGEST_WAIT_US: u64 = 100_000;

/// A row as a server sent it.
pub(crate) trait Record {
    /// A column; NULL beyond the last.
    fn cell(&self, column: usize) -> Cell<'_>;
}

/// What a statement did.
pub(crate) struct Answer<R> {
    pub rows: Vec<R>,
    /// Rows inserted, matched or deleted.
    pub changed: usize,
}

/// One connection to one kind of server.
pub(crate) trait Driver: Sized + Send {
    /// A statement ready to be run.
    type Prepared: Send + Sync;
    /// A row.
    type Record: Record;
    /// Where such servers listen.
    const PORT: u16;
    /// How their addresses say what is wanted of TLS.
    const TLS: Words;

    fn connect(address: &Address, options: &Options) -> Result<Self>;
    fn prepare(&mut self, sql: &'static str) -> Result<Self::Prepared>;
    fn run(&mut self, prepared: &Self::Prepared, params: &[Value<'_>]) -> Result<Answer<Self::Record>>;
    /// Runs statements without parameters and forgets their rows.
    fn batch(&mut self, sql: &str) -> Result<()>;
    fn begin(&mut self, writes: bool) -> Result<()>;
    fn commit(&mut self) -> Result<()>;
    fn rollback(&mut self) -> Result<()>;
    /// As [`crate::Db::lag_s`].
    fn lag_s(&mut self) -> Result<Option<f64>>;
}

/// How far the connection is into a transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transaction {
    None,
    /// Nothing has been done in it yet: it can begin again on another connection.
    Fresh {
        writes: bool,
    },
    Used,
    /// The server has given it up; statements fail until it is rolled back.
    Broken,
}

/// A database on a server.
pub(crate) struct Server<D: Driver> {
    address: Address,
    options: Options,
    state: RefCell<State<D>>,
}

struct State<D: Driver> {
    connection: Option<D>,
    statements: BTreeMap<(usize, usize), Arc<D::Prepared>>,
    transaction: Transaction,
    /// Until when not to try again, and what was said the last time.
    refused: Option<(Instant, Error)>,
    /// Of the waits between attempts, which must differ between connections.
    random: u64,
}

impl<D: Driver> Server<D> {
    pub(crate) fn open(url: &str, options: &Options) -> Result<Self> {
        let address = Address::parse(url, D::PORT, &D::TLS)?;
        let connection = D::connect(&address, options)?;
        let state = State {
            connection: Some(connection),
            statements: BTreeMap::new(),
            transaction: Transaction::None,
            refused: None,
            random: seed(),
        };
        Ok(Self { address, options: options.clone(), state: RefCell::new(state) })
    }

    pub(crate) fn execute(&self, sql: &'static str, params: &[Value<'_>]) -> Result<usize> {
        Ok(self.run(sql, params)?.changed)
    }

    /// All rows are here before the first is shown, so that `each` may ask in turn.
    pub(crate) fn query(
        &self,
        sql: &'static str,
        params: &[Value<'_>],
        mut each: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let answer = self.run(sql, params)?;
        answer.rows.iter().try_for_each(|record| each(&Row::new(Source::Server(record), sql)))
    }

    pub(crate) fn query_row<T>(
        &self,
        sql: &'static str,
        params: &[Value<'_>],
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let answer = self.run(sql, params)?;
        answer.rows.first().map(|record| read(&Row::new(Source::Server(record), sql))).transpose()
    }

    pub(crate) fn exec_batch(&self, sql: &'static str) -> Result<()> {
        self.send(sql, "")
    }

    /// Runs statements without parameters; an error names `sql`.
    pub(crate) fn send(&self, text: &str, sql: &'static str) -> Result<()> {
        self.state.borrow_mut().call(self, false, |connection, _| connection.batch(text)).map_err(named(sql))
    }

    pub(crate) fn lag_s(&self) -> Result<Option<f64>> {
        self.state.borrow_mut().call(self, true, |connection, _| connection.lag_s())
    }

    pub(crate) fn begin(&self, writes: bool) -> Result<()> {
        let state = &mut *self.state.borrow_mut();
        if state.transaction != Transaction::None {
            return Err(Error::other("transactions do not nest"));
        }
        state.call(self, true, |connection, _| connection.begin(writes))?;
        state.transaction = Transaction::Fresh { writes };
        Ok(())
    }

    pub(crate) fn commit(&self) -> Result<()> {
        let state = &mut *self.state.borrow_mut();
        match (state.transaction, &mut state.connection) {
            (Transaction::Fresh { .. } | Transaction::Used, Some(connection)) => {
                let outcome = connection.commit();
                state.transaction = Transaction::None;
                if let Err(error) = &outcome
                    && error.is_unavailable()
                {
                    state.close();
                    // Whether the server had committed before it went is not known.
                    return Err(Error { kind: Kind::Unavailable, ..error.clone() });
                }
                outcome
            }
            _ => Err(Error { kind: Kind::Lost, ..Error::other("the transaction was given up") }),
        }
    }

    pub(crate) fn rollback(&self) {
        let state = &mut *self.state.borrow_mut();
        if state.transaction == Transaction::None {
            return;
        }
        state.transaction = Transaction::None;
        if let Some(connection) = &mut state.connection
            && connection.rollback().is_err()
        {
            // A server undoes what a connection that is gone had begun.
            state.close();
        }
    }

    pub(crate) fn in_transaction(&self) -> bool {
        self.state.borrow().transaction != Transaction::None
    }

    /// Whether work that failed with `error` after `attempt` others is worth another; waits before it says
    /// so.
    pub(crate) fn may_retry(&self, error: &Error, attempt: u32) -> bool {
        match error.kind {
            Kind::Conflict if attempt < ATTEMPTS => {
                thread::sleep(self.state.borrow_mut().wait(attempt));
                true
            }
            // Once: where the server is gone, connecting says so.
            Kind::Lost => attempt == 0,
            _ => false,
        }
    }

    /// Runs a statement, once more when that is safe.
    fn run(&self, sql: &'static str, params: &[Value<'_>]) -> Result<Answer<D::Record>> {
        let reads = sql.starts_with("SELECT");
        let mut attempt = 0;
        loop {
            let state = &mut *self.state.borrow_mut();
            let alone = state.transaction == Transaction::None;
            let outcome = state.call(self, reads, |connection, statements| {
                let key = (sql.as_ptr() as usize, sql.len());
                let prepared = match statements.get(&key) {
                    Some(prepared) => Arc::clone(prepared),
                    None => {
                        let prepared = Arc::new(connection.prepare(sql)?);
                        statements.insert(key, Arc::clone(&prepared));
                        prepared
                    }
                };
                connection.run(&prepared, params)
            });
            match outcome {
                // A statement of its own is a transaction of its own: nothing of it remains.
                Err(error) if alone && error.kind == Kind::Conflict && attempt < ATTEMPTS => {
                    thread::sleep(state.wait(attempt));
                    attempt += 1;
                }
                outcome => return outcome.map_err(named(sql)),
            }
        }
    }
}

type Statements<D> = BTreeMap<(usize, usize), Arc<<D as Driver>::Prepared>>;

impl<D: Driver> State<D> {
    /// Calls the connection, on a new one when the old one turns out to be gone and nothing can have been
    /// done on it: at the first call of a transaction, and outside of one when the call `reads`.
    fn call<T>(
        &mut self,
        server: &Server<D>,
        reads: bool,
        mut work: impl FnMut(&mut D, &mut Statements<D>) -> Result<T>,
    ) -> Result<T> {
        let before = self.transaction;
        if before == Transaction::Broken {
            return Err(Error { kind: Kind::Lost, ..Error::other("the transaction was given up") });
        }
        let is_repeatable =
            reads && before == Transaction::None || matches!(before, Transaction::Fresh { .. });
        let mut outcome = self.try_call(server, &mut work);
        if is_repeatable && matches!(&outcome, Err(error) if error.kind == Kind::Lost) {
            outcome = self.try_call(server, &mut work);
        }
        if before != Transaction::None {
            self.transaction = match &outcome {
                Err(error) if error.is_unavailable() || error.is_busy() => Transaction::Broken,
                _ => Transaction::Used,
            };
        } else if let Err(error) = &mut outcome
            && error.kind == Kind::Lost
        {
            error.kind = Kind::Unavailable;
        }
        outcome
    }

    fn try_call<T>(
        &mut self,
        server: &Server<D>,
        work: &mut impl FnMut(&mut D, &mut Statements<D>) -> Result<T>,
    ) -> Result<T> {
        if self.connection.is_none() {
            self.connect(server)?;
        }
        let Some(connection) = &mut self.connection else { return Err(Error::other("no connection")) };
        let outcome = work(connection, &mut self.statements);
        if matches!(&outcome, Err(error) if error.is_unavailable()) {
            self.close();
        }
        outcome
    }

    /// Opens a connection and takes up the transaction that has begun.
    fn connect(&mut self, server: &Server<D>) -> Result<()> {
        if let Some((until, error)) = &self.refused
            && Instant::now() < *until
        {
            return Err(error.clone());
        }
        let opened = D::connect(&server.address, &server.options).and_then(|mut connection| {
            if let Transaction::Fresh { writes } = self.transaction {
                connection.begin(writes)?;
            }
            Ok(connection)
        });
        match opened {
            Ok(connection) => {
                self.refused = None;
                self.connection = Some(connection);
                Ok(())
            }
            Err(error) => {
                // Whatever the reason, there is no database to talk to.
                let error = Error { kind: Kind::Unavailable, ..error };
                self.refused = Some((Instant::now() + PAUSE, error.clone()));
                Err(error)
            }
        }
    }

    fn close(&mut self) {
        self.statements.clear();
        self.connection = None;
    }

    /// A random time up to 1, 2, 4 ... ms: those who met once must not meet again.
    fn wait(&mut self, attempt: u32) -> Duration {
        // xorshift64: waits need no better numbers.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let longest = (1000_u64 << attempt.min(10)).min(LONGEST_WAIT_US);
        Duration::from_micros(self.random % longest)
    }
}

/// A seed of one's own; never 0, which would stay 0.
fn seed() -> u64 {
    use core::hash::BuildHasher;
    std::hash::RandomState::new().hash_one(thread::current().id()) | 1
}

fn named(sql: &'static str) -> impl FnOnce(Error) -> Error {
    move |error| Error { sql, ..error }
}
