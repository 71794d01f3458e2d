//! Queries: a filter, an order, a limit; each of them a type, so that the statement is a constant.

use alloc::vec::Vec;
use core::marker::PhantomData;

use super::filter::{Filter, Predicate};
use super::statements::Statements;
use super::text::{Draft, fit};
use super::{Col, Entity};
use crate::{Db, Result, Row, Value};

/// Rows of an `E` that pass `P`, in the order `O`, as many as `L` allows. Made by [`Entity::find`]; nothing
/// is asked before one of its last methods is called.
#[must_use = "a query asks nothing until `all`, `first`, `each`, `count` or `delete`"]
pub struct Query<E, P, O = ById, L = Unlimited> {
    predicate: P,
    limit: L,
    what: PhantomData<fn() -> (E, O)>,
}

impl<E: Entity, P: Predicate> Query<E, P> {
    pub(super) fn new(filter: Filter<E, P>) -> Self {
        Self { predicate: filter.predicate, limit: Unlimited, what: PhantomData }
    }

    /// Rows in another order than by id; rows that are equal in it are in the order of their ids.
    pub fn order<O: Order>(self, by: impl FnOnce(E::Columns) -> Sorting<E, O>) -> Query<E, P, O> {
        by(E::columns());
        Query { predicate: self.predicate, limit: Unlimited, what: PhantomData }
    }

    /// How many rows there are.
    ///
    /// # Errors
    /// As [`Db::query`].
    pub fn count(self, db: &Db) -> Result<u64> {
        let count = db.query_row(Self::COUNT, &self.values()?, |row| row.int(0))?;
        Ok(count.unwrap_or(0).unsigned_abs())
    }

    /// Deletes them; how many there were.
    ///
    /// # Errors
    /// As [`Db::execute`]; a foreign-key error when other rows refer to one of them and may not be left
    /// alone.
    pub fn delete(self, db: &Db) -> Result<usize> {
        db.execute(Self::DELETE, &self.values()?)
    }

    const COUNT: &'static str = fit!(Draft::of(&["SELECT count(*) FROM \"", E::TABLE, "\" WHERE ", P::SQL]));
    const DELETE: &'static str = fit!(Draft::of(&["DELETE FROM \"", E::TABLE, "\" WHERE ", P::SQL]));
}

impl<E: Entity, P: Predicate, O: Order> Query<E, P, O> {
    /// At most so many rows, the first of the order.
    pub fn limit(self, rows: u32) -> Query<E, P, O, Limited> {
        Query { predicate: self.predicate, limit: Limited { rows, skip: 0 }, what: PhantomData }
    }

    /// The first row of the order; none when there is none.
    ///
    /// # Errors
    /// As [`Db::query`].
    pub fn first(self, db: &Db) -> Result<Option<E>> {
        let only = self.limit(1);
        db.query_row(Query::<E, P, O, Limited>::SELECT, &only.values()?, E::read)
    }
}

impl<E, P, O> Query<E, P, O, Limited> {
    /// Without the first so many rows: what `limit` counts begins after them.
    pub fn skip(mut self, rows: u32) -> Self {
        self.limit.skip = rows;
        self
    }
}

impl<E: Entity, P: Predicate, O: Order, L: Limit> Query<E, P, O, L> {
    const SELECT: &'static str = fit!(Draft::of(&[
        Statements::<E>::SELECT,
        " WHERE ",
        P::SQL,
        " ORDER BY ",
        O::SQL,
        "\"id\"",
        L::SQL
    ]));

    /// All of them.
    ///
    /// # Errors
    /// As [`Db::query`].
    pub fn all(self, db: &Db) -> Result<Vec<E>> {
        db.query_all(Self::SELECT, &self.values()?, E::read)
    }

    /// Calls `each` with one after the other; an error from it ends the query.
    ///
    /// # Errors
    /// As [`Db::query`], or what `each` returns.
    pub fn each(self, db: &Db, mut each: impl FnMut(E) -> Result<()>) -> Result<()> {
        db.query(Self::SELECT, &self.values()?, |row: &Row<'_>| each(E::read(row)?))
    }

    fn values(&self) -> Result<Vec<Value<'_>>> {
        let mut values = Vec::with_capacity(P::COUNT + 2);
        self.predicate.bind(&mut values)?;
        self.limit.bind(&mut values);
        Ok(values)
    }
}

/// An order of an `E`'s rows.
pub struct Sorting<E, O>(PhantomData<fn() -> (E, O)>);

impl<E, O> Sorting<E, O> {
    /// Rows that are equal in this order are in the other one.
    pub fn then<Q>(self, _: Sorting<E, Q>) -> Sorting<E, Then<O, Q>> {
        Sorting(PhantomData)
    }
}

impl<E: Entity, T, const I: usize> Col<E, T, I> {
    /// Smallest first; rows without a value before all others.
    pub fn ascending(self) -> Sorting<E, Sorted<E, I, true>> {
        Sorting(PhantomData)
    }

    /// Largest first; rows without a value after all others.
    pub fn descending(self) -> Sorting<E, Sorted<E, I, false>> {
        Sorting(PhantomData)
    }
}

/// An order as SQL.
pub trait Order {
    /// Terms, each with a comma after it.
    const SQL: &'static str;
}

/// The order of ids.
pub struct ById;

impl Order for ById {
    const SQL: &'static str = "";
}

/// The order of a column.
pub struct Sorted<E, const I: usize, const UP: bool>(PhantomData<fn() -> E>);

impl<E: Entity, const I: usize, const UP: bool> Order for Sorted<E, I, UP> {
    const SQL: &'static str = fit!({
        let mut sql = Draft::new();
        sql.name(E::COLUMNS[I].name);
        sql.push(if UP { " ASC" } else { " DESC" });
        if E::COLUMNS[I].optional {
            sql.push(if UP { " NULLS FIRST" } else { " NULLS LAST" });
        }
        sql.push(", ");
        sql
    });
}

/// One order, then another.
pub struct Then<O, Q>(PhantomData<fn() -> (O, Q)>);

impl<O: Order, Q: Order> Order for Then<O, Q> {
    const SQL: &'static str = fit!(Draft::of(&[O::SQL, Q::SQL]));
}

/// How many rows are wanted.
pub trait Limit {
    /// What follows the order.
    const SQL: &'static str;

    /// Adds the values for its placeholders.
    fn bind(&self, values: &mut Vec<Value<'_>>);
}

/// As many as there are.
pub struct Unlimited;

impl Limit for Unlimited {
    const SQL: &'static str = "";

    fn bind(&self, _: &mut Vec<Value<'_>>) {}
}

/// So many, after so many others.
pub struct Limited {
    rows: u32,
    skip: u32,
}

impl Limit for Limited {
    const SQL: &'static str = " LIMIT ? OFFSET ?";

    fn bind(&self, values: &mut Vec<Value<'_>>) {
        values.extend([Value::from(self.rows), Value::from(self.skip)]);
    }
}
