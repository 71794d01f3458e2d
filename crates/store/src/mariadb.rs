//! MariaDB, by the crate `mysql`: prepared statements in its binary protocol.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;
use std::error::Error as StdError;
use std::io;
use std::path::PathBuf;

use mysql::consts::CapabilityFlags;
use mysql::prelude::Queryable;
use mysql::{Conn, DriverError, OptsBuilder, Params, SslOpts};
use rustls::crypto::ring;

use crate::address::Address;
use crate::dialect::{Translated, translate};
use crate::error::Kind;
use crate::row::Cell;
use crate::server::{Answer, Driver, Record};
use crate::tls::{Mode, Words};
use crate::{Dialect, Error, Options, Result, Value};

/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(2);
/// After this long without a sign of life the operating system gives a connection up.
const SILENCE_MS: u32 = 5000;
/// Number of the character set "binary": bytes, not text.
const BINARY: u16 = 63;

/// A connection.
pub(crate) struct MariaDb {
    connection: Conn,
}

/// A statement that the server has parsed.
pub(crate) struct Prepared {
    statement: mysql::Statement,
    translated: Translated,
}

impl Driver for MariaDb {
    type Prepared = Prepared;
    type Record = mysql::Row;
    const PORT: u16 = 3306;
    /// Those of MySQL's clients; without `PREFERRED`, which goes on without TLS.
    const TLS: Words = Words {
        mode: "ssl-mode",
        modes: ["DISABLED", "REQUIRED", "VERIFY_CA", "VERIFY_IDENTITY"],
        roots: "ssl-ca",
        system: false,
    };

    fn connect(address: &Address, options: &Options) -> Result<Self> {
        let patience = options.busy_timeout.as_secs().max(1);
        let init = vec![
            // Standard SQL: a backslash is a character, double quotes are for names, and nothing is cut to
            // fit.
            "SET sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'".to_string(),
            "SET NAMES utf8mb4 COLLATE utf8mb4_nopad_bin".to_string(),
            format!("SET innodb_lock_wait_timeout = {patience}"),
        ];
        let wanted = OptsBuilder::new()
            .ip_or_hostname(Some(&address.host))
            .tcp_port(address.port)
            .user(Some(&address.user))
            .pass(Some(&address.password))
            .db_name(Some(&address.database))
            // Over the address that was given, also when it is this machine's.
            .prefer_socket(false)
            .tcp_connect_timeout(Some(CONNECT))
            .tcp_keepalive_time_ms(Some(2000))
            .tcp_keepalive_probe_interval_secs(Some(1))
            .tcp_keepalive_probe_count(Some(3))
            .tcp_user_timeout_ms(Some(SILENCE_MS))
            // Statements are kept by the store.
            .stmt_cache_size(0)
            // An UPDATE counts the rows that it finds, as elsewhere, not those that it makes different.
            .additional_capabilities(CapabilityFlags::CLIENT_FOUND_ROWS)
            .ssl_opts(secure(address)?)
            .init(init);
        Conn::new(wanted).map(|connection| Self { connection }).map_err(|error| refused(address, &error))
    }

    fn prepare(&mut self, sql: &'static str) -> Result<Prepared> {
        let translated = translate(sql, Dialect::MariaDb);
        let statement = self.connection.prep(&translated.sql).map_err(|error| failure(&error))?;
        Ok(Prepared { statement, translated })
    }

