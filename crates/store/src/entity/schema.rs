//! The table in the database against the struct: made when there is none, else compared, and added to when
//! that is asked for.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::column::Column;
use super::statements::Statements;
use super::text::Draft;
use super::{Entity, Index};
use crate::error::Kind;
use crate::{Db, Dialect, Error, Result};

/// A column as the database tells it.
struct Found {
    name: String,
    /// In the words of [`Column::write_type`].
    sql_type: String,
    required: bool,
}

/// What keeps a table from being the struct's.
enum Difference {
    /// Numbers of a column of the struct, and whether the table can be given it.
    NoColumn {
        index: usize,
        is_addable: bool,
    },
    NoIndex(&'static Index),
    Other(String),
}

/// Creates the table of `E` and those that it refers to, where they are not there; checks those that are.
pub(super) fn open<E: Entity>(db: &Db) -> Result<()> {
    for target in E::COLUMNS.iter().filter_map(|column| column.target) {
        if target.table != E::TABLE {
            (target.open)(db)?;
        }
    }
    let mut found = columns(db, E::TABLE)?;
    if found.is_empty() {
        let created = create::<E>(db);
        found = columns(db, E::TABLE)?;
        // Another connection may have been faster; then its table counts.
        if found.is_empty() {
            return created
                .and_then(|()| Err(Error::other(format!("the table `{}` is not there", E::TABLE))));
        }
    }
    let differences = compare::<E>(db, &found)?;
    if differences.is_empty() { Ok(()) } else { Err(refuse::<E>(db, &differences)) }
}

/// Adds columns and indexes that the table lacks. Nothing is changed when anything else differs.
pub(super) fn migrate<E: Entity>(db: &Db) -> Result<()> {
    let found = columns(db, E::TABLE)?;
    if found.is_empty() {
        return open::<E>(db);
    }
    let differences = compare::<E>(db, &found)?;
    if !differences.iter().all(Difference::is_addable) {
        return Err(refuse::<E>(db, &differences));
    }
    db.transaction(|db| {
        for difference in &differences {
            match difference {
                Difference::NoColumn { index, .. } => {
                    let [sqlite, postgres, mariadb] = E::ADDITIONS[*index];
                    db.exec_batch(match db.dialect() {
                        Dialect::Sqlite => sqlite,
                        Dialect::Postgres => postgres,
                        Dialect::MariaDb => mariadb,
                    })?;
                }
                Difference::NoIndex(index) => db.exec_batch(index.create)?,
                Difference::Other(_) => {}
            }
        }
        Ok(())
    })
}

fn create<E: Entity>(db: &Db) -> Result<()> {
    db.transaction(|db| {
        db.exec_batch(Statements::<E>::create(db.dialect()))?;
        match db.dialect() {
            Dialect::MariaDb => Ok(()),
            _ => E::INDEXES.iter().try_for_each(|index| db.exec_batch(index.create)),
        }
    })
}

fn columns(db: &Db, table: &'static str) -> Result<Vec<Found>> {
    let sql = match db.dialect() {
        Dialect::Sqlite => "SELECT name, upper(type), \"notnull\" FROM pragma_table_info(?1)",
        Dialect::Postgres => {
            "SELECT CAST(column_name AS text), upper(data_type) || COALESCE('(' || character_maximum_length || ')', '') \
             || COALESCE(' COLLATE \"' || collation_name || '\"', ''), CASE is_nullable WHEN 'NO' THEN 1 ELSE 0 END \
             FROM information_schema.columns \
             WHERE table_schema = current_schema() AND table_name = CAST(?1 AS text) ORDER BY ordinal_position"
        }
        Dialect::MariaDb => {
            "SELECT column_name, CONCAT(UPPER(data_type), \
             IF(data_type = 'varchar', CONCAT('(', character_maximum_length, ')'), ''), \
             IFNULL(CONCAT(' COLLATE ', collation_name), '')), is_nullable = 'NO' FROM information_schema.columns \
             WHERE table_schema = DATABASE() AND table_name = ?1 ORDER BY ordinal_position"
        }
    };
    db.query_all(sql, &[table.into()], |row| {
        let (name, sql_type) = (row.text(0)?.to_string(), row.text(1)?.to_string());
        Ok(Found { name, sql_type, required: row.bool(2)? })
    })
}

/// The names of the table's indexes.
fn indexes(db: &Db, table: &'static str) -> Result<Vec<String>> {
    let sql = match db.dialect() {
        Dialect::Sqlite => "SELECT name FROM pragma_index_list(?1)",
        Dialect::Postgres => {
            "SELECT CAST(indexname AS text) FROM pg_indexes \
             WHERE schemaname = current_schema() AND tablename = CAST(?1 AS text)"
        }
        Dialect::MariaDb => {
            "SELECT DISTINCT index_name FROM information_schema.statistics \
             WHERE table_schema = DATABASE() AND table_name = ?1"
        }
    };
    db.query_all(sql, &[table.into()], |row| Ok(row.text(0)?.to_string()))
}

fn compare<E: Entity>(db: &Db, found: &[Found]) -> Result<Vec<Difference>> {
    let mut differences = Vec::new();
    for (index, column) in E::COLUMNS.iter().enumerate() {
        match found.iter().find(|found| found.name == column.name) {
            // A key is never NULL, but SQLite's need not say so.
            Some(found) => differences.extend(change(column, found, db.dialect(), index == 0)),
            None => {
                let is_addable = index > 0 && (column.optional || column.default.is_some());
                differences.push(Difference::NoColumn { index, is_addable });
            }
        }
    }
    for found in found {
        if E::COLUMNS.iter().all(|column| column.name != found.name) {
            let (name, found) = (&found.name, found.described());
            differences.push(Difference::Other(format!("column `{name}` is {found}, expected none")));
        }
    }
    let there = indexes(db, E::TABLE)?;
    let missing = E::INDEXES.iter().filter(|index| there.iter().all(|name| name != index.name));
    differences.extend(missing.map(Difference::NoIndex));
    Ok(differences)
}

fn change(column: &Column, found: &Found, dialect: Dialect, is_key: bool) -> Option<Difference> {
    let wanted = expected(column, dialect);
    let is_same = found.sql_type == wanted.sql_type && (is_key || found.required == wanted.required);
    let message =
        || format!("column `{}` is {}, expected {}", column.name, found.described(), wanted.described());
    (!is_same).then(|| Difference::Other(message()))
}

fn expected(column: &Column, dialect: Dialect) -> Found {
    let mut text = Draft::new();
    column.write_type(&mut text, dialect);
    Found { name: column.name.into(), sql_type: text.as_str().into(), required: !column.optional }
}

impl Found {
    fn described(&self) -> String {
        format!("{}{}", self.sql_type, if self.required { " NOT NULL" } else { "" })
    }
}

impl Difference {
    fn is_addable(&self) -> bool {
        match self {
            Self::NoColumn { is_addable, .. } => *is_addable,
            Self::NoIndex(_) => true,
            Self::Other(_) => false,
        }
    }

    fn described<E: Entity>(&self, dialect: Dialect) -> String {
        match self {
            Self::NoColumn { index, .. } => {
                let wanted = expected(&E::COLUMNS[*index], dialect);
                format!("column `{}` is not there, expected {}", wanted.name, wanted.described())
            }
            Self::NoIndex(index) => format!("the index `{}` is not there", index.name),
            Self::Other(message) => message.clone(),
        }
    }
}

fn refuse<E: Entity>(db: &Db, differences: &[Difference]) -> Error {
    let told: Vec<_> = differences.iter().map(|difference| difference.described::<E>(db.dialect())).collect();
    let mut message = format!("the table `{}` is not that of `{}`: {}", E::TABLE, E::NAME, told.join("; "));
    if differences.iter().all(Difference::is_addable) {
        message.push_str(&format!("; `{}::migrate` adds it", E::NAME));
    }
    Error { kind: Kind::Schema, ..Error::other(message) }
}
