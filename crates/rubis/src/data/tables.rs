//! Tables as entities. New rows, and questions to one table alone, go by these; what joins tables or counts
//! up a column is SQL beside them.

use alloc::string::String;

use loadstone_store::{Entity, Id};
use loadstone_web::dates::Moment;

#[derive(Entity)]
#[entity(table = "categories")]
pub(super) struct Category {
    pub id: Id<Category>,
    pub name: String,
}

#[derive(Entity)]
#[entity(table = "regions")]
pub(super) struct Region {
    pub id: Id<Region>,
    pub name: String,
}

#[derive(Entity)]
#[entity(table = "bids")]
pub(super) struct Bid {
    pub id: Id<Bid>,
    pub user_id: i64,
    pub item_id: i64,
    pub qty: i64,
    pub bid: i64,
    pub max_bid: i64,
    pub date: Moment,
}

#[derive(Entity)]
#[entity(table = "buy_now")]
pub(super) struct Purchase {
    pub id: Id<Purchase>,
    pub buyer_id: i64,
    pub item_id: i64,
    pub qty: i64,
    pub date: Moment,
}

#[derive(Entity)]
#[entity(table = "comments")]
pub(super) struct Comment {
    pub id: Id<Comment>,
    pub from_user_id: i64,
    pub to_user_id: i64,
    pub item_id: i64,
    pub rating: i64,
    pub date: Moment,
    pub comment: String,
}

#[cfg(test)]
mod tests {
    use loadstone_store::{Db, Options, vfs};

    use super::*;

    #[test]
    fn entities_are_the_tables() {
        vfs::register("rubis-tables", vfs::MemoryVfs::new()).expect("a name that is free");
        let options = Options { vfs: Some("rubis-tables".into()), ..Options::memory() };
        let db = Db::open("tables.db", &options).expect("a database");
        crate::schema::create_tables(&db).expect("tables");
        let opened = [Category::open, Region::open, Bid::open, Purchase::open, Comment::open];
        for open in opened {
            open(&db).expect("the table of the entity");
        }
    }
}
