//! Tables as entities, for new rows and questions to one table alone. Most of Olio's questions join tables,
//! and half of its tables have no key of one column: these are SQL beside them.

use alloc::string::String;

use loadstone_store::{Entity, Id};
use loadstone_web::dates::Moment;

#[derive(Entity)]
#[entity(table = "comment")]
pub(super) struct Comment {
    pub id: Id<Comment>,
    pub event_id: i64,
    pub user_id: i64,
    pub comment: String,
    pub rating: i64,
    pub created_at: Moment,
    pub updated_at: Moment,
}

#[cfg(test)]
mod tests {
    use loadstone_store::{Db, Options, vfs};

    use super::*;

    #[test]
    fn entities_are_the_tables() {
        vfs::register("olio-tables", vfs::MemoryVfs::new()).expect("a name that is free");
        let options = Options { vfs: Some("olio-tables".into()), ..Options::memory() };
        let db = Db::open("tables.db", &options).expect("a database");
        crate::schema::create_tables(&db).expect("tables");
        Comment::open(&db).expect("the table of the entity");
    }
}
