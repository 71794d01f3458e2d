//! The page of an auction's item: the item, its seller and its last 20 bids, three queries, about 2 KB.

use loadstone_store::{Access, Db, Journal, Options, Result, Value};
use loadstone_web::html::Html;

const ITEM: &str = "SELECT name, description, quantity, initial_price, reserve_price, buy_now, bids, max_bid, \
    start_date, end_date, seller FROM items WHERE id = ?1";
const SELLER: &str = "SELECT nickname, rating, created FROM users WHERE id = ?1";
const BIDS: &str = "SELECT bids.bid, bids.quantity, bids.date, users.nickname FROM bids \
    JOIN users ON users.id = bids.user WHERE bids.item = ?1 ORDER BY bids.id DESC LIMIT 20";

/// A connection to the database; one for each thread.
pub struct Items {
    database: Db,
}

impl Items {
    /// Opens the database, to read only.
    pub fn open(path: &str) -> Result<Self> {
        let options = Options {
            access: Access::ReadOnly,
            journal: Journal::Delete,
            mmap_bytes: 256 << 20,
            ..Options::default()
        };
        Ok(Self { database: Db::open(path, &options)? })
    }

    /// The page of item `id`, in the memory that `page` has; none when there is no such item.
    pub fn page(&self, id: i64, page: Vec<u8>) -> Result<Option<Vec<u8>>> {
        let mut page = Html::new(page);
        // One view of the database for all three queries.
        let found = self.database.query_row(ITEM, &[Value::Int(id)], |item| {
            page.markup("<!doctype html><title>");
            page.text(item.text(0)?);
            page.markup("</title><h1>");
            page.text(item.text(0)?);
            page.markup("</h1><p>");
            page.text(item.text(1)?);
            let numbers = [
                ("<p>", 2),
                (" of it, from ", 3),
                (", at least ", 4),
                (", at once ", 5),
                ("; ", 6),
                (" bids, the highest ", 7),
                ("; ", 8),
                (" to ", 9),
            ];
            for (words, column) in numbers {
                page.markup(words);
                page.integer(item.int(column)?);
            }
            self.seller(item.int(10)?, &mut page)?;
            self.bids(id, &mut page)
        })?;
        Ok(found.map(|()| page.into_bytes()))
    }

    fn seller(&self, id: i64, page: &mut Html) -> Result<()> {
        self.database.query(SELLER, &[Value::Int(id)], |user| {
            page.markup("<p>Seller: ");
            page.text(user.text(0)?);
            page.markup(" (");
            page.integer(user.int(1)?);
            page.markup("), since ");
            page.integer(user.int(2)?);
            page.markup("<table>");
            Ok(())
        })
    }

    fn bids(&self, item: i64, page: &mut Html) -> Result<()> {
        self.database.query(BIDS, &[Value::Int(item)], |bid| {
            for column in 0..3 {
                page.markup(if column == 0 { "<tr><td>" } else { "<td>" });
                page.integer(bid.int(column)?);
            }
            page.markup("<td>");
            page.text(bid.text(3)?);
            Ok(())
        })?;
        page.markup("</table>\n");
        Ok(())
    }
}
