//! The page of an auction's item: the item, its seller and its last 20 bids, three queries, about 2 KB.

use std::io::Write;

use rusqlite::{CachedStatement, Connection, OpenFlags, Result};

const ITEM: &str = "SELECT name, description, quantity, initial_price, reserve_price, buy_now, bids, max_bid, \
    start_date, end_date, seller FROM items WHERE id = ?1";
const SELLER: &str = "SELECT nickname, rating, created FROM users WHERE id = ?1";
const BIDS: &str = "SELECT bids.bid, bids.quantity, bids.date, users.nickname FROM bids \
    JOIN users ON users.id = bids.user WHERE bids.item = ?1 ORDER BY bids.id DESC LIMIT 20";

/// A connection to the database; one for each thread.
pub struct Items {
    database: Connection,
}

impl Items {
    /// Opens the database, to read only.
    pub fn open(path: &str) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let database = Connection::open_with_flags(path, flags)?;
        database.pragma_update(None, "mmap_size", 256 << 20)?;
        Ok(Self { database })
    }

    /// Appends the page of item `id`; false when there is none.
    pub fn page(&self, id: i64, page: &mut Vec<u8>) -> Result<bool> {
        let mut statement = self.prepared(ITEM)?;
        let mut rows = statement.query([id])?;
        let Some(item) = rows.next()? else { return Ok(false) };
        let text = |column| item.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
        let number = |column| item.get::<_, i64>(column);
        put(page, format_args!("<!doctype html><title>{0}</title><h1>{0}</h1>", text(0)?));
        put(page, format_args!("<p>{}<p>{} of it, from {}, ", text(1)?, number(2)?, number(3)?));
        put(page, format_args!("at least {}, at once {}; ", number(4)?, number(5)?));
        put(page, format_args!("{} bids, the highest {}; ", number(6)?, number(7)?));
        put(page, format_args!("{} to {}", number(8)?, number(9)?));
        self.seller(number(10)?, page)?;
        self.bids(id, page)?;
        Ok(true)
    }

    fn seller(&self, id: i64, page: &mut Vec<u8>) -> Result<()> {
        let mut statement = self.prepared(SELLER)?;
        let mut rows = statement.query([id])?;
        let Some(user) = rows.next()? else { return Ok(()) };
        let name = user.get_ref(0)?.as_str()?;
        let (rating, created) = (user.get::<_, i64>(1)?, user.get::<_, i64>(2)?);
        put(page, format_args!("<p>Seller: {name} ({rating}), since {created}<table>"));
        Ok(())
    }

    fn bids(&self, item: i64, page: &mut Vec<u8>) -> Result<()> {
        let mut statement = self.prepared(BIDS)?;
        let mut rows = statement.query([item])?;
        while let Some(row) = rows.next()? {
            let name = row.get_ref(3)?.as_str()?;
            let (bid, quantity, date) = (row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?);
            put(page, format_args!("<tr><td>{bid}<td>{quantity}<td>{date}<td>{name}"));
        }
        page.extend_from_slice(b"</table>\n");
        Ok(())
    }

    fn prepared(&self, sql: &str) -> Result<CachedStatement<'_>> {
        self.database.prepare_cached(sql)
    }
}

fn put(page: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    page.write_fmt(text).expect("memory takes everything");
}
