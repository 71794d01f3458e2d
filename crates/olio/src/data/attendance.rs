//! Who attends what.

use loadstone_store::{Db, Result};
use loadstone_web::dates::Day;

use super::people::link;
use super::sessions;
use crate::model::Attendees;

/// Who attends an event, seen by a viewer (0: by nobody).
pub(crate) fn of_event(db: &Db, event: i64, viewer: i64) -> Result<Attendees> {
    let sql = "SELECT count(*), coalesce(max(CASE WHEN user_id = ?2 THEN 1 ELSE 0 END), 0) FROM attendance WHERE event_id = ?1";
    let counted = db.query_row(sql, &[event.into(), viewer.into()], |row| Ok((row.int(0)?, row.bool(1)?)))?;
    let (count, viewer_attends) = counted.unwrap_or((0, false));
    let sql = "SELECT u.id, u.username FROM attendance a CROSS JOIN user u ON u.id = a.user_id \
               WHERE a.event_id = ?1 AND a.user_id <> ?2 ORDER BY a.user_id LIMIT ?3";
    let others = db.query_all(sql, &[event.into(), viewer.into(), (Attendees::SHOWN as i64).into()], link)?;
    Ok(Attendees { count, others, viewer_attends })
}

/// Adds someone to the list; nothing happens when they are on it. Two attempts at once cannot both insert.
pub(super) fn add(db: &Db, event: i64, person: i64) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO attendance(event_id, user_id) VALUES (?1, ?2)";
    db.execute(sql, &[event.into(), person.into()]).map(drop)
}

/// Adds the viewer to the list, and the event to their next ones.
pub(crate) fn attend(db: &Db, event: i64, viewer: i64, today: Day) -> Result<()> {
    db.transaction(|db| {
        add(db, event, viewer)?;
        sessions::renew_next_events(db, viewer, today)
    })
}

/// Takes the viewer off the list.
pub(crate) fn unattend(db: &Db, event: i64, viewer: i64, today: Day) -> Result<()> {
    db.transaction(|db| {
        let sql = "DELETE FROM attendance WHERE event_id = ?1 AND user_id = ?2";
        db.execute(sql, &[event.into(), viewer.into()])?;
        sessions::renew_next_events(db, viewer, today)
    })
}
