//! What PostgreSQL's error codes mean.

use alloc::format;
use alloc::string::String;
use std::io;

use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::ErrorResponseBody;

use crate::Error;
use crate::error::Kind;

/// The server's complaint.
pub(super) fn complaint(body: &ErrorResponseBody) -> io::Result<Error> {
    let (mut code, mut message) = (String::new(), String::new());
    let mut fields = body.fields();
    while let Some(field) = fields.next()? {
        let value = || String::from_utf8_lossy(field.value_bytes()).into_owned();
        match field.type_() {
            b'C' => code = value(),
            b'M' => message = value(),
            _ => {}
        }
    }
    Ok(Error { kind: kind(&code), message: format!("{message} (SQLSTATE {code})"), sql: "" })
}

/// After the table of codes in PostgreSQL's manual, appendix A.
fn kind(code: &str) -> Kind {
    match code {
        // Serialization failure, deadlock.
        "40001" | "40P01" => Kind::Conflict,
        // A lock was not to be had within `lock_timeout`.
        "55P03" => Kind::Busy,
        // Disk full.
        "53100" => Kind::Full,
        "23505" => Kind::Unique,
        "23503" => Kind::ForeignKey,
        // Shut down by the administrator or a crash, starting up, too many connections, idle for too long.
        "57P01" | "57P02" | "57P03" | "57P05" | "53300" | "25P03" => Kind::Lost,
        _ if code.starts_with("08") => Kind::Lost,
        _ if code.starts_with("23") => Kind::Constraint,
        _ => Kind::Other,
    }
}
