//! What a list of statements answers, as text.
//!
//! Also compiled into the store's tests (`crates/store/tests/statements.rs`): there SQLite is the one that
//! every process gets, here it is the one for machines without an operating system.

use alloc::format;
use alloc::string::String;
use core::fmt::Write;

use loadstone_store::{Db, Error, Row};

/// The statements, one column each, between blank lines.
const STATEMENTS: &str = include_str!("../statements.sql");

/// Runs every statement; after each its rows or its error.
pub(crate) fn transcript(db: &Db) -> String {
    let mut text = String::new();
    for statement in STATEMENTS.trim().split("\n\n") {
        let _ = writeln!(text, "{statement}");
        let outcome = db.query(statement, &[], |row| {
            let _ = writeln!(text, "  {}", column(row)?);
            Ok(())
        });
        if let Err(error) = outcome {
            let _ = writeln!(text, "  {:?}: {}", error.kind, error.message);
        }
    }
    text
}

/// The column, so that two doubles look the same only when they are.
fn column(row: &Row<'_>) -> Result<String, Error> {
    let number =
        |row: &Row<'_>| row.opt_real(0).map(|value| value.map(|value| format!("{:016x}", value.to_bits())));
    let found = row
        .opt_int(0)
        .map(|value| value.map(|value| format!("{value}")))
        .or_else(|_| number(row))
        .or_else(|_| row.opt_text(0).map(|text| text.map(|text| format!("{text:?}"))))
        .or_else(|_| row.opt_blob(0).map(|bytes| bytes.map(|bytes| format!("{bytes:?}"))))?;
    Ok(found.unwrap_or_else(|| "NULL".into()))
}
