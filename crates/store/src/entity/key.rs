//! Keys: of the row that a value was saved as, and of rows that others refer to.

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

use super::Entity;
use crate::{Db, Error, Result};

/// The row of an `E`, by its id. It says nothing of whether the row is there: references of the database do.
pub struct Ref<E> {
    id: i64,
    entity: PhantomData<fn() -> E>,
}

impl<E> Ref<E> {
    /// The row with an id that came from elsewhere, such as a form.
    pub const fn new(id: i64) -> Self {
        Self { id, entity: PhantomData }
    }

    /// The number.
    pub const fn id(self) -> i64 {
        self.id
    }
}

impl<E: Entity> Ref<E> {
    /// Reads the row; none when there is none.
    ///
    /// # Errors
    /// As [`Entity::get`].
    pub fn load(self, db: &Db) -> Result<Option<E>> {
        E::get(db, self)
    }
}

/// The id of a value of `E` itself: none until it is saved.
pub struct Id<E>(Option<Ref<E>>);

impl<E> Id<E> {
    /// Of a value that is not in the database yet.
    pub const NEW: Self = Self(None);

    /// The row; none before the value is saved.
    pub const fn get(&self) -> Option<Ref<E>> {
        self.0
    }
}

impl<E: Entity> Id<E> {
    /// The row, for a value that must have been saved.
    ///
    /// # Errors
    /// When it has not been.
    pub fn saved(&self) -> Result<Ref<E>> {
        self.0.ok_or_else(|| Error::other(alloc::format!("this value of `{}` is not saved yet", E::TABLE)))
    }
}

impl<E> From<Ref<E>> for Id<E> {
    fn from(row: Ref<E>) -> Self {
        Self(Some(row))
    }
}

impl<E> Default for Id<E> {
    fn default() -> Self {
        Self::NEW
    }
}

// Derived implementations would ask the same of `E`, which is only a name here.
impl<E> Clone for Ref<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Ref<E> {}

impl<E> PartialEq for Ref<E> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<E> Eq for Ref<E> {}

impl<E> PartialOrd for Ref<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Ref<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id)
    }
}

impl<E> Hash for Ref<E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl<E> fmt::Debug for Ref<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.id)
    }
}

impl<E> Clone for Id<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Id<E> {}

impl<E> PartialEq for Id<E> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<E> Eq for Id<E> {}

impl<E> fmt::Debug for Id<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(row) => row.fmt(f),
            None => f.write_str("new"),
        }
    }
}
