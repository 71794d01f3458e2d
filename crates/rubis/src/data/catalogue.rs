//! Categories and regions.

use alloc::vec::Vec;

use loadstone_store::{Db, Result, Row};

use super::owned;
use crate::model::Place;

pub(crate) fn categories(db: &Db) -> Result<Vec<Place>> {
    db.query_all("SELECT id, name FROM categories ORDER BY name", &[], place)
}

pub(crate) fn category(db: &Db, id: i64) -> Result<Option<Place>> {
    db.query_row("SELECT id, name FROM categories WHERE id = ?1", &[id.into()], place)
}

pub(crate) fn regions(db: &Db) -> Result<Vec<Place>> {
    db.query_all("SELECT id, name FROM regions ORDER BY name", &[], place)
}

pub(crate) fn region(db: &Db, id: i64) -> Result<Option<Place>> {
    db.query_row("SELECT id, name FROM regions WHERE id = ?1", &[id.into()], place)
}

fn place(row: &Row<'_>) -> Result<Place> {
    Ok(Place { id: row.int(0)?, name: owned(row, 1)? })
}
