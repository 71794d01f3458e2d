//! Typed records: a plain struct is a table.
//!
//! `#[derive(Entity)]` writes a struct's table down as constants; everything else follows from them here. No
//! SQL is made while the program runs, and none is written by whoever uses it.
//!
//! ```
//! use loadstone_store::{Db, Entity, Id, Options, Ref};
//!
//! #[derive(Entity)]
//! struct Company {
//!     id: Id<Company>,
//!     name: String,
//! }
//!
//! #[derive(Entity)]
//! struct Contact {
//!     id: Id<Contact>,
//!     #[entity(max = 80)]
//!     name: String,
//!     #[entity(unique, max = 200)]
//!     mail: String,
//!     age: Option<u8>,
//!     #[entity(on_delete = "cascade")]
//!     company: Ref<Company>,
//! }
//!
//! # loadstone_store::vfs::register("entities", loadstone_store::vfs::MemoryVfs::new())?;
//! # let options = Options { vfs: Some("entities".into()), ..Options::memory() };
//! let db = Db::open("contacts.db", &options)?;
//! Contact::open(&db)?;
//!
//! let mut lab = Company { id: Id::NEW, name: "Computer Laboratory".into() };
//! let company = lab.save(&db)?;
//! let mut anil = Contact {
//!     id: Id::NEW,
//!     name: "Anil".into(),
//!     mail: "avsm2@cam.ac.uk".into(),
//!     age: None,
//!     company,
//! };
//! anil.save(&db)?;
//! anil.age = Some(30);
//! anil.save(&db)?;
//!
//! let academic = Contact::find(|c| c.mail.contains("ac.uk").and(c.age.ge(18)))
//!     .order(|c| c.name.ascending())
//!     .limit(10)
//!     .all(&db)?;
//! assert_eq!(academic.len(), 1);
//! let colleagues = company.many(Contact::columns().company).count(&db)?;
//! let same = Contact::find(|c| c.company.matches(|c| c.name.starts_with("computer"))).count(&db)?;
//! assert_eq!((colleagues, same), (1, 1));
//!
//! lab.delete(&db)?;
//! assert_eq!(Contact::all().count(&db)?, 0);
//! # Ok::<(), loadstone_store::Error>(())
//! ```

use crate::{Db, Dialect, Result, Row, Value};

mod column;
mod field;
mod filter;
mod key;
mod query;
mod schema;
mod statements;
mod text;

pub use column::{Column, ColumnKind, OnDelete, Target};
pub use field::{Field, Optional, Ordered, Reference, Textual, checked, deepest, required};
pub use filter::{
    And, AtLeast, AtMost, Col, Compare, Equal, Everything, Filter, Less, Like, Missing, More, Nor, OneOf,
    Operator, Or, Predicate, Unequal, Within,
};
pub use key::{Id, Ref};
pub use query::{ById, Limit, Limited, Order, Query, Sorted, Sorting, Then, Unlimited};
pub use statements::Addition;

use statements::Statements;

/// An index, as `#[derive(Entity)]` writes it down.
#[derive(Debug, Clone, Copy)]
pub struct Index {
    /// Its name: the table's, the columns' and what it is for.
    pub name: &'static str,
    /// The statement that makes it, the same on every database.
    pub create: &'static str,
    /// The index in MariaDB's CREATE TABLE.
    pub inline: &'static str,
}

