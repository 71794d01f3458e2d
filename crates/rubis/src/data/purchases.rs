//! Purchases without bidding.

use loadstone_store::{Db, Entity, Id, Result};
use loadstone_web::dates::Moment;

use super::{items, tables};
use crate::model::Item;

/// Buys `quantity` of an auction if `allows` says so of it as it is then; the auction after it. What has been
/// bought up ends at once. `Err` is what `allows` said.
pub(crate) fn add<R>(
    db: &Db,
    item: i64,
    (buyer, quantity): (i64, i64),
    now: Moment,
    allows: impl Fn(Option<Item>) -> core::result::Result<Item, R>,
) -> Result<core::result::Result<Item, R>> {
    db.transaction(|db| {
        items::put_away(db, now)?;
        let found = match allows(items::active(db, item)?) {
            Ok(found) => found,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut row =
            tables::Purchase { id: Id::NEW, buyer_id: buyer, item_id: item, qty: quantity, date: now };
        row.save(db)?;
        let left = found.quantity - quantity;
        let end = if left == 0 { now } else { found.end };
        let sql = "UPDATE items SET quantity = ?2, end_date = ?3 WHERE id = ?1";
        db.execute(sql, &[item.into(), left.into(), end.minutes().into()])?;
        Ok(Ok(Item { quantity: left, end, ..found }))
    })
}
