//! Lists of events.

use alloc::vec::Vec;

use loadstone_store::{Db, Result, Row, Value};
use loadstone_web::dates::{Day, Moment};

use super::owned;
use crate::model::{EventItem, EventLink, Listing};

/// Items on a page of a list.
pub(crate) const PAGE: usize = 10;

/// What every list selects, from event e, address a and user u.
macro_rules! items {
    ($ids:literal, $order:literal) => {
        concat!(
            "SELECT e.id, e.title, e.summary, e.event_timestamp, e.created_at, a.city, e.user_id, u.username FROM (",
            $ids,
            ") p CROSS JOIN event e ON e.id = p.id CROSS JOIN address a ON a.id = e.address_id ",
            "CROSS JOIN user u ON u.id = e.user_id ORDER BY ",
            $order
        )
    };
}

/// The events of days `from..=to`, the nearest or the newest first, of one zip code or (empty) of all.
pub(crate) fn home(
    db: &Db,
    (from, to): (Day, Day),
    by_created: bool,
    zip: &str,
    page: u32,
) -> Result<Listing<EventItem>> {
    // A plus keeps the planner from an index that would not give the order; the range of all times makes it
    // walk the one that does, where it would otherwise read and sort every event.
    let sql = match (by_created, zip.is_empty()) {
        (false, true) => items!(
            "SELECT id FROM event WHERE event_date BETWEEN ?1 AND ?2 AND ?3 = '' AND disabled = 0 \
             ORDER BY event_date, id LIMIT ?4 OFFSET ?5",
            "e.event_date, e.id"
        ),
        (true, true) => items!(
            "SELECT id FROM event WHERE created_at > -9223372036854775807 AND +event_date BETWEEN ?1 AND ?2 AND ?3 = '' AND disabled = 0 \
             ORDER BY created_at DESC, id LIMIT ?4 OFFSET ?5",
            "e.created_at DESC, e.id"
        ),
        (false, false) => items!(
            "SELECT e.id FROM address a CROSS JOIN event e ON e.address_id = a.id \
             WHERE a.zip = ?3 AND +e.event_date BETWEEN ?1 AND ?2 AND e.disabled = 0 \
             ORDER BY e.event_date, e.id LIMIT ?4 OFFSET ?5",
            "e.event_date, e.id"
        ),
        (true, false) => items!(
            "SELECT e.id FROM address a CROSS JOIN event e ON e.address_id = a.id \
             WHERE a.zip = ?3 AND +e.event_date BETWEEN ?1 AND ?2 AND e.disabled = 0 \
             ORDER BY e.created_at DESC, e.id LIMIT ?4 OFFSET ?5",
            "e.created_at DESC, e.id"
        ),
    };
    listing(db, sql, &[from.0.into(), to.0.into(), zip.into()], page)
}

/// The events with a tag.
pub(crate) fn tagged(db: &Db, tag: &str, page: u32) -> Result<Listing<EventItem>> {
    let sql = items!(
        "SELECT e.id FROM tag t CROSS JOIN event_tag et ON et.tag_id = t.id CROSS JOIN event e ON e.id = et.event_id \
         WHERE t.name = ?1 AND e.disabled = 0 ORDER BY e.event_date, e.id LIMIT ?2 OFFSET ?3",
        "e.event_date, e.id"
    );
    listing(db, sql, &[tag.into()], page)
}

/// The events that a person announced, the newest first.
pub(crate) fn posted(db: &Db, person: i64, page: u32) -> Result<Listing<EventItem>> {
    let sql = items!(
        "SELECT id FROM event WHERE user_id = ?1 AND disabled = 0 ORDER BY created_at DESC, id LIMIT ?2 OFFSET ?3",
        "e.created_at DESC, e.id"
    );
    listing(db, sql, &[person.into()], page)
}

/// The events from today on that a person attends, the nearest first.
pub(crate) fn upcoming(db: &Db, person: i64, today: Day, page: u32) -> Result<Listing<EventItem>> {
    let sql = items!(
        "SELECT e.id FROM attendance t CROSS JOIN event e ON e.id = t.event_id \
         WHERE t.user_id = ?1 AND +e.event_date >= ?2 AND e.disabled = 0 ORDER BY e.event_date, e.id LIMIT ?3 OFFSET ?4",
        "e.event_date, e.id"
    );
    listing(db, sql, &[person.into(), today.0.into()], page)
}

/// The newest events, the last one added first.
pub(crate) fn newest(db: &Db, count: i64) -> Result<Vec<EventItem>> {
    let sql = items!(
        "SELECT id FROM event WHERE disabled = 0 ORDER BY created_at DESC, id DESC LIMIT ?1",
        "e.created_at DESC, e.id DESC"
    );
    db.query_all(sql, &[count.into()], item)
}

/// The last events that a person announced, as links.
pub(crate) fn recently_posted(db: &Db, person: i64) -> Result<Vec<EventLink>> {
    let sql = "SELECT id, title, event_timestamp FROM event WHERE user_id = ?1 AND disabled = 0 \
               ORDER BY created_at DESC, id LIMIT 10";
    db.query_all(sql, &[person.into()], link)
}

/// Reads (id, title, time).
pub(super) fn link(row: &Row<'_>) -> Result<EventLink> {
    Ok(EventLink { id: row.int(0)?, title: owned(row, 1)?, when: Moment::from_minutes(row.int(2)?) })
}

/// Runs a list with its limit and offset as the last parameters; one item too many tells of a next page.
fn listing(db: &Db, sql: &'static str, params: &[Value<'_>], page: u32) -> Result<Listing<EventItem>> {
    let mut all = [Value::Null; 5];
    let count = params.len();
    all[..count].copy_from_slice(params);
    all[count] = Value::Int(PAGE as i64 + 1);
    all[count + 1] = Value::Int((i64::from(page) - 1) * PAGE as i64);
    let mut items = db.query_all(sql, &all[..count + 2], item)?;
    let more = items.len() > PAGE;
    items.truncate(PAGE);
    Ok(Listing { items, page, more })
}

fn item(row: &Row<'_>) -> Result<EventItem> {
    Ok(EventItem {
        id: row.int(0)?,
        title: owned(row, 1)?,
        summary: owned(row, 2)?,
        when: Moment::from_minutes(row.int(3)?),
        created: Moment::from_minutes(row.int(4)?).day,
        city: owned(row, 5)?,
        creator_id: row.int(6)?,
        creator: owned(row, 7)?,
    })
}
