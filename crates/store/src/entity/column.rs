//! What the compiler knows of a table's columns, and what each database calls it.

use super::Field;
use super::text::Draft;
use crate::{Db, Dialect, Result};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// 64-bit integer; also truth values and references.
    Integer,
    /// Double.
    Real,
    /// UTF-8 text, compared byte by byte.
    Text,
    /// Bytes.
    Bytes,
}

/// The table that a column refers to.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name.
    pub table: &'static str,
    /// Creates or checks it: the database wants it to be there first.
    pub open: fn(&Db) -> Result<()>,
}

/// What happens to a row when the row that it refers to is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDelete {
    /// That row cannot be deleted.
    Restrict,
    /// This row is deleted, too.
    Cascade,
    /// The reference becomes none.
    SetNull,
}

/// A column, as `#[derive(Entity)]` writes it down.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: ColumnKind,
    /// Whether there may be no value: an `Option`.
    pub optional: bool,
    /// The most characters of a text; none: as many as the database takes.
    pub max: Option<u32>,
    /// What it refers to.
    pub target: Option<Target>,
    /// What happens when that is deleted.
    pub on_delete: OnDelete,
    /// The value of rows that were there before the column was, as SQL.
    pub default: Option<&'static str>,
}

impl Column {
    /// The column of a field without attributes.
    pub const fn of<F: Field>(name: &'static str) -> Self {
        Self {
            name,
            kind: F::KIND,
            optional: F::OPTIONAL,
            max: None,
            target: F::TARGET,
            on_delete: OnDelete::Restrict,
            default: None,
        }
    }

    /// The type in a database's words, exactly as the database tells it later.
    pub(super) const fn write_type(&self, out: &mut Draft, dialect: Dialect) {
        let text = match (self.kind, dialect) {
            (ColumnKind::Integer, Dialect::Sqlite) => "INTEGER",
            (ColumnKind::Integer, _) => "BIGINT",
            (ColumnKind::Real, Dialect::Sqlite) => "REAL",
            (ColumnKind::Real, Dialect::Postgres) => "DOUBLE PRECISION",
            (ColumnKind::Real, Dialect::MariaDb) => "DOUBLE",
            (ColumnKind::Bytes, Dialect::Sqlite) => "BLOB",
            (ColumnKind::Bytes, Dialect::Postgres) => "BYTEA",
            (ColumnKind::Bytes, Dialect::MariaDb) => "LONGBLOB",
            (ColumnKind::Text, Dialect::Sqlite) => "TEXT",
            (ColumnKind::Text, dialect) => return self.write_text_type(out, dialect),
        };
        out.push(text);
    }

    /// Servers would compare text by the rules of a language if they were not told to compare bytes.
    const fn write_text_type(&self, out: &mut Draft, dialect: Dialect) {
        let postgres = matches!(dialect, Dialect::Postgres);
        match self.max {
            Some(max) => {
                out.push(if postgres { "CHARACTER VARYING(" } else { "VARCHAR(" });
                out.number(max);
                out.push(")");
            }
            None => out.push(if postgres { "TEXT" } else { "LONGTEXT" }),
        }
        out.push(if postgres { " COLLATE \"C\"" } else { " COLLATE utf8mb4_nopad_bin" });
    }

    /// The column in CREATE TABLE or ALTER TABLE.
    pub(super) const fn write_definition(&self, out: &mut Draft, dialect: Dialect) {
        out.name(self.name);
        out.push(" ");
        self.write_type(out, dialect);
        if !self.optional {
            out.push(" NOT NULL");
        }
        if let Some(default) = self.default {
            out.push(" DEFAULT ");
            out.push(default);
        }
    }

    /// What follows `FOREIGN KEY (column)` or a column's definition.
    pub(super) const fn write_reference(&self, out: &mut Draft) {
        if let Some(target) = self.target {
            out.push(" REFERENCES ");
            out.name(target.table);
            out.push("(\"id\") ON DELETE ");
            out.push(match self.on_delete {
                // RESTRICT would not wait for the end of the statement, and fails as a trigger does in
                // SQLite.
                OnDelete::Restrict => "NO ACTION",
                OnDelete::Cascade => "CASCADE",
                OnDelete::SetNull => "SET NULL",
            });
        }
    }
}