/// A struct that is a table. Implemented by `#[derive(Entity)]` and by nothing else.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no entity",
    label = "no entity",
    note = "write `#[derive(Entity)]` on the struct"
)]
pub trait Entity: Sized + 'static {
    /// The columns, for filters.
    type Columns: Copy;
    /// The struct's name, for messages.
    const NAME: &'static str;
    /// The table's name.
    const TABLE: &'static str;
    /// The columns, `id` first.
    const COLUMNS: &'static [Column];
    /// Indexes, also unique ones.
    const INDEXES: &'static [Index];
    /// Per column, the statements that add it: for SQLite, PostgreSQL and MariaDB.
    const ADDITIONS: &'static [[&'static str; 3]];
    /// How many tables stand behind this one, one referring to the next, with this one.
    const DEPTH: u32;

    /// The columns, for filters.
    fn columns() -> Self::Columns;

    /// The id.
    fn key(&self) -> Id<Self>;

    /// Changes the id.
    fn set_key(&mut self, id: Id<Self>);

    /// Calls `work` with all columns in order but the id, which comes last.
    ///
    /// # Errors
    /// When a field holds what not every database would keep.
    fn with_values<T>(&self, work: impl FnOnce(&[Value<'_>]) -> T) -> Result<T>;

    /// A row whose columns are in order.
    ///
    /// # Errors
    /// When a column is of another type.
    fn read(row: &Row<'_>) -> Result<Self>;

    /// Creates the table, and first those that it refers to, or checks that it is the struct's.
    ///
    /// # Errors
    /// [`crate::Kind::Schema`] when the table differs: the message names each column with what was expected
    /// and what was found, and whether [`Self::migrate`] would help.
    fn open(db: &Db) -> Result<()> {
        // Tables that refer to each other in a circle end here, at compile time.
        const { assert!(Self::DEPTH > 0) };
        schema::open::<Self>(db)
    }

    /// Adds the columns and indexes that the table lacks: columns that may be without a value or have a
    /// `default`. All of them or, but for MariaDB, which cannot undo such changes, none.
    ///
    /// # Errors
    /// [`crate::Kind::Schema`] when anything else differs; then nothing is changed.
    fn migrate(db: &Db) -> Result<()> {
        schema::migrate::<Self>(db)
    }

    /// Makes the row be as this value is: a new row for a value without an id, which then has one. A row that
    /// is gone, because it was deleted or because the transaction that made it was undone and is run again,
    /// is made again under its id.
    ///
    /// # Errors
    /// As [`Db::execute`], for one when a unique column has the value already; a constraint error when a text
    /// is too long, holds NUL, or a number is not finite.
    fn save(&mut self, db: &Db) -> Result<Ref<Self>> {
        let key = self.key();
        let saved = self.with_values(|values| match key.get() {
            None => insert::<Self>(db, &values[..values.len() - 1]),
            Some(row) => {
                if db.execute(Statements::<Self>::UPDATE, values)? == 0 {
                    db.execute(Statements::<Self>::INSERT_WITH_ID, values)?;
                }
                Ok(row)
            }
        })??;
        self.set_key(saved.into());
        Ok(saved)
    }

    /// Reads a row; none when there is none.
    ///
    /// # Errors
    /// As [`Db::query`].
    fn get(db: &Db, row: Ref<Self>) -> Result<Option<Self>> {
        db.query_row(Statements::<Self>::GET, &[row.id().into()], Self::read)
    }

    /// Deletes the row; this value is as new afterwards. False when there was none.
    ///
    /// # Errors
    /// As [`Db::execute`]; a foreign-key error when others refer to the row and may not be left alone.
    fn delete(&mut self, db: &Db) -> Result<bool> {
        let Some(row) = self.key().get() else { return Ok(false) };
        let deleted = row.delete(db)?;
        self.set_key(Id::NEW);
        Ok(deleted)
    }

    /// Rows that pass a filter.
    fn find<P: Predicate>(filter: impl FnOnce(Self::Columns) -> Filter<Self, P>) -> Query<Self, P> {
        Query::new(filter(Self::columns()))
    }

    /// Every row.
    fn all() -> Query<Self, Everything> {
        Query::new(Filter::new(Everything))
    }
}

impl<E: Entity> Ref<E> {
    /// Deletes the row; false when there is none.
    ///
    /// # Errors
    /// As [`Entity::delete`].
    pub fn delete(self, db: &Db) -> Result<bool> {
        Ok(db.execute(Statements::<E>::DELETE, &[self.id().into()])? > 0)
    }

    /// The rows of another entity that refer to this one by a column of theirs, such as
    /// `Contact::columns().company`.
    pub fn many<O: Entity, R, const I: usize>(
        self,
        by: Col<O, R, I>,
    ) -> Query<O, Compare<'static, O, I, Equal>>
    where
        R: Reference<To = E> + for<'a> Field<Argument<'a> = Self>,
    {
        Query::new(by.eq(self))
    }
}

fn insert<E: Entity>(db: &Db, values: &[Value<'_>]) -> Result<Ref<E>> {
    let id = match db.dialect() {
        Dialect::Sqlite => db.insert_rowid(Statements::<E>::INSERT, values)?,
        _ => db.insert(Statements::<E>::INSERT_RETURNING, values)?,
    };
    Ok(Ref::new(id))
}
