//! Questions to the database and changes to it: one function each, every statement prepared once.
//!
//! Every order is total, so that equal databases give equal pages.

pub(crate) mod bids;
pub(crate) mod catalogue;
pub(crate) mod comments;
pub(crate) mod ended;
pub(crate) mod items;
pub(crate) mod purchases;
pub(crate) mod sales;
mod tables;
pub(crate) mod users;

use alloc::string::String;

use loadstone_store::{Result, Row};
use loadstone_web::dates::Moment;

/// Entries on a page of a list.
pub(crate) const PAGE: usize = 20;

/// A text column as an owned string.
fn owned(row: &Row<'_>, column: usize) -> Result<String> {
    row.text(column).map(String::from)
}

/// A column of minutes as a time.
fn moment(row: &Row<'_>, column: usize) -> Result<Moment> {
    row.int(column).map(Moment::from_minutes)
}

/// What `LIMIT ?, OFFSET ?` of page `page` are: an entry more than it shows, to see whether there is a next
/// one.
fn window(page: u32) -> (i64, i64) {
    (PAGE as i64 + 1, i64::from(page - 1) * PAGE as i64)
}
