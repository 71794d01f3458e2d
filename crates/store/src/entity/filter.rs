//! Filters: what a query asks for, as types. Their SQL is a constant of the type; their values are
//! parameters.
//!
//! A value that is missing differs from every value: `ne` finds it, other comparisons do not, and `!` is
//! always the exact opposite. SQL's third truth value does not come out of here.

use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::Not;

use super::field::{Optional, Ordered, Reference, Textual, unfit};
use super::text::{Draft, fit};
use super::{Entity, Field};
use crate::error::Kind;
use crate::{Error, Result, Value};

/// The column of an `E` with number `I`, which holds a `T`.
pub struct Col<E, T, const I: usize>(PhantomData<fn() -> (E, T)>);

impl<E, T, const I: usize> Col<E, T, I> {
    /// Made by `#[derive(Entity)]`.
    #[doc(hidden)]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<E, T, const I: usize> Clone for Col<E, T, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, T, const I: usize> Copy for Col<E, T, I> {}

impl<E: Entity, T: Field, const I: usize> Col<E, T, I> {
    fn compare<'a, O>(self, argument: T::Argument<'a>) -> Filter<E, Compare<'a, E, I, O>> {
        Filter::new(Compare { value: T::argument(argument), what: PhantomData })
    }

    /// Equal; text byte by byte.
    pub fn eq<'a>(self, value: T::Argument<'a>) -> Filter<E, Compare<'a, E, I, Equal>> {
        self.compare(value)
    }

    /// Not equal, or missing.
    pub fn ne<'a>(self, value: T::Argument<'a>) -> Filter<E, Compare<'a, E, I, Unequal>> {
        self.compare(value)
    }

    /// Equal to one of these.
    pub fn one_of<'a, const N: usize>(self, values: [T::Argument<'a>; N]) -> Filter<E, OneOf<'a, E, I, N>> {
        Filter::new(OneOf { values: values.map(T::argument), what: PhantomData })
    }

    /// Less; text byte by byte.
    pub fn lt<'a>(self, value: T::Argument<'a>) -> Filter<E, Compare<'a, E, I, Less>>
    where
        T: Ordered,
    {
        self.compare(value)
    }

    /// Less or equal.
    pub fn le<'a>(self, value: T::Argument<'a>) -> Filter<E, Compare<'a, E, I, AtMost>>
    where
        T: Ordered,
    {
        self.compare(value)
    }

    /// More.
    pub fn gt<'a>(self, value: T::Argument<'a>) -> Filter<E, Compare<'a, E, I, More>>
    where
        T: Ordered,
    {
        self.compare(value)
    }

    /// More or equal.
    pub fn ge<'a>(self, value: T::Argument<'a>) -> Filter<E, Compare<'a, E, I, AtLeast>>
    where
        T: Ordered,
    {
        self.compare(value)
    }

    /// Holds this text anywhere; `a` and `A` are the same, as are other ASCII letters, and no others. `%` and
    /// `_` are what they look like.
    pub fn contains(self, part: &str) -> Filter<E, Like<E, I>>
    where
        T: Textual,
    {
        Filter::new(Like::new("%", part, "%"))
    }

    /// Begins with this text, compared as by [`Self::contains`].
    pub fn starts_with(self, part: &str) -> Filter<E, Like<E, I>>
    where
        T: Textual,
    {
        Filter::new(Like::new("", part, "%"))
    }

    /// Ends with this text, compared as by [`Self::contains`].
    pub fn ends_with(self, part: &str) -> Filter<E, Like<E, I>>
    where
        T: Textual,
    {
        Filter::new(Like::new("%", part, ""))
    }

    /// There is no value.
    pub fn is_none(self) -> Filter<E, Missing<E, I, true>>
    where
        T: Optional,
    {
        Filter::new(Missing(PhantomData))
    }

    /// There is a value.
    pub fn is_some(self) -> Filter<E, Missing<E, I, false>>
    where
        T: Optional,
    {
        Filter::new(Missing(PhantomData))
    }

    /// Refers to a row that passes a filter of its own entity.
    pub fn matches<P: Predicate>(
        self,
        filter: impl FnOnce(<T::To as Entity>::Columns) -> Filter<T::To, P>,
    ) -> Filter<E, Within<E, I, T::To, P>>
    where
        T: Reference,
    {
        let inner = filter(T::To::columns()).predicate;
        Filter::new(Within { inner, what: PhantomData })
    }
}

/// A condition on rows of an `E`.
pub struct Filter<E, P> {
    pub(super) predicate: P,
    entity: PhantomData<fn() -> E>,
}

