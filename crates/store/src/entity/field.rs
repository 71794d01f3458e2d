//! Which Rust types are columns.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::column::{Column, ColumnKind, Target};
use super::{Entity, Ref};
use crate::error::Kind;
use crate::{Error, Result, Row, Value};

/// A type that one column keeps. A type of one's own is a column when it says how it becomes one of these:
///
/// ```
/// use loadstone_store::entity::{ColumnKind, Field};
/// use loadstone_store::{Error, Result, Row, Value};
///
/// #[derive(Clone, Copy)]
/// enum Level { Low, High }
///
/// impl Field for Level {
///     type Argument<'a> = Level;
///     const KIND: ColumnKind = ColumnKind::Integer;
///     fn value(&self) -> Value<'_> {
///         Value::Int(*self as i64)
///     }
///     fn argument<'a>(level: Self::Argument<'a>) -> Value<'a> {
///         Value::Int(level as i64)
///     }
///     fn read(row: &Row<'_>, column: usize) -> Result<Option<Self>> {
///         match row.opt_int(column)? {
///             None => Ok(None),
///             Some(0) => Ok(Some(Level::Low)),
///             Some(1) => Ok(Some(Level::High)),
///             Some(other) => Err(Error::other(format!("{other} is no level"))),
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of a column",
    label = "no type of a column",
    note = "columns are i64, i32, i16, u32, u16, u8, bool, f64, String, Vec<u8>, `Ref<T>` of an entity `T`, and \
            `Option` of these; implement `Field` for a type of your own"
)]
pub trait Field: Sized {
    /// What a filter compares the column with.
    type Argument<'a>;
    /// What the column holds.
    const KIND: ColumnKind;
    /// Whether there may be no value.
    const OPTIONAL: bool = false;
    /// What the column refers to.
    const TARGET: Option<Target> = None;
    /// How many tables stand behind the column, one referring to the next. Tables that refer to each other in
    /// a circle have no such number, and do not compile.
    const DEPTH: u32 = 0;

    /// As a parameter of a statement.
    fn value(&self) -> Value<'_>;

    /// What a filter was given, as a parameter of a statement.
    fn argument<'a>(argument: Self::Argument<'a>) -> Value<'a>;

    /// What a column of a row holds; none when it is NULL.
    ///
    /// # Errors
    /// When it is of another type or out of the type's range.
    fn read(row: &Row<'_>, column: usize) -> Result<Option<Self>>;
}

/// Types with an order: filters may ask for less and more.
#[diagnostic::on_unimplemented(
    message = "values of `{Self}` have no order in the database",
    label = "numbers, text and bytes have one"
)]
pub trait Ordered: Field {}

/// Text: filters may look into it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no text",
    label = "only `String` and `Option<String>` can be looked into"
)]
pub trait Textual: Field {}

/// Columns that may be without a value.
#[diagnostic::on_unimplemented(message = "`{Self}` is never missing", label = "only an `Option` may be")]
pub trait Optional: Field {}

/// References: filters may ask about the row that is referred to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` refers to no entity",
    label = "only `Ref<T>` and `Option<Ref<T>>` do"
)]
pub trait Reference: Field {
    /// Whose row it is.
    type To: Entity;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Field for $type {
            type Argument<'a> = $type;
            const KIND: ColumnKind = ColumnKind::Integer;

            fn value(&self) -> Value<'_> {
                Value::from(*self)
            }

            fn argument<'a>(argument: Self::Argument<'a>) -> Value<'a> {
                Value::from(argument)
            }

            fn read(row: &Row<'_>, column: usize) -> Result<Option<Self>> {
                let number = row.opt_int(column)?;
                number.map(|number| number.try_into().map_err(|_| out_of_range(number, stringify!($type)))).transpose()
            }
        }

        impl Ordered for $type {}
    )*};
}
integers!(i32, i16, u32, u16, u8);