    fn run(&mut self, prepared: &Prepared, params: &[Value<'_>]) -> Result<Answer<mysql::Row>> {
        let order = &prepared.translated.order;
        let wanted = order.iter().max().map_or(0, |highest| highest + 1);
        if params.len() != wanted {
            return Err(Error::other(format!("{} parameters given, {wanted} wanted", params.len())));
        }
        let values: Vec<_> = order.iter().map(|&index| value(params[index])).collect();
        let params = if values.is_empty() { Params::Empty } else { Params::Positional(values) };
        let outcome = self.rows(&prepared.statement, params);
        match outcome {
            Err(error) if prepared.translated.ignores_taken && error.kind == Kind::Unique => {
                Ok(Answer { rows: Vec::new(), changed: 0 })
            }
            outcome => outcome,
        }
    }

    fn batch(&mut self, sql: &str) -> Result<()> {
        self.connection.query_drop(sql).map_err(|error| failure(&error))
    }

    fn begin(&mut self, writes: bool) -> Result<()> {
        self.batch(if writes {
            "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; START TRANSACTION"
        } else {
            "START TRANSACTION READ ONLY"
        })
    }

    fn commit(&mut self) -> Result<()> {
        self.batch("COMMIT")
    }

    fn rollback(&mut self) -> Result<()> {
        self.batch("ROLLBACK")
    }

    fn lag_s(&mut self) -> Result<Option<f64>> {
        let state: Option<mysql::Row> =
            self.connection.query_first("SHOW SLAVE STATUS").map_err(|error| failure(&error))?;
        // NULL while it does not reach its primary, or has stopped.
        Ok(state.and_then(|row| row.get_opt("Seconds_Behind_Master")?.ok()))
    }
}

impl MariaDb {
    fn rows(&mut self, statement: &mysql::Statement, params: Params) -> Result<Answer<mysql::Row>> {
        let mut result = self.connection.exec_iter(statement, params).map_err(|error| failure(&error))?;
        let changed = usize::try_from(result.affected_rows()).unwrap_or(0);
        let rows =
            result.by_ref().collect::<core::result::Result<_, _>>().map_err(|error| failure(&error))?;
        Ok(Answer { rows, changed })
    }
}

/// What `mysql` is to do about TLS; the file of authorities is read before, because it would not say which one is
/// broken, or where.
fn secure(address: &Address) -> Result<Option<SslOpts>> {
    let tls = &address.tls;
    if tls.mode == Mode::Plain {
        return Ok(None);
    }
    tls.authorities().map_err(|why| Error::other(told(address, &why)))?;
    // It takes the provider of the process, where it finds one.
    let _ = ring::default_provider().install_default();
    let wanted = SslOpts::default()
        .with_root_cert_path(tls.roots.clone().map(PathBuf::from))
        .with_danger_accept_invalid_certs(tls.mode < Mode::Authority)
        .with_danger_skip_domain_validation(tls.mode < Mode::Name);
    Ok(Some(wanted))
}

fn told(address: &Address, why: &str) -> String {
    format!("{} port {}: {why}", address.host, address.port)
}

/// Why there is no connection: TLS that fails does so again.
fn refused(address: &Address, error: &mysql::Error) -> Error {
    if let Some(why) = of_tls(error) {
        let roots = address.tls.roots.as_deref().map(|file| format!(" (ssl-ca={file})"));
        let why = format!("{}{}", loadstone_trust::told(why), roots.unwrap_or_default());
        return Error::other(told(address, &why));
    }
    match error {
        mysql::Error::DriverError(DriverError::TlsNotSupported) => {
            Error::other(told(address, "the server offers no TLS, which `ssl-mode` asks for"))
        }
        // To who comes without TLS where it must be, MariaDB says the same as to a wrong password.
        mysql::Error::MySqlError(complaint)
            if address.tls.mode == Mode::Plain && matches!(complaint.code, 1045 | 3159) =>
        {
            let error = failure(error);
            Error { message: format!("{}, without TLS (`ssl-mode` asks for it)", error.message), ..error }
        }
        _ => failure(error),
    }
}

/// What rustls says, wherever in the error it is.
fn of_tls(error: &mysql::Error) -> Option<&rustls::Error> {
    let broken = match error {
        mysql::Error::IoError(error) => error,
        mysql::Error::CodecError(error) => error.source()?.downcast_ref::<io::Error>()?,
        _ => return None,
    };
    broken.get_ref()?.downcast_ref()
}

fn value(value: Value<'_>) -> mysql::Value {
    match value {
        Value::Null => mysql::Value::NULL,
        Value::Int(value) => mysql::Value::Int(value),
        Value::Real(value) => mysql::Value::Double(value),
        Value::Text(text) => mysql::Value::Bytes(text.into()),
        Value::Blob(bytes) => mysql::Value::Bytes(bytes.into()),
    }
}

impl Record for mysql::Row {
    fn cell(&self, column: usize) -> Cell<'_> {
        match self.as_ref(column) {
            Some(mysql::Value::Int(value)) => Cell::Int(*value),
            // Counts and flags; nothing that the schema holds is larger than a signed number.
            Some(mysql::Value::UInt(value)) => i64::try_from(*value).map_or(Cell::Null, Cell::Int),
            Some(mysql::Value::Float(value)) => Cell::Real((*value).into()),
            Some(mysql::Value::Double(value)) => Cell::Real(*value),
            Some(mysql::Value::Bytes(bytes)) if self.columns_ref()[column].character_set() == BINARY => {
                Cell::Blob(bytes)
            }
            Some(mysql::Value::Bytes(bytes)) => Cell::Text(bytes),
            _ => Cell::Null,
        }
    }
}

fn failure(error: &mysql::Error) -> Error {
    let (kind, message) = match error {
        mysql::Error::MySqlError(complaint) => {
            (kind(complaint.code), format!("{} (MariaDB code {})", complaint.message, complaint.code))
        }
        mysql::Error::IoError(_) | mysql::Error::CodecError(_) => (Kind::Lost, text(error)),
        mysql::Error::DriverError(
            DriverError::ConnectTimeout | DriverError::CouldNotConnect(_) | DriverError::UnexpectedPacket,
        ) => (Kind::Lost, text(error)),
        _ => (Kind::Other, text(error)),
    };
    Error { kind, message, sql: "" }
}

fn text(error: &dyn StdError) -> String {
    format!("{error}")
}

/// After the table of error codes in MariaDB's manual.
fn kind(code: u16) -> Kind {
    match code {
        // Deadlock; changed since it was read.
        1213 | 1020 => Kind::Conflict,
        // Lock wait timeout.
        1205 => Kind::Busy,
        // Disk full, table full.
        1021 | 1114 => Kind::Full,
        // Duplicate entry, of a key or of an index with a name.
        1062 | 1586 => Kind::Unique,
        // No referenced row, row is referenced, each in two forms.
        1216 | 1217 | 1451 | 1452 => Kind::ForeignKey,
        // NULL, no default, out of range, wrong value, too long, CHECK.
        1048 | 1364 | 1264 | 1366 | 1292 | 1406 | 4025 => Kind::Constraint,
        // Too many connections, shutdown, aborted connections, killed.
        1040 | 1053 | 1080 | 1152 | 1184 | 1203 | 1927 | 2006 | 2013 => Kind::Lost,
        _ => Kind::Other,
    }
}
