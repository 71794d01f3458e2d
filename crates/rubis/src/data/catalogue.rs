//! Categories and regions.

use alloc::string::String;
use alloc::vec::Vec;

use loadstone_store::{Db, Entity, Id, Ref, Result};

use super::tables::{Category, Region};
use crate::model::Place;

pub(crate) fn categories(db: &Db) -> Result<Vec<Place>> {
    let all = Category::all().order(|c| c.name.ascending()).all(db)?;
    all.into_iter().map(|one| place(one.id, one.name)).collect()
}

pub(crate) fn category(db: &Db, id: i64) -> Result<Option<Place>> {
    Category::get(db, Ref::new(id))?.map(|one| place(one.id, one.name)).transpose()
}

pub(crate) fn regions(db: &Db) -> Result<Vec<Place>> {
    let all = Region::all().order(|r| r.name.ascending()).all(db)?;
    all.into_iter().map(|one| place(one.id, one.name)).collect()
}

pub(crate) fn region(db: &Db, id: i64) -> Result<Option<Place>> {
    Region::get(db, Ref::new(id))?.map(|one| place(one.id, one.name)).transpose()
}

fn place<E: Entity>(id: Id<E>, name: String) -> Result<Place> {
    Ok(Place { id: id.saved()?.id(), name })
}
