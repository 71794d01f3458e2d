//! Bids.

use alloc::vec::Vec;

use loadstone_store::{Db, Entity, Id, Result};
use loadstone_web::dates::Moment;

use super::{items, moment, owned, tables, window};
use crate::model::{Bid, Item};

/// A page of the bids on an auction, the highest first; and one more if there is a next page.
pub(crate) fn of_item(db: &Db, item: i64, page: u32) -> Result<Vec<Bid>> {
    let sql = "SELECT b.user_id, u.nickname, b.qty, b.bid, b.date FROM bids b CROSS JOIN users u ON u.id = b.user_id \
               WHERE b.item_id = ?1 ORDER BY b.bid DESC, b.id LIMIT ?2 OFFSET ?3";
    let (limit, offset) = window(page);
    db.query_all(sql, &[item.into(), limit.into(), offset.into()], |row| {
        Ok(Bid {
            user: row.int(0)?,
            nickname: owned(row, 1)?,
            quantity: row.int(2)?,
            bid: row.int(3)?,
            date: moment(row, 4)?,
        })
    })
}

/// A bid as a form gives it.
pub(crate) struct NewBid {
    pub user: i64,
    pub quantity: i64,
    pub bid: i64,
    pub max_bid: i64,
}

/// Stores a bid if `allows` says so of the auction as it is then; the auction after it. `Err` is what
/// `allows` said.
pub(crate) fn add<R>(
    db: &Db,
    item: i64,
    new: &NewBid,
    now: Moment,
    allows: impl Fn(Option<Item>) -> core::result::Result<Item, R>,
) -> Result<core::result::Result<Item, R>> {
    db.transaction(|db| {
        items::put_away(db, now)?;
        let found = match allows(items::active(db, item)?) {
            Ok(found) => found,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let &NewBid { user, quantity, bid, max_bid } = new;
        let mut row =
            tables::Bid { id: Id::NEW, user_id: user, item_id: item, qty: quantity, bid, max_bid, date: now };
        row.save(db)?;
        let sql = "UPDATE items SET nb_of_bids = nb_of_bids + 1, max_bid = ?2 WHERE id = ?1";
        db.execute(sql, &[item.into(), bid.into()])?;
        Ok(Ok(Item { bids: found.bids + 1, max_bid: bid, ..found }))
    })
}
