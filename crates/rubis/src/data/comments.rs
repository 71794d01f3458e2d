//! Comments of users about users.

use alloc::vec::Vec;

use loadstone_store::{Db, Entity, Id, Result};
use loadstone_web::dates::Moment;

use super::{moment, owned, sales, tables, window};
use crate::model::{Comment, Item};

/// A comment as a form gives it, checked.
pub(crate) struct NewComment<'a> {
    pub from: i64,
    pub to: i64,
    pub item: i64,
    pub rating: i64,
    pub text: &'a str,
}

/// A page of what was said about a user, the latest first; and one more if there is a next page.
pub(crate) fn about(db: &Db, user: i64, page: u32) -> Result<Vec<Comment>> {
    let sql = "SELECT c.from_user_id, u.nickname, c.item_id, c.rating, c.date, c.comment FROM comments c \
               CROSS JOIN users u ON u.id = c.from_user_id WHERE c.to_user_id = ?1 \
               ORDER BY c.date DESC, c.id DESC LIMIT ?2 OFFSET ?3";
    let (limit, offset) = window(page);
    db.query_all(sql, &[user.into(), limit.into(), offset.into()], |row| {
        Ok(Comment {
            from: row.int(0)?,
            nickname: owned(row, 1)?,
            item: row.int(2)?,
            rating: row.int(3)?,
            date: moment(row, 4)?,
            text: owned(row, 5)?,
        })
    })
}

/// Whether one of two users has sold to the other, and `from` has not yet said something about each of these
/// sales.
pub(crate) fn is_due(db: &Db, item: &Item, (from, to): (i64, i64), now: Moment) -> Result<bool> {
    let buyer = match item.seller {
        seller if seller == to => from,
        seller if seller == from => to,
        _ => return Ok(false),
    };
    let of_both = |c: <tables::Comment as Entity>::Columns| {
        c.item_id.eq(item.id).and(c.from_user_id.eq(from)).and(c.to_user_id.eq(to))
    };
    let said = tables::Comment::find(of_both).count(db)?;
    Ok(said < sales::to(db, item, buyer, now)?)
}

/// Stores a comment and changes the rating of whom it is about; false when it needs a sale, which is `sold`,
/// and is not due.
pub(crate) fn add(db: &Db, new: &NewComment<'_>, sold: Option<&Item>, now: Moment) -> Result<bool> {
    db.transaction(|db| {
        if let Some(item) = sold
            && !is_due(db, item, (new.from, new.to), now)?
        {
            return Ok(false);
        }
        let mut row = tables::Comment {
            id: Id::NEW,
            from_user_id: new.from,
            to_user_id: new.to,
            item_id: new.item,
            rating: new.rating,
            date: now,
            comment: new.text.into(),
        };
        row.save(db)?;
        let sql = "UPDATE users SET rating = rating + ?2 WHERE id = ?1";
        db.execute(sql, &[new.to.into(), new.rating.into()])?;
        Ok(true)
    })
}
