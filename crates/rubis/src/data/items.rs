//! Auctions: reading, searching, offering, ending.

use alloc::string::String;
use alloc::vec::Vec;

use loadstone_store::{Db, Result, Row};
use loadstone_web::dates::Moment;

use super::{moment, owned, window};
use crate::model::{Item, Listing, Place};

/// An auction as a form gives it, checked.
#[derive(Debug)]
pub(crate) struct NewItem {
    pub name: String,
    pub description: String,
    pub initial_price: i64,
    pub reserve_price: i64,
    pub buy_now: i64,
    pub quantity: i64,
    pub days: i64,
}

macro_rules! item_of {
    ($table:literal) => {
        concat!(
            "SELECT i.id, i.name, i.description, i.initial_price, i.quantity, i.reserve_price, i.buy_now, \
             i.nb_of_bids, i.max_bid, i.start_date, i.end_date, i.seller, u.nickname, u.rating, c.id, c.name FROM ",
            $table,
            " i JOIN users u ON u.id = i.seller JOIN categories c ON c.id = i.category WHERE i.id = ?1"
        )
    };
}

/// Lists show the highest bid, or the first price before there is one.
macro_rules! listing {
    ($rest:literal) => {
        concat!(
            "SELECT i.id, i.name, CASE WHEN i.max_bid > 0 THEN i.max_bid ELSE i.initial_price END, i.nb_of_bids, \
             i.end_date, i.buy_now FROM ",
            $rest
        )
    };
}

/// An auction that runs, or one that has ended.
pub(crate) fn find(db: &Db, id: i64) -> Result<Option<Item>> {
    match active(db, id)? {
        None => db.query_row(item_of!("old_items"), &[id.into()], item),
        found => Ok(found),
    }
}

/// An auction that has not been put away.
pub(crate) fn active(db: &Db, id: i64) -> Result<Option<Item>> {
    db.query_row(item_of!("items"), &[id.into()], item)
}

/// A page of the auctions of a category that run, those that end first before the others; and one more if
/// there is a next page.
pub(crate) fn of_category(db: &Db, category: i64, now: Moment, page: u32) -> Result<Vec<Listing>> {
    let sql = listing!(
        "items i WHERE i.category = ?1 AND i.end_date > ?2 ORDER BY i.end_date, i.id LIMIT ?3 OFFSET ?4"
    );
    let (limit, offset) = window(page);
    db.query_all(sql, &[category.into(), now.minutes().into(), limit.into(), offset.into()], entry)
}

/// As [`of_category`], by sellers of a region.
pub(crate) fn of_region(db: &Db, region: i64, category: i64, now: Moment, page: u32) -> Result<Vec<Listing>> {
    let sql = listing!(
        "items i CROSS JOIN users u ON u.id = i.seller WHERE i.category = ?1 AND i.end_date > ?2 AND u.region = ?3 \
         ORDER BY i.end_date, i.id LIMIT ?4 OFFSET ?5"
    );
    let (limit, offset) = window(page);
    let params = [category.into(), now.minutes().into(), region.into(), limit.into(), offset.into()];
    db.query_all(sql, &params, entry)
}

/// What a user sells.
pub(crate) fn selling(db: &Db, user: i64) -> Result<Vec<Listing>> {
    let sql = listing!("items i WHERE i.seller = ?1 ORDER BY i.end_date, i.id LIMIT 20");
    db.query_all(sql, &[user.into()], entry)
}

/// What a user has sold, or tried to.
pub(crate) fn sold(db: &Db, user: i64) -> Result<Vec<Listing>> {
    let sql = listing!("old_items i WHERE i.seller = ?1 ORDER BY i.end_date DESC, i.id LIMIT 20");
    db.query_all(sql, &[user.into()], entry)
}

/// What a user bids on.
pub(crate) fn bidding(db: &Db, user: i64) -> Result<Vec<Listing>> {
    let sql = listing!(
        "items i WHERE i.id IN (SELECT item_id FROM bids WHERE user_id = ?1) ORDER BY i.end_date, i.id LIMIT 20"
    );
    db.query_all(sql, &[user.into()], entry)
}

/// What a user has won: the highest bid was theirs, and enough for the seller.
pub(crate) fn won(db: &Db, user: i64) -> Result<Vec<Listing>> {
    let sql = listing!(
        "old_items i JOIN bids b ON b.item_id = i.id WHERE b.user_id = ?1 AND b.bid = i.max_bid \
         AND i.max_bid >= i.reserve_price AND i.quantity > 0 ORDER BY i.end_date DESC, i.id LIMIT 20"
    );
    db.query_all(sql, &[user.into()], entry)
}

/// What a user has bought without bidding.
pub(crate) fn bought(db: &Db, user: i64) -> Result<Vec<Listing>> {
    let now = listing!(
        "items i WHERE i.id IN (SELECT item_id FROM buy_now WHERE buyer_id = ?1) ORDER BY i.id LIMIT 20"
    );
    let old = listing!(
        "old_items i WHERE i.id IN (SELECT item_id FROM buy_now WHERE buyer_id = ?1) ORDER BY i.id LIMIT 20"
    );
    let mut found = db.query_all(now, &[user.into()], entry)?;
    found.extend(db.query_all(old, &[user.into()], entry)?);
    Ok(found)
}

/// Begins an auction; its id.
pub(crate) fn add(db: &Db, new: &NewItem, seller: i64, category: i64, now: Moment) -> Result<i64> {
    let sql = "INSERT INTO items(name, description, initial_price, quantity, reserve_price, buy_now, nb_of_bids, \
               max_bid, start_date, end_date, seller, category) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0, ?7, ?8, ?9, ?10) \
               RETURNING id";
    let start = now.minutes();
    let params = [
        (&new.name).into(),
        (&new.description).into(),
        new.initial_price.into(),
        new.quantity.into(),
        new.reserve_price.into(),
        new.buy_now.into(),
        start.into(),
        (start + new.days * 1440).into(),
        seller.into(),
        category.into(),
    ];
    db.transaction(|db| {
        put_away(db, now)?;
        db.insert(sql, &params)
    })
}

/// Moves the auctions that have ended to the old ones. Within a transaction.
pub(super) fn put_away(db: &Db, now: Moment) -> Result<()> {
    let now = [now.minutes().into()];
    let copied = db.execute("INSERT INTO old_items SELECT * FROM items WHERE end_date <= ?1", &now)?;
    if copied > 0 {
        db.execute("DELETE FROM items WHERE end_date <= ?1", &now)?;
    }
    Ok(())
}

fn item(row: &Row<'_>) -> Result<Item> {
    Ok(Item {
        id: row.int(0)?,
        name: owned(row, 1)?,
        description: owned(row, 2)?,
        initial_price: row.int(3)?,
        quantity: row.int(4)?,
        reserve_price: row.int(5)?,
        buy_now: row.int(6)?,
        bids: row.int(7)?,
        max_bid: row.int(8)?,
        start: moment(row, 9)?,
        end: moment(row, 10)?,
        seller: row.int(11)?,
        seller_name: owned(row, 12)?,
        seller_rating: row.int(13)?,
        category: Place { id: row.int(14)?, name: owned(row, 15)? },
    })
}

fn entry(row: &Row<'_>) -> Result<Listing> {
    Ok(Listing {
        id: row.int(0)?,
        name: owned(row, 1)?,
        price: row.int(2)?,
        bids: row.int(3)?,
        end: moment(row, 4)?,
        buy_now: row.int(5)?,
    })
}
