//! PostgreSQL: statements in binary over one blocking connection.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;
use std::error::Error as StdError;

use bytes::{BufMut, Bytes, BytesMut};
use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::{DataRowBody, Message};
use postgres_protocol::message::frontend::{self, BindError};
use postgres_protocol::{IsNull, Oid};

use crate::address::Address;
use crate::dialect::translate;
use crate::row::Cell;
use crate::server::{Answer, Driver, Record};
use crate::tls::Words;
use crate::{Dialect, Error, Options, Result, Value};

mod failure;
mod stream;
mod wire;

use wire::Wire;

/// Numbers that the server gives its types.
mod oid {
    use postgres_protocol::Oid;

    pub const BOOL: Oid = 16;
    pub const BYTEA: Oid = 17;
    pub const INT8: Oid = 20;
    pub const INT2: Oid = 21;
    pub const INT4: Oid = 23;
    pub const TEXT: Oid = 25;
    pub const FLOAT8: Oid = 701;
    pub const VARCHAR: Oid = 1043;
    pub const NAME: Oid = 19;
}

/// Seconds behind the primary; no row where none is followed. In a transaction of its own, because a standby
/// runs none that is serializable.
const LAG: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \
    SELECT CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0 \
      ELSE coalesce(extract(epoch FROM now() - pg_last_xact_replay_timestamp()), 0) END::text \
    FROM pg_stat_wal_receiver; COMMIT";

/// A connection.
pub(crate) struct Postgres {
    wire: Wire,
    /// Statements so far: their names are numbers.
    prepared: u32,
}

/// A statement that the server has parsed.
pub(crate) struct Prepared {
    name: String,
    params: Vec<Oid>,
    columns: Arc<[Oid]>,
}

impl Driver for Postgres {
    type Prepared = Prepared;
    type Record = PostgresRow;
    const PORT: u16 = 5432;
    /// libpq's; without `allow` and `prefer`, which go on without TLS.
    const TLS: Words = Words {
        mode: "sslmode",
        modes: ["disable", "require", "verify-ca", "verify-full"],
        roots: "sslrootcert",
        system: true,
    };

    fn connect(address: &Address, options: &Options) -> Result<Self> {
        let patience = format!("{}ms", options.busy_timeout.as_millis());
        let settings = [
            ("client_encoding", "UTF8"),
            ("standard_conforming_strings", "on"),
            // Also single statements are to happen as if they were alone.
            ("default_transaction_isolation", "serializable"),
            ("lock_timeout", &patience),
            // A join is done in the order in which it is written, which is found once for every statement
            // and does not depend on statistics, as on SQLite.
            ("join_collapse_limit", "1"),
            ("plan_cache_mode", "force_generic_plan"),
        ];
        Ok(Self { wire: Wire::connect(address, &settings)?, prepared: 0 })
    }

