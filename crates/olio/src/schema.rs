//! The database's layout and what a data set says about itself.

use alloc::string::{String, ToString};

use loadstone_store::{Db, Dialect, Error, Result};
use loadstone_web::dataset::{number, put, text};

use loadstone_web::dates::Day;

/// Version of tables and contents; a data set of another version is refused.
pub const FORMAT: i64 = 1;

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

/// Creates the indexes besides keys.
///
/// # Errors
/// As [`create_tables`].
pub fn create_indexes(db: &Db) -> Result<()> {
    db.exec_batch(include_str!("schema/indexes.sql"))
}

/// What servers need when all rows are in: references, the next ids, statistics for the planner.
///
/// # Errors
/// As the database reports.
pub fn settle(db: &Db) -> Result<()> {
    match db.dialect() {
        Dialect::Sqlite => Ok(()),
        Dialect::Postgres => db.exec_batch(include_str!("schema/postgres_keys.sql")),
        Dialect::MariaDb => db.exec_batch(
            "ANALYZE TABLE meta, address, user, event, tag, event_tag, attendance, comment, friendship",
        ),
    }
}

/// Removes the tables of a data set on a server, and no others.
pub const DROP: &str = include_str!("schema/drop.sql");

/// What a data set says about itself: the table `meta`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    /// The name of a [`crate::loader::Profile`].
    pub profile: String,
    /// Accounts that were loaded; ids 1..=accounts.
    pub accounts: i64,
    /// Events that were loaded; ids 1..=events.
    pub events: i64,
    /// Tags that were loaded; ids 1..=tags.
    pub tags: i64,
    /// The data set's "today".
    pub base_day: Day,
    /// Seed of every random choice.
    pub seed: u64,
    /// Sizes of pictures and documents relative to Olio's, in millionths.
    pub media_scale_ppm: u32,
}

impl Meta {
    /// Reads it.
    ///
    /// # Errors
    /// When the database is no complete data set of this version.
    pub fn read(db: &Db) -> Result<Self> {
        let format = number::<i64>(db, "format")?;
        if format != FORMAT {
            return Err(Error::other(alloc::format!(
                "the data set has format {format}, this program reads {FORMAT}"
            )));
        }
        Ok(Self {
            profile: text(db, "profile")?,
            accounts: number(db, "accounts")?,
            events: number(db, "events")?,
            tags: number(db, "tags")?,
            base_day: Day(number(db, "base_day")?),
            seed: number(db, "seed")?,
            media_scale_ppm: number(db, "media_scale_ppm")?,
        })
    }

    /// Writes it; the loader's last step, which makes the data set complete.
    ///
    /// # Errors
    /// As the database reports.
    pub fn write(&self, db: &Db) -> Result<()> {
        put(db, "format", &FORMAT.to_string())?;
        put(db, "profile", &self.profile)?;
        put(db, "accounts", &self.accounts.to_string())?;
        put(db, "events", &self.events.to_string())?;
        put(db, "tags", &self.tags.to_string())?;
        put(db, "base_day", &self.base_day.0.to_string())?;
        put(db, "seed", &self.seed.to_string())?;
        put(db, "media_scale_ppm", &self.media_scale_ppm.to_string())
    }
}
