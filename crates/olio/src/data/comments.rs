//! Comments and ratings.

use loadstone_store::{Db, Entity, Id, Ref, Result, Row};
use loadstone_web::dates::Moment;

use alloc::vec::Vec;

use super::{owned, tables};
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
    let mut comment = tables::Comment {
        id: Id::NEW,
        event_id: event,
        user_id: author,
        comment: text.into(),
        rating,
        created_at: now,
        updated_at: now,
    };
    comment.save(db).map(drop)
}

/// Changes a comment; false when there is none (any more).
pub(crate) fn update(db: &Db, id: i64, text: &str, rating: i64, now: Moment) -> Result<bool> {
    let sql = "UPDATE comment SET comment = ?2, rating = ?3, updated_at = ?4 WHERE id = ?1";
    Ok(db.execute(sql, &[id.into(), text.into(), rating.into(), now.minutes().into()])? > 0)
}

/// Deletes a comment.
pub(crate) fn delete(db: &Db, id: i64) -> Result<()> {
    Ref::<tables::Comment>::new(id).delete(db).map(drop)
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
