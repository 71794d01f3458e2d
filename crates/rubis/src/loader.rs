//! The deterministic loader: a data set of any size from a seed.
//!
//! Every row is drawn from a stream of its own. Laws and sizes are those of `docs/reference/rubis.md`.

use alloc::format;

use loadstone_store::Db;
pub use loadstone_web::dataset::{LoadError, Progress};
use loadstone_web::dates::{Day, Moment};

use self::author::{English, Letters, Words};
use self::draws::Stream;
use crate::schema::{self, Meta};

mod author;
mod draws;
mod names;
#[cfg(feature = "std")]
mod places;
mod rows;

#[cfg(feature = "std")]
pub use places::{DATABASE, create, create_in_memory, create_on, create_shared};

/// How names and texts read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    /// Random letters; users are called user1, user2 and so on, as the workload expects.
    Letters,
    /// English, of the same lengths, for people to look at.
    Words,
}

impl Texts {
    /// `letters` or `words`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "letters" => Some(Self::Letters),
            "words" => Some(Self::Words),
            _ => None,
        }
    }
}

/// What to load.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadOptions {
    /// Size relative to the original's million users.
    pub scale: f64,
    /// Seed of every random choice.
    pub seed: u64,
    /// The day at whose noon the data set is made, in the site's own time.
    pub base_day: Day,
    /// How names and texts read.
    pub texts: Texts,
}

impl LoadOptions {
    /// The defaults at a scale: seed 1, today = 2008-10-22, texts of letters.
    pub fn new(scale: f64) -> Self {
        Self { scale, seed: 1, base_day: Day(14_174), texts: Texts::Letters }
    }

    /// What the data set will say about itself: its sizes.
    ///
    /// Everything is proportional to the scale, but there are never fewer than 5 categories and 6 regions to
    /// browse.
    ///
    /// # Errors
    /// [`LoadError::Invalid`] when the scale is not in 0.001..=10.
    pub fn meta(&self) -> Result<Meta, LoadError> {
        if !(0.001..=10.0).contains(&self.scale) {
            return Err(LoadError::Invalid(format!("scale {}: it must be in 0.001..=10", self.scale)));
        }
        let part = |of: f64| libm::round(of * self.scale) as i64;
        Ok(Meta {
            scale: self.scale,
            seed: self.seed,
            base: Moment { day: self.base_day, hour: 12, minute: 0 },
            users: part(1_000_000.0),
            old_items: part(500_000.0),
            items: part(32_667.0),
            categories: part(20.0).clamp(5, 20),
            regions: part(62.0).clamp(6, 62),
        })
    }
}

/// Rows that were loaded, by table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Categories.
    pub categories: u64,
    /// Regions.
    pub regions: u64,
    /// Users.
    pub users: u64,
    /// Auctions that run.
    pub items: u64,
    /// Auctions that have ended.
    pub old_items: u64,
    /// Bids on either.
    pub bids: u64,
    /// Comments on either.
    pub comments: u64,
}

impl Counts {
    /// Name and rows of every table.
    pub fn tables(&self) -> [(&'static str, u64); 7] {
        [
            ("categories", self.categories),
            ("regions", self.regions),
            ("users", self.users),
            ("items", self.items),
            ("old_items", self.old_items),
            ("bids", self.bids),
            ("comments", self.comments),
        ]
    }
}

/// Fills an empty database: tables, rows, indexes, and last the table `meta`, without which there is no data
/// set; all in one transaction, as far as [`Db::unchecked`] can.
///
/// # Errors
/// [`LoadError::Invalid`] for options out of range; else what the database reports.
pub fn load(db: &Db, options: &LoadOptions, progress: Progress<'_>) -> Result<Counts, LoadError> {
    let meta = options.meta()?;
    let counts = db.unchecked(|db| {
        schema::create_tables(db)?;
        let counts = match options.texts {
            Texts::Letters => {
                let words = Words::new(&mut draws::stream(&meta, Stream::Text, 0));
                rows::load(db, &meta, &Letters(words), &mut *progress)
            }
            Texts::Words => rows::load(db, &meta, &English, &mut *progress),
        }?;
        schema::settle(db)?;
        meta.write(db)?;
        Ok(counts)
    })?;
    Ok(counts)
}
