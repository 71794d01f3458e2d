//! Where an application's database is.

use alloc::format;
use alloc::string::String;

use loadstone_store::{Db, Error, Options};

/// The database of an application. Each handler opens a connection of its own.
#[derive(Debug, Clone)]
pub struct Database {
    place: String,
    options: Options,
}

impl Database {
    /// The database at `place`, as [`Db::open`] takes it.
    pub fn new(place: impl Into<String>, options: Options) -> Self {
        Self { place: place.into(), options }
    }

    /// Opens a connection.
    ///
    /// # Errors
    /// A sentence that names the place.
    pub fn connect(&self) -> Result<Db, String> {
        Db::open(&self.place, &self.options).map_err(|error| self.trouble(&error))
    }

    /// A sentence about an error of the store, for the operator.
    pub fn trouble(&self, error: &Error) -> String {
        format!("{}: {error}", self.place)
    }
}
