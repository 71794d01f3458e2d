//! The rows of every table, in an order in which references come after what they refer to.

use alloc::format;
use alloc::vec;

use loadstone_store::{Db, Result};
use loadstone_web::dataset::{Progress, Rows};
use loadstone_web::password::{self, SALT_BYTES, Scheme};

use super::Counts;
use super::author::{Author, Person};
use super::draws::{self, DAY, SPAN_DAYS, Stream};
use super::names::{CATEGORIES, REGIONS};
use crate::schema::Meta;

const INSERT_CATEGORY: &str = "INSERT INTO categories VALUES (?, ?)";
const INSERT_REGION: &str = "INSERT INTO regions VALUES (?, ?)";
const INSERT_USER: &str = "INSERT INTO users VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?)";
const INSERT_ITEM: &str = "INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const INSERT_OLD: &str = "INSERT INTO old_items VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const INSERT_BID: &str =
    "INSERT INTO bids(user_id, item_id, qty, bid, max_bid, date) VALUES (?, ?, ?, ?, ?, ?)";
const INSERT_COMMENT: &str = "INSERT INTO comments(from_user_id, to_user_id, item_id, rating, date, comment) \
                              VALUES (?, ?, ?, ?, ?, ?)";

struct Loader<'s> {
    meta: &'s Meta,
    rows: Rows<'s>,
    author: &'s dyn Author,
    counts: Counts,
}

pub(super) fn load(db: &Db, meta: &Meta, author: &dyn Author, progress: Progress<'_>) -> Result<Counts> {
    let auctions = (meta.items + meta.old_items) as u64;
    // Each auction is a row and has a comment and 9.5 bids.
    let expected = meta.users as u64 + auctions * 23 / 2;
    let mut loader = Loader {
        meta,
        rows: Rows::new(db, progress, expected),
        author,
        counts: Counts {
            categories: meta.categories as u64,
            regions: meta.regions as u64,
            users: meta.users as u64,
            items: meta.items as u64,
            old_items: meta.old_items as u64,
            ..Counts::default()
        },
    };
    for (id, name) in (1..=meta.categories).zip(CATEGORIES) {
        loader.rows.insert(INSERT_CATEGORY, &[id.into(), name.into()])?;
    }
    for (id, name) in (1..=meta.regions).zip(REGIONS) {
        loader.rows.insert(INSERT_REGION, &[id.into(), name.into()])?;
    }
    loader.users(auctions)?;
    (1..=auctions).try_for_each(|id| loader.item(id))?;
    (1..=auctions).try_for_each(|id| loader.bids(id))?;
    (1..=auctions).try_for_each(|id| loader.comment(id))?;
    loader.rows.finish()?;
    Ok(loader.counts)
}

impl Loader<'_> {
    /// Users; their ratings are the sums of what the comments to them will say.
    fn users(&mut self, auctions: u64) -> Result<()> {
        let mut ratings = vec![0_i64; self.meta.users as usize + 1];
        for id in 1..=auctions {
            let item = draws::item(self.meta, id);
            ratings[item.seller as usize] += draws::comment(self.meta, id, &item).rating;
        }
        for id in 1..=self.meta.users {
            let rng = &mut draws::stream(self.meta, Stream::User, id as u64);
            let Person { firstname, lastname, nickname } = self.author.person(rng, id as u64);
            let created = self.meta.base.minutes() - rng.range_inclusive(0, SPAN_DAYS) * DAY;
            // The salts of a reproducible data set are reproducible; its passwords are public anyway.
            let mut salt = [0; SALT_BYTES];
            salt[..8].copy_from_slice(&rng.next_u64().to_be_bytes());
            salt[8..].copy_from_slice(&rng.next_u64().to_be_bytes());
            let password = password::hash(Scheme::Sha256, &format!("password{id}"), &salt);
            let email = format!("{nickname}@rubis.example");
            let row = [
                id.into(),
                (&firstname).into(),
                (&lastname).into(),
                (&nickname).into(),
                (&password).into(),
                (&email).into(),
                ratings[id as usize].into(),
                created.into(),
                (id % self.meta.regions + 1).into(),
            ];
            self.rows.insert(INSERT_USER, &row)?;
        }
        Ok(())
    }

    fn item(&mut self, id: u64) -> Result<()> {
        let mut item = draws::item(self.meta, id);
        let bids = draws::bids(self.meta, id, &item);
        let name = self.author.item(&mut item.rng, id);
        let description = self.author.description(&mut item.rng);
        let sql = if id as i64 <= self.meta.old_items { INSERT_OLD } else { INSERT_ITEM };
        let row = [
            (id as i64).into(),
            (&name).into(),
            (&description).into(),
            item.initial_price.into(),
            item.quantity.into(),
            item.reserve_price.into(),
            item.buy_now.into(),
            (bids.len() as i64).into(),
            bids.last().map_or(0, |bid| bid.bid).into(),
            item.start.into(),
            item.end.into(),
            item.seller.into(),
            item.category.into(),
        ];
        self.rows.insert(sql, &row)
    }

    fn bids(&mut self, id: u64) -> Result<()> {
        for bid in draws::bids(self.meta, id, &draws::item(self.meta, id)) {
            let row = [
                bid.user.into(),
                (id as i64).into(),
                bid.quantity.into(),
                bid.bid.into(),
                bid.max_bid.into(),
                bid.date.into(),
            ];
            self.rows.insert(INSERT_BID, &row)?;
            self.counts.bids += 1;
        }
        Ok(())
    }

    fn comment(&mut self, id: u64) -> Result<()> {
        let item = draws::item(self.meta, id);
        let mut comment = draws::comment(self.meta, id, &item);
        let text = self.author.comment(&mut comment.rng);
        let row = [
            comment.from.into(),
            item.seller.into(),
            (id as i64).into(),
            comment.rating.into(),
            item.end.min(self.meta.base.minutes()).into(),
            (&text).into(),
        ];
        self.counts.comments += 1;
        self.rows.insert(INSERT_COMMENT, &row)
    }
}
