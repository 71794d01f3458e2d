//! Comments and ratings.

use loadstone_store::{Db, Result, Row};
use loadstone_web::dates::Moment;

use alloc::vec::Vec;

use super::owned;
use crate::model::Comment;

/// All comments of an event, the oldest first.
pub(crate) fn of_event(db: &Db, event: i64) -> Result<Vec<Comment>> {
    let sql = "SELECT c.id, c.user_id, u.username, c.comment, c.rating, c.created_at FROM comment c \
               CROSS JOIN user u ON u.id = c.user_id WHERE c.event_id = ?1 ORDER BY c.id";
    db.query_all(sql, &[event.into()], comment)
}

/// One comment of an event.
pub(crate) fn find(db: &Db, event: i64, id: i64) -> Result<Option<Comment>> {
    let sql = "SELECT c.id, c.user_id, u.username, c.comment, c.rating, c.created_at FROM comment c \
               CROSS JOIN user u ON u.id = c.user_id WHERE c.id = ?1 AND c.event_id = ?2";
    db.query_row(sql, &[id.into(), event.into()], comment)
}

/// Adds a comment.
pub(crate) fn add(db: &Db, event: i64, author: i64, text: &str, rating: i64, now: Moment) -> Result<()> {
    let sql = "INSERT INTO comment(event_id, user_id, comment, rating, created_at, updated_at) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?5)";
    let now = now.minutes();
    db.execute(sql, &[event.into(), author.into(), text.into(), rating.into(), now.into()]).map(drop)
}

/// Changes a comment; false when there is none (any more).
pub(crate) fn update(db: &Db, id: i64, text: &str, rating: i64, now: Moment) -> Result<bool> {
    let sql = "UPDATE comment SET comment = ?2, rating = ?3, updated_at = ?4 WHERE id = ?1";
    Ok(db.execute(sql, &[id.into(), text.into(), rating.into(), now.minutes().into()])? > 0)
}

/// Deletes a comment.
pub(crate) fn delete(db: &Db, id: i64) -> Result<()> {
    db.execute("DELETE FROM comment WHERE id = ?1", &[id.into()]).map(drop)
}

fn comment(row: &Row<'_>) -> Result<Comment> {
    Ok(Comment {
        id: row.int(0)?,
        author_id: row.int(1)?,
        author: owned(row, 2)?,
        text: owned(row, 3)?,
        rating: row.int(4)?,
        created: Moment::from_minutes(row.int(5)?),
    })
}
