//! Uploads as rows of the table `upload`, each with a stamp that grows with every change of any of them.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use loadstone_store::{Db, Dialect, Result, Value};

/// What was changed after `last`, in order: names and stamps. Whether a name has bytes shows when they are asked
/// for: MariaDB would read all of them to say that there are some.
pub(super) fn news(db: &Db, last: i64) -> Result<Vec<(String, i64)>> {
    names(db, "SELECT name, stamp FROM upload WHERE stamp > ?1 ORDER BY stamp", &[last.into()])
}

/// Every upload that was not taken away: names and stamps.
pub(super) fn present(db: &Db) -> Result<Vec<(String, i64)>> {
    names(db, "SELECT name, stamp FROM upload WHERE bytes IS NOT NULL", &[])
}

fn names(db: &Db, sql: &'static str, params: &[Value<'_>]) -> Result<Vec<(String, i64)>> {
    db.query_all(sql, params, |row| Ok((row.text(0)?.into(), row.int(1)?)))
}

/// Stores an upload in place of the one before, within a transaction; its stamp.
pub(super) fn put(db: &Db, name: &str, bytes: &[u8]) -> Result<i64> {
    let stamp = next_stamp(db)?;
    // Looked for first: an update in vain would send the whole file twice.
    let is_there =
        db.query_row("SELECT 1 FROM upload WHERE name = ?1", &[name.into()], |_| Ok(()))?.is_some();
    let sql = if is_there {
        "UPDATE upload SET stamp = ?2, bytes = ?3 WHERE name = ?1"
    } else {
        "INSERT INTO upload(name, stamp, bytes) VALUES (?1, ?2, ?3)"
    };
    db.execute(sql, &[name.into(), stamp.into(), bytes.into()])?;
    Ok(stamp)
}

/// The content of an upload, if that is still the one with this stamp.
pub(super) fn bytes(db: &Db, name: &str, stamp: i64) -> Result<Option<Arc<[u8]>>> {
    let sql = "SELECT bytes FROM upload WHERE name = ?1 AND stamp = ?2";
    let found = db.query_row(sql, &[name.into(), stamp.into()], |row| {
        row.opt_blob(0).map(|bytes| bytes.map(Arc::<[u8]>::from))
    })?;
    Ok(found.flatten())
}

/// Takes an upload away, within a transaction. Its name stays, with a stamp that tells of it.
pub(super) fn remove(db: &Db, name: &str) -> Result<()> {
    let sql = "UPDATE upload SET stamp = ?2, bytes = NULL WHERE name = ?1";
    db.execute(sql, &[name.into(), next_stamp(db)?.into()]).map(drop)
}

/// The next stamp. Stamps are committed in their order, so that who has seen one has seen all before it: who
/// takes one holds a row until then. Others wait for that before they send a file; two that had sent theirs
/// would both be in the other's way, and send them again.
fn next_stamp(db: &Db) -> Result<i64> {
    // SQLite lets one transaction write at a time.
    if db.dialect() != Dialect::Sqlite {
        db.execute("UPDATE meta SET value = value WHERE name = 'format'", &[])?;
    }
    let next = db.query_row("SELECT coalesce(max(stamp), 0) + 1 FROM upload", &[], |row| row.int(0))?;
    Ok(next.unwrap_or(1))
}
