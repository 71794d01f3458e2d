//! Questions to the database and changes to it: one function each, every statement prepared once.
//!
//! Lists join what they show, so that a page costs a fixed number of statements whatever its length, and
//! every order is total, so that equal databases give equal pages.

pub(crate) mod attendance;
pub(crate) mod comments;
pub(crate) mod events;
pub(crate) mod friends;
pub(crate) mod lists;
pub(crate) mod people;
pub(crate) mod sessions;
pub(crate) mod tags;

use alloc::string::String;

use loadstone_store::{Db, Result, Row};

/// One view of the database for all statements of a page: they see the same state, and its locks are taken
/// once instead of once a statement. Ends when dropped.
pub(crate) struct Snapshot<'d>(&'d Db);

impl<'d> Snapshot<'d> {
    /// Begins; the view is that of the first statement.
    pub(crate) fn begin(db: &'d Db) -> Result<Self> {
        db.execute("BEGIN DEFERRED", &[])?;
        Ok(Self(db))
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        // Nothing was written, so that nothing is lost when ending fails; SQLite may have ended it on an error.
        if self.0.in_transaction() {
            let _ = self.0.execute("ROLLBACK", &[]);
        }
    }
}

/// A text column as an owned string.
fn owned(row: &Row<'_>, column: usize) -> Result<String> {
    row.text(column).map(String::from)
}
