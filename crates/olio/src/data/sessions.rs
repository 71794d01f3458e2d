//! Log-in sessions. A row holds the viewer's next events, so that a page need not search for them.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use loadstone_store::{Db, Result, Value};
use loadstone_web::dates::Day;

use super::{lists, owned};
use crate::model::{EventLink, Viewer};

/// How long a session lives after log-in: a day.
const LIFE_S: u64 = 24 * 3600;

/// `next_events` of a session whose events have changed since: they are looked up at every page until
/// they are next stored.
const STALE: &str = "?";

/// Who a living session belongs to; `None` when there is no such session.
pub(crate) fn viewer(db: &Db, session: &str, now_s: u64, today: Day) -> Result<Option<Viewer>> {
    let sql = "SELECT s.user_id, u.username, s.next_events, ( \
                 SELECT count(*) FROM friendship f WHERE f.friend_id = s.user_id AND f.accepted = 0 AND NOT EXISTS ( \
                   SELECT 1 FROM friendship r WHERE r.user_id = s.user_id AND r.friend_id = f.user_id AND r.accepted = 1)) \
               FROM session s JOIN user u ON u.id = s.user_id WHERE s.id = ?1 AND s.expires_s > ?2";
    let found = db.query_row(sql, &[session.into(), seconds(now_s)], |row| {
        Ok((row.int(0)?, owned(row, 1)?, owned(row, 2)?, row.int(3)?))
    })?;
    let Some((id, username, mut next, requests)) = found else { return Ok(None) };
    if next == STALE {
        // Not stored here: this runs inside a page's snapshot, where a write could fail for being late.
        next = next_events(db, id, today)?;
    }
    Ok(Some(Viewer { id, username, upcoming: events(db, &next)?, requests }))
}

/// Begins a session in place of the living one `old`. One log-in in 256 also clears away the sessions that have
/// ended by themselves.
///
/// What deletes is no part of the transaction that inserts: it reads, beside the rows that it deletes, where
/// others insert, so that log-ins of the same moment would undo each other on a serializable database.
pub(crate) fn replace(
    db: &Db,
    old: Option<&str>,
    session: &str,
    user: i64,
    now_s: u64,
    today: Day,
) -> Result<()> {
    if let Some(old) = old {
        end(db, old)?;
    }
    // Ids are random hexadecimal digits.
    if session.starts_with("00") {
        db.execute("DELETE FROM session WHERE expires_s <= ?1", &[seconds(now_s)])?;
    }
    db.transaction(|db| {
        let next = next_events(db, user, today)?;
        let sql = "INSERT INTO session(id, user_id, requests, next_events, created_s, expires_s) \
                   SELECT ?1, ?2, count(*), ?3, ?4, ?5 FROM friendship WHERE friend_id = ?2 AND accepted = 0";
        let (now, end) = (seconds(now_s), seconds(now_s + LIFE_S));
        db.execute(sql, &[session.into(), user.into(), (&next).into(), now, end]).map(drop)
    })
}

/// Ends a session.
pub(crate) fn end(db: &Db, session: &str) -> Result<()> {
    db.execute("DELETE FROM session WHERE id = ?1", &[session.into()]).map(drop)
}

/// Ends every session of a person but one. Within a transaction.
pub(super) fn end_others(db: &Db, user: i64, session: &str) -> Result<()> {
    let sql = "DELETE FROM session WHERE user_id = ?1 AND id <> ?2";
    db.execute(sql, &[user.into(), session.into()]).map(drop)
}

/// Looks a person's next events up again, for all their sessions.
pub(crate) fn renew_next_events(db: &Db, user: i64, today: Day) -> Result<()> {
    let next = next_events(db, user, today)?;
    let sql = "UPDATE session SET next_events = ?2 WHERE user_id = ?1";
    db.execute(sql, &[user.into(), (&next).into()]).map(drop)
}

/// Makes the sessions of everybody who attends an event look their next ones up.
pub(super) fn forget_next_events(db: &Db, event: i64) -> Result<()> {
    let sql = "UPDATE session SET next_events = ?2 WHERE user_id IN (SELECT user_id FROM attendance WHERE event_id = ?1)";
    db.execute(sql, &[event.into(), STALE.into()]).map(drop)
}

fn next_events(db: &Db, user: i64, today: Day) -> Result<String> {
    let sql = "SELECT e.id FROM attendance a CROSS JOIN event e ON e.id = a.event_id \
               WHERE a.user_id = ?1 AND +e.event_date >= ?2 AND e.disabled = 0 ORDER BY e.event_date, e.id LIMIT 3";
    let mut next = String::new();
    db.query(sql, &[user.into(), today.0.into()], |row| {
        let comma = if next.is_empty() { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(next, "{comma}{}", row.int(0)?);
        Ok(())
    })?;
    Ok(next)
}

fn events(db: &Db, ids: &str) -> Result<Vec<EventLink>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut params = [Value::Null; 3];
    for (place, id) in params.iter_mut().zip(ids.split(',')) {
        *place = id.parse().map_or(Value::Null, Value::Int);
    }
    let sql = "SELECT id, title, event_timestamp FROM event WHERE id IN (?1, ?2, ?3) ORDER BY event_date, id";
    db.query_all(sql, &params, lists::link)
}

fn seconds(time: u64) -> Value<'static> {
    Value::Int(i64::try_from(time).unwrap_or(i64::MAX))
}