impl<E, P> Filter<E, P> {
    pub(super) fn new(predicate: P) -> Self {
        Self { predicate, entity: PhantomData }
    }

    /// Both hold.
    pub fn and<Q>(self, other: Filter<E, Q>) -> Filter<E, And<P, Q>> {
        Filter::new(And(self.predicate, other.predicate))
    }

    /// One holds, or both.
    pub fn or<Q>(self, other: Filter<E, Q>) -> Filter<E, Or<P, Q>> {
        Filter::new(Or(self.predicate, other.predicate))
    }
}

impl<E, P> Not for Filter<E, P> {
    type Output = Filter<E, Nor<P>>;

    fn not(self) -> Self::Output {
        Filter::new(Nor(self.predicate))
    }
}

/// What a filter is made of: a constant condition and the values for its placeholders, in their order.
pub trait Predicate: sealed::Sealed {
    /// The condition.
    const SQL: &'static str;
    /// Placeholders in it.
    const COUNT: usize;

    /// Adds the values.
    ///
    /// # Errors
    /// When a value is one that databases do not agree on.
    fn bind<'v>(&'v self, values: &mut Vec<Value<'v>>) -> Result<()>;
}

mod sealed {
    pub trait Sealed {}
}

/// Every row.
pub struct Everything;

impl Predicate for Everything {
    const SQL: &'static str = "1 = 1";
    const COUNT: usize = 0;

    fn bind<'v>(&'v self, _: &mut Vec<Value<'v>>) -> Result<()> {
        Ok(())
    }
}

/// A column against a value.
pub struct Compare<'a, E, const I: usize, O> {
    value: Value<'a>,
    what: PhantomData<fn() -> (E, O)>,
}

/// How a column is compared.
pub trait Operator {
    /// In SQL.
    const SQL: &'static str;
    /// Whether it holds where there is no value.
    const OF_MISSING: bool = false;
}

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident $sql:literal $($of_missing:literal)?;)*) => {$(
        $(#[$doc])*
        pub struct $name;

        impl Operator for $name {
            const SQL: &'static str = $sql;
            $(const OF_MISSING: bool = $of_missing;)?
        }
    )*};
}
operators! {
    /// `eq`
    Equal " = ?";
    /// `ne`
    Unequal " <> ?" true;
    /// `lt`
    Less " < ?";
    /// `le`
    AtMost " <= ?";
    /// `gt`
    More " > ?";
    /// `ge`
    AtLeast " >= ?";
}

impl<E: Entity, const I: usize, O: Operator> Predicate for Compare<'_, E, I, O> {
    const SQL: &'static str = fit!(condition::<E>(I, &Draft::of(&[O::SQL]), O::OF_MISSING));
    const COUNT: usize = 1;

    fn bind<'v>(&'v self, values: &mut Vec<Value<'v>>) -> Result<()> {
        push::<E>(values, self.value, I)
    }
}

/// A column against a list.
pub struct OneOf<'a, E, const I: usize, const N: usize> {
    values: [Value<'a>; N],
    what: PhantomData<fn() -> E>,
}

impl<E: Entity, const I: usize, const N: usize> Predicate for OneOf<'_, E, I, N> {
    const SQL: &'static str = if N == 0 { "1 = 0" } else { fit!(condition::<E>(I, &list(N), false)) };
    const COUNT: usize = N;

    fn bind<'v>(&'v self, values: &mut Vec<Value<'v>>) -> Result<()> {
        self.values.iter().try_for_each(|value| push::<E>(values, *value, I))
    }
}

const fn list(count: usize) -> Draft {
    let mut sql = Draft::of(&[" IN (?"]);
    let mut next = 1;
    while next < count {
        sql.push(", ?");
        next += 1;
    }
    sql.push(")");
    sql
}

/// A text against a pattern.
pub struct Like<E, const I: usize> {
    pattern: String,
    what: PhantomData<fn() -> E>,
}

impl<E, const I: usize> Like<E, I> {
    fn new(before: &str, part: &str, after: &str) -> Self {
        let mut pattern = String::with_capacity(before.len() + part.len() + after.len() + 4);
        pattern.push_str(before);
        for char in part.chars() {
            if matches!(char, '%' | '_' | '\\') {
                pattern.push('\\');
            }
            pattern.push(char);
        }
        pattern.push_str(after);
        Self { pattern, what: PhantomData }
    }
}

