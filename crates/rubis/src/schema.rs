//! The database's layout and what a data set says about itself.

use alloc::string::ToString;

use loadstone_store::{Db, Dialect, Error, Result};
use loadstone_web::dataset::{number, put};
use loadstone_web::dates::Moment;

/// Version of tables and contents; a data set of another version is refused.
pub const FORMAT: i64 = 1;

/// Removes the tables of a data set on a server, and no others.
pub const DROP: &str = include_str!("schema/drop.sql");

/// Creates the tables, without indexes other than keys.
///
/// # Errors
/// When the database refuses, for one because it holds tables already.
pub fn create_tables(db: &Db) -> Result<()> {
    db.exec_batch(match db.dialect() {
        Dialect::Sqlite => include_str!("schema/tables.sql"),
        Dialect::Postgres => include_str!("schema/postgres.sql"),
        Dialect::MariaDb => include_str!("schema/mariadb.sql"),
    })
}

/// What follows when all rows are in: indexes, on servers references, the next ids and statistics for the
/// planner.
///
/// # Errors
/// As [`create_tables`].
pub fn settle(db: &Db) -> Result<()> {
    db.exec_batch(include_str!("schema/indexes.sql"))?;
    match db.dialect() {
        Dialect::Sqlite => Ok(()),
        Dialect::Postgres => db.exec_batch(include_str!("schema/postgres_keys.sql")),
        Dialect::MariaDb => db.exec_batch(
            "ANALYZE TABLE meta, categories, regions, users, items, old_items, bids, comments, buy_now",
        ),
    }
}

/// What a data set says about itself: the table `meta`.
#[derive(Debug, Clone, PartialEq)]
pub struct Meta {
    /// Size relative to the original's.
    pub scale: f64,
    /// Seed of every random choice.
    pub seed: u64,
    /// When the data set was made, in the site's own time.
    pub base: Moment,
    /// Users that were loaded; ids 1..=users.
    pub users: i64,
    /// Old items that were loaded; ids 1..=old_items.
    pub old_items: i64,
    /// Active items that were loaded; ids follow those of the old ones.
    pub items: i64,
    /// Categories; ids 1..=categories.
    pub categories: i64,
    /// Regions; ids 1..=regions.
    pub regions: i64,
}

impl Meta {
    /// Reads it.
    ///
    /// # Errors
    /// When the database is no complete data set of this version.
    pub fn read(db: &Db) -> Result<Self> {
        let format = number::<i64>(db, "format")?;
        if format != FORMAT {
            let message = alloc::format!("the data set has format {format}, this program reads {FORMAT}");
            return Err(Error::other(message));
        }
        Ok(Self {
            scale: number(db, "scale")?,
            seed: number(db, "seed")?,
            base: Moment::from_minutes(number(db, "base_minute")?),
            users: number(db, "users")?,
            old_items: number(db, "old_items")?,
            items: number(db, "items")?,
            categories: number(db, "categories")?,
            regions: number(db, "regions")?,
        })
    }

    /// Writes it; the loader's last step, which makes the data set complete.
    ///
    /// # Errors
    /// As the database reports.
    pub fn write(&self, db: &Db) -> Result<()> {
        put(db, "site", "rubis")?;
        put(db, "format", &FORMAT.to_string())?;
        put(db, "scale", &self.scale.to_string())?;
        put(db, "seed", &self.seed.to_string())?;
        put(db, "base_minute", &self.base.minutes().to_string())?;
        put(db, "users", &self.users.to_string())?;
        put(db, "old_items", &self.old_items.to_string())?;
        put(db, "items", &self.items.to_string())?;
        put(db, "categories", &self.categories.to_string())?;
        put(db, "regions", &self.regions.to_string())
    }
}
