//! Sales: what somebody bought at once, or won by bidding.

use loadstone_store::{Db, Entity, Result};
use loadstone_web::dates::Moment;

use super::tables::{Bid, Purchase};
use crate::model::Item;

/// How often a user has bought of an auction: each purchase, and the auction itself where theirs was the
/// highest bid.
pub(crate) fn to(db: &Db, item: &Item, buyer: i64, now: Moment) -> Result<u64> {
    let bought = Purchase::find(|p| p.item_id.eq(item.id).and(p.buyer_id.eq(buyer))).count(db)?;
    Ok(bought + u64::from(winner(db, item, now)? == Some(buyer)))
}

/// Who has won an auction: nobody as long as it runs, when all was bought, or below the reserve price.
fn winner(db: &Db, item: &Item, now: Moment) -> Result<Option<i64>> {
    if !item.has_ended(now) || item.quantity == 0 || !item.meets_reserve() {
        return Ok(None);
    }
    let highest = Bid::find(|b| b.item_id.eq(item.id)).order(|b| b.bid.descending()).first(db)?;
    Ok(highest.map(|bid| bid.user_id))
}