    fn prepare(&mut self, sql: &'static str) -> Result<Prepared> {
        self.prepared += 1;
        let name = format!("s{}", self.prepared);
        let text = translate(sql, Dialect::Postgres).sql;
        self.wire.write(|out| {
            frontend::parse(&name, &text, [], out)?;
            frontend::describe(b'S', &name, out)?;
            frontend::sync(out);
            Ok(())
        })?;
        let (mut params, mut columns) = (Vec::new(), Vec::new());
        self.wire.answer(|message| {
            match message {
                Message::ParameterDescription(body) => params = body.parameters().collect()?,
                Message::RowDescription(body) => {
                    columns = body.fields().map(|field| Ok(field.type_oid())).collect()?;
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(Prepared { name, params, columns: columns.into() })
    }

    fn run(&mut self, prepared: &Prepared, params: &[Value<'_>]) -> Result<Answer<PostgresRow>> {
        if params.len() != prepared.params.len() {
            let message = format!("{} parameters given, {} wanted", params.len(), prepared.params.len());
            return Err(Error::other(message));
        }
        let values = params.iter().zip(&prepared.params).enumerate();
        self.wire.write(|out| {
            let bound = frontend::bind("", &prepared.name, [1], values, encode, [1], out);
            bound.map_err(|error| match error {
                BindError::Conversion(error) => std::io::Error::new(std::io::ErrorKind::InvalidInput, error),
                BindError::Serialization(error) => error,
            })?;
            frontend::execute("", 0, out)?;
            frontend::sync(out);
            Ok(())
        })?;
        let mut answer = Answer { rows: Vec::new(), changed: 0 };
        self.wire.answer(|message| {
            match message {
                Message::DataRow(body) => {
                    answer.rows.push(PostgresRow::new(&body, Arc::clone(&prepared.columns))?);
                }
                Message::CommandComplete(body) => answer.changed = changed(body.tag()?),
                _ => {}
            }
            Ok(())
        })?;
        Ok(answer)
    }

    fn batch(&mut self, sql: &str) -> Result<()> {
        self.wire.write(|out| frontend::query(sql, out))?;
        self.wire.answer(|_| Ok(()))
    }

    /// Travels with the first statement.
    fn begin(&mut self, writes: bool) -> Result<()> {
        let sql = if writes { "BEGIN" } else { "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" };
        self.wire.write_unanswered(sql)
    }

    fn commit(&mut self) -> Result<()> {
        self.batch("COMMIT")
    }

    fn lag_s(&mut self) -> Result<Option<f64>> {
        self.wire.write(|out| frontend::query(LAG, out))?;
        let mut found = None;
        self.wire.answer(|message| {
            if let Message::DataRow(body) = message
                && let Some(Some(range)) = body.ranges().next()?
            {
                found = core::str::from_utf8(&body.buffer()[range]).ok().and_then(|text| text.parse().ok());
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Nobody waits for the answer; the next call reads it.
    fn rollback(&mut self) -> Result<()> {
        self.wire.write_unanswered("ROLLBACK")?;
        self.wire.flush()
    }
}

/// Rows that a command changed: the number at the end of `INSERT 0 1`, `UPDATE 3`, `DELETE 0`; none for
/// others.
fn changed(tag: &str) -> usize {
    let number = tag.rsplit(' ').next().and_then(|number| number.parse().ok());
    if tag.starts_with("SELECT") { 0 } else { number.unwrap_or(0) }
}

type Encoded = core::result::Result<IsNull, Box<dyn StdError + Sync + Send>>;

fn encode((index, (value, &kind)): (usize, (&Value<'_>, &Oid)), out: &mut BytesMut) -> Encoded {
    match (*value, kind) {
        (Value::Null, _) => return Ok(IsNull::Yes),
        (Value::Int(value), oid::INT8) => out.put_i64(value),
        (Value::Int(value), oid::INT4) => out.put_i32(value.try_into()?),
        (Value::Int(value), oid::INT2) => out.put_i16(value.try_into()?),
        (Value::Int(value), oid::FLOAT8) => out.put_f64(value as f64),
        (Value::Real(value), oid::FLOAT8) => out.put_f64(value),
        (Value::Text(text), oid::TEXT | oid::VARCHAR) => out.put_slice(text.as_bytes()),
        (Value::Blob(bytes), oid::BYTEA) => out.put_slice(bytes),
        _ => return Err(format!("parameter {index} is of another type than the column (type {kind})").into()),
    }
    Ok(IsNull::No)
}

/// A row: one buffer, and where in it each column is.
pub(crate) struct PostgresRow {
    buffer: Bytes,
    ranges: Vec<Option<Range<usize>>>,
    columns: Arc<[Oid]>,
}

impl PostgresRow {
    fn new(body: &DataRowBody, columns: Arc<[Oid]>) -> std::io::Result<Self> {
        Ok(Self { buffer: body.buffer_bytes().clone(), ranges: body.ranges().collect()?, columns })
    }
}

impl Record for PostgresRow {
    fn cell(&self, column: usize) -> Cell<'_> {
        let (Some(Some(range)), Some(&kind)) = (self.ranges.get(column), self.columns.get(column)) else {
            return Cell::Null;
        };
        let bytes = &self.buffer[range.clone()];
        match kind {
            oid::INT8 => number(bytes, i64::from_be_bytes),
            oid::INT4 => number(bytes, |bytes| i32::from_be_bytes(bytes).into()),
            oid::INT2 => number(bytes, |bytes| i16::from_be_bytes(bytes).into()),
            oid::BOOL => number(bytes, |[byte]: [u8; 1]| i64::from(byte != 0)),
            oid::FLOAT8 => bytes.try_into().map_or(Cell::Null, |bytes| Cell::Real(f64::from_be_bytes(bytes))),
            oid::TEXT | oid::VARCHAR | oid::NAME => Cell::Text(bytes),
            // Bytes, and whatever else there is: no text and no number.
            _ => Cell::Blob(bytes),
        }
    }
}

fn number<const N: usize>(bytes: &[u8], read: impl FnOnce([u8; N]) -> i64) -> Cell<'_> {
    bytes.try_into().map_or(Cell::Null, |bytes| Cell::Int(read(bytes)))
}

/// For sentences of the operating system and of the codec.
fn sentence(error: &dyn StdError) -> String {
    format!("{error}").trim_end().to_owned()
}
