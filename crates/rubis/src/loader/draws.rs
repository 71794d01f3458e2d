//! What is drawn for a user, an auction, its bids and its comment. Draws come in the order of the code.

use alloc::vec::Vec;

use loadstone_stats::Rng;
use loadstone_web::prose::pick;

use crate::schema::Meta;

/// What a stream of random numbers is for; part of the stream's number.
#[derive(Clone, Copy)]
pub(super) enum Stream {
    Text = 1,
    User = 2,
    Item = 3,
    Bids = 4,
    Comment = 5,
}

pub(super) use crate::validate::RATINGS;
/// Cents of a unit of money.
pub(crate) const UNIT: i64 = 100;
/// Minutes of a day.
pub(super) const DAY: i64 = 1440;
/// Oldest users and auctions, days before the data set was made.
pub(super) const SPAN_DAYS: i64 = 540;

/// The stream of row `id`: number (use * 2^56 + id) of the data set's seed.
pub(super) fn stream(meta: &Meta, of: Stream, id: u64) -> Rng {
    Rng::stream(meta.seed, (of as u64) << 56 | id)
}

/// An auction without its texts.
pub(super) struct Item {
    pub seller: i64,
    pub category: i64,
    pub initial_price: i64,
    pub quantity: i64,
    pub reserve_price: i64,
    pub buy_now: i64,
    pub start: i64,
    pub end: i64,
    /// Further draws of the auction's stream: its texts.
    pub rng: Rng,
}

/// A bid on an auction.
pub(super) struct Bid {
    pub user: i64,
    pub quantity: i64,
    pub bid: i64,
    pub max_bid: i64,
    pub date: i64,
}

/// A comment to an auction's seller, without its text.
pub(super) struct Comment {
    pub from: i64,
    pub rating: i64,
    /// Further draws of the comment's stream: its text.
    pub rng: Rng,
}

/// Auction `id`: ids up to `old_items` have ended, the others begin when the data set is made.
pub(super) fn item(meta: &Meta, id: u64) -> Item {
    let mut rng = stream(meta, Stream::Item, id);
    let seller = rng.range_inclusive(1, meta.users);
    let category = rng.range_inclusive(1, meta.categories);
    let initial_price = rng.range_inclusive(1, 5000) * UNIT;
    let quantity = if rng.chance(0.8) { 1 } else { rng.range_inclusive(1, 10) };
    let reserve_price = if rng.chance(0.4) { initial_price + rng.range_inclusive(1, 1000) * UNIT } else { 0 };
    let buy_now = if rng.chance(0.1) {
        initial_price.max(reserve_price) + rng.range_inclusive(1, 1000) * UNIT
    } else {
        0
    };
    let duration = rng.range_inclusive(1, 7) * DAY;
    let base = meta.base.minutes();
    let end = if id as i64 <= meta.old_items {
        base - rng.range_inclusive(0, SPAN_DAYS * DAY)
    } else {
        base + duration
    };
    Item {
        seller,
        category,
        initial_price,
        quantity,
        reserve_price,
        buy_now,
        start: end - duration,
        end,
        rng,
    }
}

/// The bids on an auction, each higher than the one before, by anybody but the seller. On an auction that has
/// just begun they are of the same minute.
pub(super) fn bids(meta: &Meta, id: u64, item: &Item) -> Vec<Bid> {
    let rng = &mut stream(meta, Stream::Bids, id);
    let count = rng.below(20) as i64;
    let over = item.end.min(meta.base.minutes()) - item.start;
    let mut price = item.initial_price;
    (0..count)
        .map(|nth| {
            let user = other(rng, meta.users, item.seller);
            let quantity = rng.range_inclusive(1, item.quantity);
            price += rng.range_inclusive(1, 10) * UNIT;
            let max_bid = price + rng.range_inclusive(0, 10) * UNIT;
            Bid { user, quantity, bid: price, max_bid, date: item.start + over * nth / count }
        })
        .collect()
}

/// The comment to an auction's seller.
pub(super) fn comment(meta: &Meta, id: u64, item: &Item) -> Comment {
    let mut rng = stream(meta, Stream::Comment, id);
    let from = other(&mut rng, meta.users, item.seller);
    Comment { from, rating: pick(&mut rng, &RATINGS), rng }
}

/// Any user but one.
fn other(rng: &mut Rng, users: i64, one: i64) -> i64 {
    let drawn = rng.range_inclusive(1, users - 1);
    if drawn < one { drawn } else { drawn + 1 }
}