/// Types that a row gives as they are.
macro_rules! plain {
    ($($type:ty, $argument:ty, $kind:ident, |$value:ident| $as_value:expr, |$row:ident, $column:ident| $read:expr;)*) => {$(
        impl Field for $type {
            type Argument<'a> = $argument;
            const KIND: ColumnKind = ColumnKind::$kind;

            fn value(&self) -> Value<'_> {
                let $value = self;
                $as_value
            }

            fn argument<'a>(argument: Self::Argument<'a>) -> Value<'a> {
                Value::from(argument)
            }

            fn read($row: &Row<'_>, $column: usize) -> Result<Option<Self>> {
                Ok($read)
            }
        }
    )*};
}
plain! {
    i64, i64, Integer, |value| Value::Int(*value), |row, column| row.opt_int(column)?;
    bool, bool, Integer, |value| Value::from(*value), |row, column| row.opt_int(column)?.map(|number| number != 0);
    f64, f64, Real, |value| Value::Real(*value), |row, column| row.opt_real(column)?;
    String, &'a str, Text, |value| Value::Text(value), |row, column| row.opt_text(column)?.map(String::from);
    Vec<u8>, &'a [u8], Bytes, |value| Value::Blob(value), |row, column| row.opt_blob(column)?.map(Vec::from);
}
impl Ordered for i64 {}
impl Ordered for f64 {}
impl Ordered for String {}
impl Ordered for Vec<u8> {}
impl Textual for String {}

impl<T: Entity> Field for Ref<T> {
    type Argument<'a> = Self;
    const KIND: ColumnKind = ColumnKind::Integer;
    const TARGET: Option<Target> = Some(Target { table: T::TABLE, open: T::open });
    const DEPTH: u32 = T::DEPTH;

    fn value(&self) -> Value<'_> {
        Value::Int(self.id())
    }

    fn argument<'a>(argument: Self::Argument<'a>) -> Value<'a> {
        Value::Int(argument.id())
    }

    fn read(row: &Row<'_>, column: usize) -> Result<Option<Self>> {
        Ok(row.opt_int(column)?.map(Self::new))
    }
}

impl<T: Entity> Reference for Ref<T> {
    type To = T;
}

impl<F: Field> Field for Option<F> {
    type Argument<'a> = F::Argument<'a>;
    const KIND: ColumnKind = F::KIND;
    const OPTIONAL: bool = {
        assert!(!F::OPTIONAL, "a column has no two ways to be without a value");
        true
    };
    const TARGET: Option<Target> = F::TARGET;
    const DEPTH: u32 = F::DEPTH;

    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, F::value)
    }

    fn argument<'a>(argument: Self::Argument<'a>) -> Value<'a> {
        F::argument(argument)
    }

    fn read(row: &Row<'_>, column: usize) -> Result<Option<Self>> {
        F::read(row, column).map(Some)
    }
}

impl<F: Ordered> Ordered for Option<F> {}
impl<F: Textual> Textual for Option<F> {}
impl<F: Field> Optional for Option<F> {}
impl<F: Reference> Reference for Option<F> {
    type To = F::To;
}

/// A field as a parameter, if every database would keep it as it is.
///
/// # Errors
/// When the text is too long or holds NUL, or the number is not finite: what one database cuts, another
/// refuses and a third changes is refused here, with the column's name.
pub fn checked<'v, F: Field>(field: &'v F, column: &Column, table: &str) -> Result<Value<'v>> {
    let value = field.value();
    let refuse = |why: String| {
        let message = format!("column `{}` of `{table}` {why}", column.name);
        Err(Error { kind: Kind::Constraint, ..Error::other(message) })
    };
    match (value, column.max) {
        (Value::Text(text), Some(max))
            if text.len() > max as usize && text.chars().count() > max as usize =>
        {
            refuse(format!("takes {max} characters, was given {}", text.chars().count()))
        }
        _ => match unfit(&value) {
            Some(why) => refuse(format!("was given {why}")),
            None => Ok(value),
        },
    }
}

/// What databases do not agree on.
pub(super) fn unfit(value: &Value<'_>) -> Option<&'static str> {
    match value {
        Value::Text(text) if text.as_bytes().contains(&0) => Some("text with a NUL character"),
        Value::Real(number) if !number.is_finite() => Some("a number that is not finite"),
        _ => None,
    }
}

/// A column that must hold a value.
///
/// # Errors
/// When it holds none, or as [`Field::read`].
pub fn required<F: Field>(row: &Row<'_>, column: usize) -> Result<F> {
    match F::read(row, column)? {
        Some(value) => Ok(value),
        None => Err(Error::other(format!("column {column} is NULL"))),
    }
}

/// The largest of some depths; 0 for none.
pub const fn deepest(depths: &[u32]) -> u32 {
    let (mut most, mut next) = (0, 0);
    while next < depths.len() {
        if depths[next] > most {
            most = depths[next];
        }
        next += 1;
    }
    most
}

fn out_of_range(number: i64, kind: &str) -> Error {
    Error::other(format!("{number} is no {kind}"))
}
