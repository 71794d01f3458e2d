//! Random transactions on two databases, and what must be in them.

use std::collections::BTreeMap;

use loadstone_store::{Db, Error, Journal, Options, Synchronous};

use crate::random::Random;

/// What a database holds: by table and key.
pub type Rows = BTreeMap<(usize, i64), Vec<u8>>;

pub const NAMES: [&str; 2] = ["events.db", "people.db"];
const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS t0(id INTEGER PRIMARY KEY, body BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS t1(id INTEGER PRIMARY KEY, body BLOB NOT NULL);
    CREATE INDEX IF NOT EXISTS t1_length ON t1(length(body), id)";
const PUT: [&str; 2] = [
    "INSERT OR REPLACE INTO t0(id, body) VALUES (?, ?)",
    "INSERT OR REPLACE INTO t1(id, body) VALUES (?, ?)",
];
const DELETE: [&str; 2] = ["DELETE FROM t0 WHERE id = ?", "DELETE FROM t1 WHERE id = ?"];
const CLEAR: [&str; 2] = ["DELETE FROM t0", "DELETE FROM t1"];
const ALL: [&str; 2] = ["SELECT id, body FROM t0", "SELECT id, body FROM t1"];
const KEYS: u64 = 60;

/// A transaction that ended, one way or the other.
pub enum Outcome {
    /// It is committed, or was refused because the disk is full and left no trace.
    Ended(Rows),
    /// The disk failed: it is committed or not.
    Open(Rows),
}

/// Opens a database with settings that vary what its pages go through.
pub fn open(vfs: &str, name: &str, synchronous: Synchronous, random: &mut Random) -> Result<Db, Error> {
    let options = Options {
        vfs: Some(vfs.into()),
        journal: if random.below(2) == 0 { Journal::Delete } else { Journal::Persist },
        synchronous,
        // A few pages: large transactions spill before they commit.
        cache_kib: if random.below(3) == 0 { 40 } else { 4096 },
        ..Options::default()
    };
    Db::open(name, &options)
}

/// Makes the tables.
pub fn set_up(db: &Db) -> Result<(), Error> {
    db.exec_batch(SCHEMA)
}

/// What is in the database, after its own check.
///
/// # Errors
/// Says what is wrong.
pub fn contents(db: &Db) -> Result<Rows, String> {
    let sound = db.query_row("PRAGMA integrity_check", &[], |row| Ok(row.text(0)?.to_owned()));
    match sound {
        Ok(Some(text)) if text == "ok" => {}
        other => return Err(format!("integrity check: {other:?}")),
    }
    let mut rows = Rows::new();
    for (table, sql) in ALL.into_iter().enumerate() {
        db.query(sql, &[], |row| {
            rows.insert((table, row.int(0)?), row.blob(1)?.to_vec());
            Ok(())
        })
        .map_err(|error| error.to_string())?;
    }
    Ok(rows)
}

/// One transaction on a database that holds `rows`.
pub fn transact(db: &Db, rows: &Rows, random: &mut Random) -> Outcome {
    let mut after = rows.clone();
    let kind = random.below(40);
    let seed = random.next();
    let outcome = match kind {
        0 => db.exec_batch("VACUUM"),
        1 => {
            let table = (seed % 2) as usize;
            after.retain(|(of, _), _| *of != table);
            db.execute(CLEAR[table], &[]).map(drop)
        }
        2..4 => db.transaction(|db| {
            // Undone by the program: nothing of it may be seen.
            changes(db, &mut rows.clone(), 5, seed)?;
            Err(Error::other("undo"))
        }),
        _ => {
            let count = [1, 1, 1, 3, 25][(seed % 5) as usize];
            db.transaction(|db| {
                after.clone_from(rows);
                changes(db, &mut after, count, seed)
            })
        }
    };
    match outcome {
        Ok(()) => Outcome::Ended(after),
        Err(error) if error.message == "undo" || error.message.contains("is full") => {
            Outcome::Ended(rows.clone())
        }
        Err(_) => Outcome::Open(after),
    }
}

fn changes(db: &Db, rows: &mut Rows, count: u64, seed: u64) -> Result<(), Error> {
    let mut random = Random::new(seed);
    for _ in 0..count {
        let (table, id) = (random.below(2) as usize, random.below(KEYS) as i64);
        if random.below(4) == 0 {
            db.execute(DELETE[table], &[id.into()])?;
            rows.remove(&(table, id));
        } else {
            let most = [40, 300, 3000, 30_000, 65_536][random.below(5) as usize];
            let length = random.below(most) as usize;
            let body = random.bytes(length);
            db.execute(PUT[table], &[id.into(), (&body[..]).into()])?;
            rows.insert((table, id), body);
        }
    }
    Ok(())
}
