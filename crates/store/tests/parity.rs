//! One suite over every place a database can be in: the operating system's files and memory.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use loadstone_store::vfs::{MemoryVfs, register};
use loadstone_store::{Access, Db, Error, Journal, Options, Synchronous, Value};

/// A fresh database of one kind; files go away with it.
struct Place {
    path: String,
    options: Options,
    folder: Option<PathBuf>,
}

impl Place {
    fn open(&self) -> Db {
        Db::open(&self.path, &self.options).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            std::fs::remove_dir_all(folder).unwrap();
        }
    }
}

fn places() -> Vec<Place> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let serial = NEXT.fetch_add(1, Ordering::Relaxed);
    let base = Options { busy_timeout: Duration::from_millis(20), ..Options::default() };
    let files = [Journal::Wal, Journal::Delete].map(|journal| {
        let folder =
            std::env::temp_dir().join(format!("loadstone-store-{}-{serial}-{journal:?}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("test.db").to_str().unwrap().to_owned();
        Place { path, options: Options { journal, ..base.clone() }, folder: Some(folder) }
    });
    let memory = [Journal::Memory, Journal::Delete].map(|journal| {
        let vfs = format!("memory-{serial}-{journal:?}");
        register(&vfs, MemoryVfs::new()).unwrap();
        let options = Options { vfs: Some(vfs), journal, synchronous: Synchronous::Full, ..base.clone() };
        Place { path: "test.db".into(), options, folder: None }
    });
    files.into_iter().chain(memory).collect()
}

fn count(db: &Db) -> i64 {
    db.query_row("SELECT count(*) FROM t", &[], |row| row.int(0)).unwrap().unwrap()
}

fn with_table(place: &Place) -> Db {
    let db = place.open();
    db.exec_batch("CREATE TABLE t(id INTEGER PRIMARY KEY, a ANY, b TEXT UNIQUE) STRICT; -- trailing words\n")
        .unwrap();
    db
}

#[test]
fn every_type_comes_back_as_it_went_in() {
    for place in places() {
        let db = with_table(&place);
        let long = "é".repeat(40_000);
        for value in [
            Value::Null,
            Value::Int(i64::MIN),
            Value::Real(0.1),
            Value::Text("a\0b"),
            Value::Text(&long),
            Value::Text(""),
            Value::Blob(&[0, 255]),
            Value::Blob(&[]),
        ] {
            let id = db.insert("INSERT INTO t(a) VALUES (?) RETURNING id", &[value]).unwrap();
            let same = db.query_row("SELECT a FROM t WHERE id = ?", &[id.into()], |row| {
                Ok(match value {
                    Value::Null => {
                        row.opt_int(0)?.is_none() && row.opt_text(0)?.is_none() && row.opt_blob(0)?.is_none()
                    }
                    Value::Int(value) => row.int(0)? == value,
                    Value::Real(value) => row.real(0)? == value,
                    Value::Text(value) => row.text(0)? == value,
                    Value::Blob(value) => row.blob(0)? == value,
                })
            });
            assert_eq!(same, Ok(Some(true)), "{value:?}");
        }
    }
}

#[test]
fn a_wrong_type_and_a_wrong_column_are_errors() {
    for place in places() {
        let db = with_table(&place);
        db.execute("INSERT INTO t(a, b) VALUES (?, ?)", &[1.into(), "x".into()]).unwrap();
        let read = |read: fn(&loadstone_store::Row<'_>) -> loadstone_store::Result<()>| {
            db.query_row("SELECT a, b, CAST(x'ff' AS TEXT), NULL FROM t", &[], read).unwrap_err().message
        };
        assert_eq!(read(|row| row.text(0).map(drop)), "column 0 is not text");
        assert_eq!(read(|row| row.int(1).map(drop)), "column 1 is not an integer");
        assert_eq!(read(|row| row.text(2).map(drop)), "column 2 is not UTF-8");
        assert_eq!(read(|row| row.int(3).map(drop)), "column 3 is not an integer");
        assert_eq!(read(|row| row.blob(4).map(drop)), "column 4 is not a blob");
        let few = db.execute("INSERT INTO t(a, b) VALUES (?, ?)", &[1.into()]).unwrap_err();
        assert_eq!(few.message, "1 parameters given, 2 wanted");
    }
}

#[test]
fn a_statement_may_run_inside_itself() {
    for place in places() {
        let db = with_table(&place);
        for _ in 0..3 {
            db.execute("INSERT INTO t(a) VALUES (1)", &[]).unwrap();
        }
        let mut pairs = 0;
        const ALL: &str = "SELECT id FROM t ORDER BY id";
        db.query(ALL, &[], |_| {
            db.query(ALL, &[], |_| {
                pairs += 1;
                Ok(())
            })
        })
        .unwrap();
        assert_eq!(pairs, 9);
    }
}

#[test]
fn constraints_are_told_apart() {
    for place in places() {
        let db = with_table(&place);
        db.execute("INSERT INTO t(b) VALUES ('x')", &[]).unwrap();
        let twice = db.execute("INSERT INTO t(b) VALUES ('x')", &[]).unwrap_err();
        assert!(twice.is_constraint() && twice.is_unique() && !twice.is_busy(), "{twice}");
        assert_eq!(db.execute("INSERT OR IGNORE INTO t(b) VALUES ('x')", &[]).unwrap(), 0);
        let typed = db.execute("INSERT INTO t(b) VALUES (x'00')", &[]).unwrap_err();
        assert!(typed.is_constraint() && !typed.is_unique(), "{typed}");
        let wrong = db.execute("SELEC", &[]).unwrap_err();
        assert!(wrong.message.contains("syntax error") && wrong.sql == "SELEC", "{wrong}");
        assert!(db.execute("SELECT 1; SELECT 2", &[]).unwrap_err().message.contains("more than one"));
    }
}

#[test]
fn a_transaction_is_all_or_nothing() {
    for place in places() {
        let db = with_table(&place);
        let insert = |db: &Db| db.execute("INSERT INTO t(a) VALUES (1)", &[]).map(drop);
        let refused: Result<(), Error> = db.transaction(|db| {
            insert(db)?;
            db.execute("INSERT INTO t(id) VALUES ('x')", &[]).map(drop)
        });
        assert!(refused.is_err());
        assert!(!db.in_transaction());
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            db.transaction(|db| -> loadstone_store::Result<()> {
                insert(db)?;
                panic!("on purpose")
            })
        }));
        assert!(panicked.is_err() && !db.in_transaction());
        assert_eq!(count(&db), 0);
        db.transaction(insert).unwrap();
        assert_eq!((count(&db), count(&place.open())), (1, 1));
    }
}

