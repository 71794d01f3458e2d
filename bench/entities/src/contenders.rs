//! The same table and the same four questions, three times.

use loadstone_store::vfs::{MemoryVfs, register};
use loadstone_store::{Db, Entity, Id, Options, Ref};
use rusqlite::config::DbConfig;
use rusqlite::params;

use crate::ROWS;

/// What is asked. Each answer is a number made of what was read, so that all is read.
pub trait Contender {
    fn begin(&mut self);
    fn undo(&mut self);
    fn get(&mut self, id: i64) -> usize;
    fn find(&mut self, age: i64, limit: u32) -> usize;
    fn insert(&mut self, number: i64) -> usize;
    fn update(&mut self, id: i64) -> usize;
}

const TABLE: &str = "CREATE TABLE contact(id INTEGER PRIMARY KEY, name TEXT NOT NULL, mail TEXT NOT NULL, age INTEGER, \
                     balance REAL NOT NULL) STRICT; CREATE INDEX contact_age_index ON contact(age);";
const INSERT: &str = "INSERT INTO contact(name, mail, age, balance) VALUES (?1, ?2, ?3, ?4)";
const INSERT_RETURNING: &str =
    "INSERT INTO contact(name, mail, age, balance) VALUES (?1, ?2, ?3, ?4) RETURNING id";
const GET: &str = "SELECT id, name, mail, age, balance FROM contact WHERE id = ?1";
const FIND: &str = "SELECT id, name, mail, age, balance FROM contact WHERE age = ?1 ORDER BY id LIMIT ?2";
const UPDATE: &str = "UPDATE contact SET name = ?1, mail = ?2, age = ?3, balance = ?4 WHERE id = ?5";

/// The row of a number.
struct Plain {
    name: String,
    mail: String,
    age: Option<i64>,
    balance: f64,
}

fn plain(number: i64) -> Plain {
    Plain {
        name: format!("Person {number}"),
        mail: format!("person.{number}@ac.uk"),
        age: Some(number % 100),
        balance: number as f64 / 4.0,
    }
}

fn size(name: &str, mail: &str, age: Option<i64>, balance: f64) -> usize {
    name.len() + mail.len() + age.unwrap_or(0) as usize + balance as usize
}

#[derive(Entity)]
struct Contact {
    id: Id<Contact>,
    name: String,
    mail: String,
    #[entity(index)]
    age: Option<i64>,
    balance: f64,
}

impl Contact {
    fn of(id: Id<Self>, number: i64) -> Self {
        let Plain { name, mail, age, balance } = plain(number);
        Self { id, name, mail, age, balance }
    }

    fn size(&self) -> usize {
        size(&self.name, &self.mail, self.age, self.balance)
    }
}

struct Entities(Db);

fn in_memory(name: &str) -> Db {
    register(name, MemoryVfs::new()).expect("the VFS");
    let options = Options { vfs: Some(name.into()), ..Options::memory() };
    let db = Db::open("bench.db", &options).expect("a database in memory");
    Contact::open(&db).expect("the table");
    db.transaction(|db| (1..=ROWS).try_for_each(|number| Contact::of(Id::NEW, number).save(db).map(drop)))
        .expect("the rows");
    db
}

pub fn by_entities() -> impl Contender {
    Entities(in_memory("entities"))
}

impl Contender for Entities {
    fn begin(&mut self) {
        self.0.execute("BEGIN", &[]).expect("begin");
    }

    fn undo(&mut self) {
        self.0.execute("ROLLBACK", &[]).expect("rollback");
    }

    fn get(&mut self, id: i64) -> usize {
        Contact::get(&self.0, Ref::new(id)).expect("get").map_or(0, |contact| contact.size())
    }

    fn find(&mut self, age: i64, limit: u32) -> usize {
        let found = Contact::find(|c| c.age.eq(age)).limit(limit).all(&self.0).expect("find");
        found.iter().map(Contact::size).sum()
    }

    fn insert(&mut self, number: i64) -> usize {
        Contact::of(Id::NEW, number).save(&self.0).expect("insert").id() as usize
    }