impl<E: Entity, const I: usize> Predicate for Like<E, I> {
    const SQL: &'static str = fit!(condition::<E>(I, &Draft::of(&[" LIKE ? ESCAPE '\\'"]), false));
    const COUNT: usize = 1;

    fn bind<'v>(&'v self, values: &mut Vec<Value<'v>>) -> Result<()> {
        push::<E>(values, Value::Text(&self.pattern), I)
    }
}

/// A column without a value, or with one.
pub struct Missing<E, const I: usize, const YES: bool>(PhantomData<fn() -> E>);

impl<E: Entity, const I: usize, const YES: bool> Predicate for Missing<E, I, YES> {
    const SQL: &'static str = fit!({
        let mut sql = Draft::new();
        sql.name(E::COLUMNS[I].name);
        sql.push(if YES { " IS NULL" } else { " IS NOT NULL" });
        sql
    });
    const COUNT: usize = 0;

    fn bind<'v>(&'v self, _: &mut Vec<Value<'v>>) -> Result<()> {
        Ok(())
    }
}

/// A reference to a row of a `T` that passes a filter.
pub struct Within<E, const I: usize, T, P> {
    inner: P,
    what: PhantomData<fn() -> (E, T)>,
}

impl<E: Entity, const I: usize, T: Entity, P: Predicate> Predicate for Within<E, I, T, P> {
    const SQL: &'static str = fit!({
        let inner = Draft::of(&[" IN (SELECT \"id\" FROM \"", T::TABLE, "\" WHERE ", P::SQL, ")"]);
        condition::<E>(I, &inner, false)
    });
    const COUNT: usize = P::COUNT;

    fn bind<'v>(&'v self, values: &mut Vec<Value<'v>>) -> Result<()> {
        self.inner.bind(values)
    }
}

/// Both hold.
pub struct And<P, Q>(P, Q);

/// One holds, or both.
pub struct Or<P, Q>(P, Q);

macro_rules! joins {
    ($($name:ident $word:literal),*) => {$(
        impl<P: Predicate, Q: Predicate> Predicate for $name<P, Q> {
            const SQL: &'static str = fit!(Draft::of(&["(", P::SQL, $word, Q::SQL, ")"]));
            const COUNT: usize = P::COUNT + Q::COUNT;

            fn bind<'v>(&'v self, values: &mut Vec<Value<'v>>) -> Result<()> {
                self.0.bind(values)?;
                self.1.bind(values)
            }
        }
    )*};
}
joins!(And " AND ", Or " OR ");

/// It does not hold.
pub struct Nor<P>(P);

impl<P: Predicate> Predicate for Nor<P> {
    const SQL: &'static str = fit!(Draft::of(&["NOT (", P::SQL, ")"]));
    const COUNT: usize = P::COUNT;

    fn bind<'v>(&'v self, values: &mut Vec<Value<'v>>) -> Result<()> {
        self.0.bind(values)
    }
}

impl sealed::Sealed for Everything {}
impl<E, const I: usize, O> sealed::Sealed for Compare<'_, E, I, O> {}
impl<E, const I: usize, const N: usize> sealed::Sealed for OneOf<'_, E, I, N> {}
impl<E, const I: usize> sealed::Sealed for Like<E, I> {}
impl<E, const I: usize, const YES: bool> sealed::Sealed for Missing<E, I, YES> {}
impl<E, const I: usize, T, P> sealed::Sealed for Within<E, I, T, P> {}
impl<P, Q> sealed::Sealed for And<P, Q> {}
impl<P, Q> sealed::Sealed for Or<P, Q> {}
impl<P> sealed::Sealed for Nor<P> {}

/// A column's name and what is asked of it; true or false also where there is no value.
const fn condition<E: Entity>(index: usize, test: &Draft, of_missing: bool) -> Draft {
    let column = &E::COLUMNS[index];
    let mut sql = Draft::new();
    if column.optional {
        sql.push("(");
        sql.name(column.name);
        sql.push(if of_missing { " IS NULL OR " } else { " IS NOT NULL AND " });
    }
    sql.name(column.name);
    sql.push(test.as_str());
    if column.optional {
        sql.push(")");
    }
    sql
}

fn push<'v, E: Entity>(values: &mut Vec<Value<'v>>, value: Value<'v>, index: usize) -> Result<()> {
    if let Some(why) = unfit(&value) {
        let message =
            alloc::format!("column `{}` of `{}` is compared with {why}", E::COLUMNS[index].name, E::TABLE);
        return Err(Error { kind: Kind::Constraint, ..Error::other(message) });
    }
    values.push(value);
    Ok(())
}
