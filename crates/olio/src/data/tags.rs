//! Tags and how often they are used.

use alloc::string::String;
use alloc::vec::Vec;

use loadstone_store::{Db, Result, Row};

use super::owned;
use crate::model::TagCount;

/// The most used tags, at most `count`, by name.
pub(crate) fn cloud(db: &Db, count: i64) -> Result<Vec<TagCount>> {
    let sql = "SELECT name, refcount FROM (SELECT name, refcount FROM tag WHERE refcount > 0 \
               ORDER BY refcount DESC, name LIMIT ?1) t ORDER BY name";
    db.query_all(sql, &[count.into()], tag)
}

/// The tags of an event, by name.
pub(crate) fn of_event(db: &Db, event: i64) -> Result<Vec<TagCount>> {
    let sql = "SELECT t.name, t.refcount FROM event_tag et JOIN tag t ON t.id = et.tag_id WHERE et.event_id = ?1 ORDER BY t.name";
    db.query_all(sql, &[event.into()], tag)
}

/// Adds tags to an event; those that it has already stay as they are. Within a transaction; in byte
/// order, so that two events with the same tags would lock them in the same order.
pub(super) fn add(db: &Db, event: i64, names: &[String]) -> Result<()> {
    for name in names {
        db.execute("INSERT OR IGNORE INTO tag(name, refcount) VALUES (?1, 0)", &[name.into()])?;
        let sql = "INSERT OR IGNORE INTO event_tag(event_id, tag_id) SELECT ?1, id FROM tag WHERE name = ?2";
        if db.execute(sql, &[event.into(), name.into()])? > 0 {
            db.execute("UPDATE tag SET refcount = refcount + 1 WHERE name = ?1", &[name.into()])?;
        }
    }
    Ok(())
}

/// Adds tags to an event, in a transaction of its own. Adds none and returns false when the event would have
/// more than `most`.
pub(crate) fn add_more(db: &Db, event: i64, names: &[String], most: usize) -> Result<bool> {
    db.transaction(|db| {
        let present = of_event(db, event)?;
        let fresh = names.iter().filter(|name| present.iter().all(|tag| tag.name != **name)).count();
        let fits = fresh == 0 || present.len() + fresh <= most;
        if fits {
            add(db, event, names)?;
        }
        Ok(fits)
    })
}

/// Takes all tags from an event. Within a transaction.
pub(super) fn remove_all(db: &Db, event: i64) -> Result<()> {
    let sql = "UPDATE tag SET refcount = refcount - 1 WHERE id IN (SELECT tag_id FROM event_tag WHERE event_id = ?1)";
    db.execute(sql, &[event.into()])?;
    db.execute("DELETE FROM event_tag WHERE event_id = ?1", &[event.into()]).map(drop)
}

fn tag(row: &Row<'_>) -> Result<TagCount> {
    Ok(TagCount { name: owned(row, 0)?, count: row.int(1)? })
}
