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
mod tables;
pub(crate) mod tags;

use alloc::string::String;

use loadstone_store::{Result, Row};

/// A text column as an owned string.
fn owned(row: &Row<'_>, column: usize) -> Result<String> {
    row.text(column).map(String::from)
}
