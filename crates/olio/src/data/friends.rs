//! Friendship. A row says that `user_id` has asked `friend_id`; accepted, they are friends both ways.

use alloc::vec::Vec;

use loadstone_store::{Db, Result};

use super::people::{PAGE, link};
use crate::model::{Listing, PersonLink, Relation};

/// Friends of a person by id: at most `limit`, after the first `offset`.
fn of(db: &Db, person: i64, limit: usize, offset: usize) -> Result<Vec<PersonLink>> {
    let sql = "SELECT u.id, u.username FROM ( \
                 SELECT friend_id AS id FROM friendship WHERE user_id = ?1 AND accepted = 1 \
                 UNION SELECT user_id FROM friendship WHERE friend_id = ?1 AND accepted = 1 \
                 ORDER BY 1 LIMIT ?2 OFFSET ?3) f \
               CROSS JOIN user u ON u.id = f.id ORDER BY u.id";
    db.query_all(sql, &[person.into(), (limit as i64).into(), (offset as i64).into()], link)
}

/// The friends of lowest id, at most `count`.
pub(crate) fn first(db: &Db, person: i64, count: usize) -> Result<Vec<PersonLink>> {
    of(db, person, count, 0)
}

/// A page of all friends.
pub(crate) fn list(db: &Db, person: i64, page: u32) -> Result<Listing<PersonLink>> {
    let mut items = of(db, person, PAGE + 1, (page as usize - 1) * PAGE)?;
    let more = items.len() > PAGE;
    items.truncate(PAGE);
    Ok(Listing { items, page, more })
}

/// How the viewer and a person stand to each other.
pub(crate) fn relation(db: &Db, viewer: i64, other: i64) -> Result<Relation> {
    if viewer == other {
        return Ok(Relation::Same);
    }
    let sql = "SELECT (SELECT accepted FROM friendship WHERE user_id = ?1 AND friend_id = ?2), \
                      (SELECT accepted FROM friendship WHERE user_id = ?2 AND friend_id = ?1)";
    let rows =
        db.query_row(sql, &[viewer.into(), other.into()], |row| Ok((row.opt_int(0)?, row.opt_int(1)?)))?;
    Ok(match rows.unwrap_or_default() {
        (Some(1), _) | (_, Some(1)) => Relation::Friends,
        (_, Some(_)) => Relation::AskedBy,
        (Some(_), None) => Relation::Asked,
        (None, None) => Relation::None,
    })
}

/// People who have asked the viewer and wait, by id.
pub(crate) fn incoming(db: &Db, viewer: i64) -> Result<Vec<PersonLink>> {
    let sql = "SELECT u.id, u.username FROM friendship f CROSS JOIN user u ON u.id = f.user_id \
               WHERE f.friend_id = ?1 AND f.accepted = 0 AND NOT EXISTS ( \
                 SELECT 1 FROM friendship r WHERE r.user_id = ?1 AND r.friend_id = f.user_id AND r.accepted = 1) \
               ORDER BY u.id";
    db.query_all(sql, &[viewer.into()], link)
}

/// People whom the viewer has asked and who have not answered, by id. Those who have asked as well are
/// left out: they wait for the viewer's answer.
pub(crate) fn outgoing(db: &Db, viewer: i64) -> Result<Vec<PersonLink>> {
    let sql = "SELECT u.id, u.username FROM friendship f CROSS JOIN user u ON u.id = f.friend_id \
               WHERE f.user_id = ?1 AND f.accepted = 0 AND NOT EXISTS ( \
                 SELECT 1 FROM friendship r WHERE r.user_id = f.friend_id AND r.friend_id = ?1) \
               ORDER BY u.id";
    db.query_all(sql, &[viewer.into()], link)
}

/// The viewer asks a person; when that person has asked before, they become friends. Returns how they stand
/// now.
pub(crate) fn request(db: &Db, viewer: i64, other: i64) -> Result<Relation> {
    db.transaction(|db| {
        let before = relation(db, viewer, other)?;
        match before {
            Relation::AskedBy => {
                approve(db, viewer, other)?;
                Ok(Relation::Friends)
            }
            Relation::None => {
                let sql = "INSERT INTO friendship(user_id, friend_id, accepted) VALUES (?1, ?2, 0)";
                db.execute(sql, &[viewer.into(), other.into()])?;
                Ok(Relation::Asked)
            }
            Relation::Same | Relation::Asked | Relation::Friends => Ok(before),
        }
    })
}

/// The viewer accepts a person's request; false when there is none, as in all that follow.
pub(crate) fn approve(db: &Db, viewer: i64, other: i64) -> Result<bool> {
    let sql = "UPDATE friendship SET accepted = 1 WHERE user_id = ?2 AND friend_id = ?1";
    Ok(db.execute(sql, &[viewer.into(), other.into()])? > 0)
}

/// The viewer refuses a person's request.
pub(crate) fn reject(db: &Db, viewer: i64, other: i64) -> Result<bool> {
    let sql = "DELETE FROM friendship WHERE user_id = ?2 AND friend_id = ?1 AND accepted = 0";
    Ok(db.execute(sql, &[viewer.into(), other.into()])? > 0)
}

/// The viewer takes an own request back.
pub(crate) fn revoke(db: &Db, viewer: i64, other: i64) -> Result<bool> {
    reject(db, other, viewer)
}

/// Ends a friendship, whoever began it, with what was asked before it.
pub(crate) fn remove(db: &Db, viewer: i64, other: i64) -> Result<bool> {
    let sql =
        "DELETE FROM friendship WHERE (user_id = ?1 AND friend_id = ?2) OR (user_id = ?2 AND friend_id = ?1)";
    Ok(db.execute(sql, &[viewer.into(), other.into()])? > 0)
}
