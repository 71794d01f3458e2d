//! Storage on SQLite: connections, prepared statements, transactions, and a seam for the files below.
//!
//! The crate is `no_std` + `alloc`, so that the same code runs in a process, and later on a block device
//! without an operating system. SQL is always a `&'static str`: values travel only as parameters, so text
//! from outside cannot become SQL, and the address of the literal is the key of the statement cache.
//!
//! ```
//! use loadstone_store::{Db, Options};
//!
//! loadstone_store::vfs::register("doc", loadstone_store::vfs::MemoryVfs::new())?;
//! let db = Db::open("notes.db", &Options { vfs: Some("doc".into()), ..Options::memory() })?;
//! db.exec_batch("CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT")?;
//! db.execute("INSERT INTO note(body) VALUES (?)", &["hello".into()])?;
//! let body = db.query_row("SELECT body FROM note WHERE id = ?", &[1.into()], |row| Ok(row.text(0)?.len()))?;
//! assert_eq!(body, Some(5));
//! # Ok::<(), loadstone_store::Error>(())
//! ```
#![no_std]

extern crate alloc;

mod db;
mod error;
mod mutex;
mod options;
mod row;
mod statement;
pub mod vfs;

pub use db::Db;
pub use error::{Error, Result};
pub use options::{Access, Journal, Options, Synchronous};
pub use row::{Row, Value};