    fn update(&mut self, id: i64) -> usize {
        Contact::of(Ref::new(id).into(), id + 1).save(&self.0).expect("update").id() as usize
    }
}

struct Store(Db);

pub fn by_store() -> impl Contender {
    Store(in_memory("store"))
}

fn read(row: &loadstone_store::Row<'_>) -> loadstone_store::Result<Plain> {
    Ok(Plain {
        name: row.text(1)?.into(),
        mail: row.text(2)?.into(),
        age: row.opt_int(3)?,
        balance: row.real(4)?,
    })
}

impl Contender for Store {
    fn begin(&mut self) {
        self.0.execute("BEGIN", &[]).expect("begin");
    }

    fn undo(&mut self) {
        self.0.execute("ROLLBACK", &[]).expect("rollback");
    }

    fn get(&mut self, id: i64) -> usize {
        let row = self.0.query_row(GET, &[id.into()], read).expect("get");
        row.map_or(0, |row| size(&row.name, &row.mail, row.age, row.balance))
    }

    fn find(&mut self, age: i64, limit: u32) -> usize {
        let rows = self.0.query_all(FIND, &[age.into(), limit.into()], read).expect("find");
        rows.iter().map(|row| size(&row.name, &row.mail, row.age, row.balance)).sum()
    }

    fn insert(&mut self, number: i64) -> usize {
        let row = plain(number);
        let values = [(&row.name).into(), (&row.mail).into(), row.age.into(), row.balance.into()];
        self.0.insert(INSERT_RETURNING, &values).expect("insert") as usize
    }

    fn update(&mut self, id: i64) -> usize {
        let row = plain(id + 1);
        let values = [(&row.name).into(), (&row.mail).into(), row.age.into(), row.balance.into(), id.into()];
        self.0.execute(UPDATE, &values).expect("update")
    }
}

struct Rusqlite(rusqlite::Connection);

pub fn by_rusqlite() -> impl Contender {
    let db = rusqlite::Connection::open_in_memory().expect("a database in memory");
    // As the store sets it: else SQLite compiles a kept statement again whenever its parameters change.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).expect("stable plans");
    db.execute_batch(TABLE).expect("the table");
    for number in 1..=ROWS {
        let row = plain(number);
        db.execute(INSERT, params![row.name, row.mail, row.age, row.balance]).expect("the rows");
    }
    Rusqlite(db)
}

fn read_rusqlite(row: &rusqlite::Row<'_>) -> rusqlite::Result<Plain> {
    Ok(Plain { name: row.get(1)?, mail: row.get(2)?, age: row.get(3)?, balance: row.get(4)? })
}

impl Contender for Rusqlite {
    fn begin(&mut self) {
        self.0.execute_batch("BEGIN").expect("begin");
    }

    fn undo(&mut self) {
        self.0.execute_batch("ROLLBACK").expect("rollback");
    }

    fn get(&mut self, id: i64) -> usize {
        let mut statement = self.0.prepare_cached(GET).expect("get");
        let row = statement.query_row([id], read_rusqlite).expect("get");
        size(&row.name, &row.mail, row.age, row.balance)
    }

    fn find(&mut self, age: i64, limit: u32) -> usize {
        let mut statement = self.0.prepare_cached(FIND).expect("find");
        let rows = statement.query_map(params![age, limit], read_rusqlite).expect("find");
        let rows: Vec<_> = rows.collect::<Result<_, _>>().expect("find");
        rows.iter().map(|row| size(&row.name, &row.mail, row.age, row.balance)).sum()
    }

    fn insert(&mut self, number: i64) -> usize {
        let row = plain(number);
        let mut statement = self.0.prepare_cached(INSERT).expect("insert");
        statement.insert(params![row.name, row.mail, row.age, row.balance]).expect("insert") as usize
    }

    fn update(&mut self, id: i64) -> usize {
        let row = plain(id + 1);
        let mut statement = self.0.prepare_cached(UPDATE).expect("update");
        statement.execute(params![row.name, row.mail, row.age, row.balance, id]).expect("update")
    }
}
