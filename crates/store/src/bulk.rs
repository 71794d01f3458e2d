//! Many rows for one table.

#[cfg(feature = "servers")]
use {
    crate::{Dialect, Error, dialect},
    alloc::{format, string::String},
    core::fmt::Write,
};

use crate::{Db, Result, Value};

/// Bytes of a statement that is sent as a whole. Servers take 16 MiB and more; this is enough to make the
/// trips a small part of the work.
#[cfg(feature = "servers")]
const STATEMENT_BYTES: usize = 256 * 1024;

/// Rows on their way into a table: at once on SQLite, many in one statement on servers. Rows that were pushed
/// are in the table when [`Self::finish`] returns.
pub struct Bulk<'d> {
    db: &'d Db,
    sql: &'static str,
    #[cfg(feature = "servers")]
    pending: String,
}

impl<'d> Bulk<'d> {
    pub(crate) fn new(db: &'d Db, sql: &'static str) -> Self {
        Self {
            db,
            sql,
            #[cfg(feature = "servers")]
            pending: String::new(),
        }
    }

    /// The INSERT of one row.
    pub fn sql(&self) -> &'static str {
        self.sql
    }

    /// Adds a row.
    ///
    /// # Errors
    /// As [`Db::execute`], for this row or for one before it.
    pub fn push(&mut self, row: &[Value<'_>]) -> Result<()> {
        #[cfg(feature = "servers")]
        if self.db.dialect() != Dialect::Sqlite {
            return self.append(row);
        }
        self.db.execute(self.sql, row).map(drop)
    }

    /// Sends what is left.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn finish(self) -> Result<()> {
        #[cfg(feature = "servers")]
        if !self.pending.is_empty() {
            self.db.send(&self.pending, self.sql)?;
        }
        Ok(())
    }

    #[cfg(feature = "servers")]
    fn append(&mut self, row: &[Value<'_>]) -> Result<()> {
        let (head, template) = self
            .sql
            .split_once("VALUES ")
            .ok_or_else(|| Error::misuse("a bulk statement ends in VALUES (...)", self.sql))?;
        if self.pending.is_empty() {
            self.pending = format!("{}VALUES ", dialect::head(head, self.db.dialect()));
        } else {
            self.pending.push(',');
        }
        let mut values = row.iter();
        let mut parts = template.split('?');
        self.pending.push_str(parts.next().unwrap_or(""));
        for part in parts {
            let value = values.next().ok_or_else(|| Error::misuse("too few values", self.sql))?;
            literal(&mut self.pending, value, self.sql)?;
            self.pending.push_str(part);
        }
        if values.next().is_some() {
            return Err(Error::misuse("too many values", self.sql));
        }
        if self.pending.len() >= STATEMENT_BYTES {
            self.db.send(&self.pending, self.sql)?;
            self.pending.clear();
        }
        Ok(())
    }
}

/// A value in standard SQL. Connections are set up so that a backslash is nothing special.
#[cfg(feature = "servers")]
fn literal(out: &mut String, value: &Value<'_>, sql: &'static str) -> Result<()> {
    // Writing to a string cannot fail.
    let _ = match value {
        Value::Null => out.write_str("NULL"),
        Value::Int(value) => write!(out, "{value}"),
        Value::Real(value) => write!(out, "{value:?}"),
        Value::Text(text) => write!(out, "'{}'", text.replace('\'', "''")),
        Value::Blob(_) => return Err(Error::misuse("bytes cannot be loaded in bulk", sql)),
    };
    Ok(())
}
