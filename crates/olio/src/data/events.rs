//! One event: reading, adding, changing, deleting.

use alloc::string::String;
use alloc::vec::Vec;

use loadstone_store::{Db, Result};
use loadstone_web::dates::Moment;

use super::{attendance, owned, people, sessions, tags};
use crate::model::{Address, Event};

/// An event as a form gives it, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewEvent {
    pub title: String,
    pub summary: String,
    pub description: String,
    pub telephone: String,
    pub timezone: String,
    pub when: Moment,
    pub address: Address,
    /// Distinct, in byte order.
    pub tags: Vec<String>,
    pub has_image: bool,
    pub has_document: bool,
}

/// Reads an event.
pub(crate) fn find(db: &Db, id: i64) -> Result<Option<Event>> {
    let sql = "SELECT e.id, e.title, e.summary, e.description, e.telephone, e.timezone, e.event_timestamp, e.user_id, \
               u.username, e.has_image, e.has_document, a.street1, a.street2, a.city, a.state, a.zip, a.country, a.latitude, a.longitude \
               FROM event e JOIN user u ON u.id = e.user_id JOIN address a ON a.id = e.address_id WHERE e.id = ?1 AND e.disabled = 0";
    db.query_row(sql, &[id.into()], |row| {
        Ok(Event {
            id: row.int(0)?,
            title: owned(row, 1)?,
            summary: owned(row, 2)?,
            description: owned(row, 3)?,
            telephone: owned(row, 4)?,
            timezone: owned(row, 5)?,
            when: Moment::from_minutes(row.int(6)?),
            creator_id: row.int(7)?,
            creator: owned(row, 8)?,
            has_image: row.bool(9)?,
            has_document: row.bool(10)?,
            address: people::address(row, 11)?,
        })
    })
}

/// Who announced an event.
pub(crate) fn creator(db: &Db, id: i64) -> Result<Option<i64>> {
    db.query_row("SELECT user_id FROM event WHERE id = ?1 AND disabled = 0", &[id.into()], |row| row.int(0))
}

/// Adds an event with its address and tags; its creator attends. One transaction; returns its id.
pub(crate) fn add(db: &Db, event: &NewEvent, creator: i64, now: Moment) -> Result<i64> {
    db.transaction(|db| {
        let address = people::add_address(db, &event.address)?;
        let id = db.insert(
            "INSERT INTO event(title, summary, description, telephone, timezone, user_id, address_id, has_image, \
             has_document, event_timestamp, event_date, created_at, total_score, num_votes, disabled) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0, 0, 0) RETURNING id",
            &[
                (&event.title).into(),
                (&event.summary).into(),
                (&event.description).into(),
                (&event.telephone).into(),
                (&event.timezone).into(),
                creator.into(),
                address.into(),
                event.has_image.into(),
                event.has_document.into(),
                event.when.minutes().into(),
                event.when.day.0.into(),
                now.minutes().into(),
            ],
        )?;
        tags::add(db, id, &event.tags)?;
        attendance::add(db, id, creator)?;
        sessions::renew_next_events(db, creator, now.day)?;
        Ok(id)
    })
}

/// Changes an event; its tags become exactly the given ones. One transaction; false when there is no such
/// event (any more), and nothing is changed.
pub(crate) fn update(db: &Db, id: i64, event: &NewEvent) -> Result<bool> {
    db.transaction(|db| {
        let sql = "SELECT address_id FROM event WHERE id = ?1";
        let Some(old) = db.query_row(sql, &[id.into()], |row| row.int(0))? else { return Ok(false) };
        let address = people::change_address(db, old, &event.address)?;
        db.execute(
            "UPDATE event SET title = ?2, summary = ?3, description = ?4, telephone = ?5, timezone = ?6, address_id = ?7, \
             has_image = CASE WHEN has_image = 1 THEN 1 ELSE ?8 END, has_document = CASE WHEN has_document = 1 THEN 1 ELSE ?9 END, event_timestamp = ?10, event_date = ?11 \
             WHERE id = ?1",
            &[
                id.into(),
                (&event.title).into(),
                (&event.summary).into(),
                (&event.description).into(),
                (&event.telephone).into(),
                (&event.timezone).into(),
                address.into(),
                event.has_image.into(),
                event.has_document.into(),
                event.when.minutes().into(),
                event.when.day.0.into(),
            ],
        )?;
        tags::remove_all(db, id)?;
        tags::add(db, id, &event.tags)?;
        sessions::forget_next_events(db, id)?;
        Ok(true)
    })
}

/// Deletes an event with its comments, attendance and uses of tags. One transaction.
pub(crate) fn delete(db: &Db, id: i64) -> Result<()> {
    db.transaction(|db| delete_in_transaction(db, id))
}

/// As [`delete`], as a part of a larger transaction.
pub(super) fn delete_in_transaction(db: &Db, id: i64) -> Result<()> {
    sessions::forget_next_events(db, id)?;
    tags::remove_all(db, id)?;
    // Attendance and comments go with the event (ON DELETE CASCADE).
    db.execute("DELETE FROM event WHERE id = ?1", &[id.into()]).map(drop)
}