#[test]
fn what_is_rolled_back_was_never_there() {
    for place in places() {
        let db = with_table(&place);
        let text = "x".repeat(3000);
        let fill = |db: &Db| {
            (0..500).try_for_each(|_| db.execute("INSERT INTO t(a) VALUES (?)", &[(&text).into()]).map(drop))
        };
        db.transaction(fill).unwrap();
        // A small cache forces pages of the open transaction into the file, so rollback must undo them.
        let small = Db::open(&place.path, &Options { cache_kib: 16, ..place.options.clone() }).unwrap();
        let undone: Result<(), Error> = small.transaction(|db| {
            fill(db)?;
            db.execute("UPDATE t SET a = 'changed'", &[])?;
            db.execute("no such statement", &[]).map(drop)
        });
        assert!(undone.is_err());
        drop(small);
        assert_eq!(count(&db), 500);
        let kept = db.query_row("SELECT count(*) FROM t WHERE a = ?", &[(&text).into()], |row| row.int(0));
        assert_eq!(kept, Ok(Some(500)));
        db.execute("DELETE FROM t", &[]).unwrap();
        db.exec_batch("VACUUM").unwrap();
        let sound = place.open().query_row("PRAGMA integrity_check", &[], |row| Ok(row.text(0)?.to_owned()));
        assert_eq!(sound, Ok(Some("ok".to_owned())));
    }
}

#[test]
fn a_second_writer_is_told_to_wait() {
    for place in places() {
        let (first, second) = (with_table(&place), place.open());
        first
            .transaction(|first| {
                first.execute("INSERT INTO t(a) VALUES (1)", &[])?;
                let busy = second.transaction(|_| Ok(())).unwrap_err();
                assert!(busy.is_busy(), "{busy}");
                assert_eq!(count(&second), 0, "a reader sees the last commit");
                Ok(())
            })
            .unwrap();
        assert_eq!(count(&second), 1);
    }
}

#[test]
fn many_connections_lose_no_update() {
    const WRITERS: i64 = 4;
    const TURNS: i64 = 100;
    for place in places() {
        with_table(&place).execute("INSERT INTO t(id, a) VALUES (1, 0)", &[]).unwrap();
        let patient = Options { busy_timeout: Duration::from_secs(30), ..place.options.clone() };
        thread::scope(|scope| {
            for _ in 0..WRITERS {
                scope.spawn(|| {
                    let db = Db::open(&place.path, &patient).unwrap();
                    for _ in 0..TURNS {
                        db.transaction(|db| {
                            let a =
                                db.query_row("SELECT a FROM t WHERE id = 1", &[], |row| row.int(0))?.unwrap();
                            db.execute("UPDATE t SET a = ? WHERE id = 1", &[(a + 1).into()])
                        })
                        .unwrap();
                    }
                });
            }
        });
        let total = place.open().query_row("SELECT a FROM t", &[], |row| row.int(0));
        assert_eq!(total, Ok(Some(WRITERS * TURNS)));
    }
}

#[test]
fn access_is_what_was_asked_for() {
    for place in places() {
        let absent = Db::open(&place.path, &Options { access: Access::ReadWrite, ..place.options.clone() });
        assert!(absent.is_err_and(|error| error.message.contains("unable to open")));
        let _db = with_table(&place);
        let reader =
            Db::open(&place.path, &Options { access: Access::ReadOnly, ..place.options.clone() }).unwrap();
        assert_eq!(count(&reader), 0);
        let refused = reader.execute("INSERT INTO t(a) VALUES (1)", &[]).unwrap_err();
        assert!(refused.message.contains("readonly"), "{refused}");
    }
}

#[test]
fn a_write_ahead_log_is_refused_in_memory() {
    register("no-wal", MemoryVfs::new()).unwrap();
    let wal = Options { vfs: Some("no-wal".into()), ..Options::default() };
    let refused = Db::open("x.db", &wal).err().unwrap();
    assert!(refused.message.contains("wal cannot be had here"), "{refused}");
    assert!(register("no-wal", MemoryVfs::new()).is_err(), "a name is given once");
}
