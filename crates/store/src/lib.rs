//! Storage on SQLite, PostgreSQL or MariaDB behind one [`Db`]: prepared statements, transactions, and for
//! SQLite a seam for the files below.
//!
//! Without features the crate is `no_std` + `alloc` and SQLite alone, so that the same code runs in a
//! process, and later on a block device without an operating system. SQL is always a `&'static str`: values
//! travel only as parameters, so text from outside cannot become SQL, and the address of the literal is the
//! key of the statement cache.
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
// So that the derive's absolute paths hold in this crate, too.
extern crate self as loadstone_store;
#[cfg(any(feature = "servers", feature = "file-device"))]
extern crate std;

mod address;
mod bulk;
mod db;
mod dialect;
pub mod entity;
mod error;
#[cfg(feature = "mariadb")]
mod mariadb;
#[cfg_attr(feature = "bare", path = "mutex/bare.rs")]
mod mutex;
mod options;
#[cfg(feature = "postgres")]
mod postgres;
mod row;
#[cfg(feature = "servers")]
mod server;
mod sqlite;
#[cfg(feature = "servers")]
mod tls;
pub mod vfs;

pub use address::without_password;
pub use bulk::Bulk;
pub use db::{Db, Snapshot};
pub use dialect::Dialect;
pub use entity::{Entity, Id, Ref};
pub use error::{Error, Kind, Result};
pub use loadstone_store_derive::Entity;
pub use options::{Access, Journal, Options, Synchronous};
pub use row::{Row, Value};
pub use sqlite::{copy_database, release_memory};
