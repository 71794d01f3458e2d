//! Uploads as rows of the table `upload`, each with a stamp that grows with every change of any of them.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use loadstone_store::{Db, Result};

/// A name whose upload was changed or, without bytes, taken away.
pub(super) struct News {
    pub name: String,
    pub stamp: i64,
    pub is_there: bool,
}

/// What was changed after `last`, in order.
pub(super) fn news(db: &Db, last: i64) -> Result<Vec<News>> {
    let sql = "SELECT name, stamp, CASE WHEN bytes IS NULL THEN 0 ELSE 1 END FROM upload \
               WHERE stamp > ?1 ORDER BY stamp";
    db.query_all(sql, &[last.into()], |row| {
        Ok(News { name: row.text(0)?.into(), stamp: row.int(1)?, is_there: row.bool(2)? })
    })
}

/// Stores an upload in place of the one before, within a transaction; its stamp.
pub(super) fn put(db: &Db, name: &str, bytes: &[u8]) -> Result<i64> {
    let stamp = next_stamp(db)?;
    let params = [name.into(), stamp.into(), bytes.into()];
    let sql = "UPDATE upload SET stamp = ?2, bytes = ?3 WHERE name = ?1";
    if db.execute(sql, &params)? == 0 {
        db.execute("INSERT INTO upload(name, stamp, bytes) VALUES (?1, ?2, ?3)", &params)?;
    }
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

/// The next stamp. Two transactions that take the same one conflict, and one is run again: stamps are
/// committed in their order, so that who has seen one has seen all before it.
fn next_stamp(db: &Db) -> Result<i64> {
    let next = db.query_row("SELECT coalesce(max(stamp), 0) + 1 FROM upload", &[], |row| row.int(0))?;
    Ok(next.unwrap_or(1))
}
