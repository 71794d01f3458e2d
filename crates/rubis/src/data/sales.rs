//! Sales: what somebody bought at once, or won by bidding.

use loadstone_store::{Db, Result};
use loadstone_web::dates::Moment;

use crate::model::Item;

/// How often a user has bought of an auction: each purchase, and the auction itself where theirs was the highest bid.
pub(crate) fn to(db: &Db, item: &Item, buyer: i64, now: Moment) -> Result<i64> {
    let sql = "SELECT count(*) FROM buy_now WHERE item_id = ?1 AND buyer_id = ?2";
    let bought = db.query_row(sql, &[item.id.into(), buyer.into()], |row| row.int(0))?.unwrap_or(0);
    Ok(bought + i64::from(winner(db, item, now)? == Some(buyer)))
}

/// Who has won an auction: nobody as long as it runs, when all was bought, or below the reserve price.
fn winner(db: &Db, item: &Item, now: Moment) -> Result<Option<i64>> {
    if !item.has_ended(now) || item.quantity == 0 || !item.meets_reserve() {
        return Ok(None);
    }
    let sql = "SELECT user_id FROM bids WHERE item_id = ?1 ORDER BY bid DESC, id LIMIT 1";
    db.query_row(sql, &[item.id.into()], |row| row.int(0))
}
