//! Sessions that have ended before their time, by log-out: a copy of their cookies opens nothing.
//!
//! Who is logged in stands in a cookie, and its proof holds for a day. A site with the rules for people looks
//! here whether it still does; all servers of one database see the same. Under a benchmark's rules there is
//! no such table.

use loadstone_store::{Db, Dialect, Result};

/// Makes room, on a data set that was never opened under these rules.
pub(crate) fn prepare(db: &Db) -> Result<()> {
    let made = db.exec_batch(match db.dialect() {
        Dialect::Sqlite => {
            "CREATE TABLE IF NOT EXISTS ended_sessions(proof TEXT PRIMARY KEY, until_s INTEGER NOT NULL) STRICT, WITHOUT ROWID"
        }
        Dialect::Postgres => {
            "CREATE TABLE IF NOT EXISTS ended_sessions(proof TEXT PRIMARY KEY, until_s BIGINT NOT NULL)"
        }
        Dialect::MariaDb => {
            "CREATE TABLE IF NOT EXISTS ended_sessions(proof VARCHAR(64) PRIMARY KEY, until_s BIGINT NOT NULL) \
             DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin ENGINE InnoDB"
        }
    });
    match made {
        // Two servers that begin at once both find nothing and both make it; PostgreSQL tells the second.
        Err(error) if error.is_unique() => Ok(()),
        made => made,
    }
}

/// Ends a session, which would have lasted until `until_s`; forgets those whose time is over.
pub(crate) fn add(db: &Db, proof: &str, until_s: i64, now_s: i64) -> Result<()> {
    db.transaction(|db| {
        db.execute("DELETE FROM ended_sessions WHERE until_s <= ?1", &[now_s.into()])?;
        let sql = "INSERT OR IGNORE INTO ended_sessions(proof, until_s) VALUES (?1, ?2)";
        db.execute(sql, &[proof.into(), until_s.into()]).map(drop)
    })
}

/// Whether a session has ended.
pub(crate) fn has(db: &Db, proof: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM ended_sessions WHERE proof = ?1";
    Ok(db.query_row(sql, &[proof.into()], |_| Ok(()))?.is_some())
}
