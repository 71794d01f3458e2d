//! The deterministic loader: a data set of any size from a seed, the same in every language.
//!
//! Every row is drawn from a stream of its own, so that a loader may make rows in any order or in parallel.
//! Streams, draws and their order are written down in `docs/reference/olio-data.md`.

use alloc::string::ToString;

use loadstone_stats::Era;
use loadstone_store::Db;
pub use loadstone_web::dataset::{LoadError, Progress};
use loadstone_web::dates::Day;
use loadstone_web::password::Scheme;

use crate::schema::{self, Meta};

mod author;
mod english;
mod events;
mod people;
#[cfg(feature = "std")]
mod places;
mod profile;
mod sink;
mod text;

#[cfg(feature = "std")]
pub use places::{DATABASE, UPLOADS, create, create_in_memory, create_on, create_shared, make_uploads_on};
pub use profile::Profile;

/// Fewest accounts: the largest attendance list has a hundred different users.
pub const MIN_ACCOUNTS: u64 = 100;

/// What to load.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadOptions {
    /// Accounts U; ids 1..=U.
    pub accounts: u64,
    /// Which description of Olio is followed.
    pub profile: Profile,
    /// Seed of every random choice.
    pub seed: u64,
    /// The data set's "today".
    pub base_day: Day,
    /// Sizes of pictures and documents relative to Olio's.
    pub media_scale: f64,
    /// How passwords are stored. A slow scheme is slow for every account.
    pub password: Scheme,
    /// Which kind of user names and tags there are.
    pub names: Era,
    /// Leave out every index that is not a key.
    pub minimal_indexes: bool,
}

impl LoadOptions {
    /// The defaults for `accounts` accounts: seed 1, today = 2008-10-22, full-size media, all indexes.
    pub fn new(accounts: u64, profile: Profile) -> Self {
        Self {
            accounts,
            profile,
            seed: 1,
            base_day: Day(14_174),
            media_scale: 1.0,
            password: Scheme::Sha256,
            names: Era::Release,
            minimal_indexes: false,
        }
    }

    /// Tags T = round(5000 tanh(U / 20000)): saturates at 5,000.
    pub fn tags(&self) -> u64 {
        libm::round(5000.0 * libm::tanh(self.accounts as f64 / 20_000.0)) as u64
    }

    /// Events E = 3 T.
    pub fn events(&self) -> u64 {
        3 * self.tags()
    }

    fn check(&self) -> Result<(), LoadError> {
        if !(MIN_ACCOUNTS..=1 << 32).contains(&self.accounts) {
            let message = alloc::format!("{} accounts: at least {MIN_ACCOUNTS} are needed", self.accounts);
            return Err(LoadError::Invalid(message));
        }
        if !(1e-6..=100.0).contains(&self.media_scale) {
            return Err(LoadError::Invalid("the media scale must be in 0.000001..=100".into()));
        }
        Ok(())
    }
}

/// Rows that were loaded, by table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Addresses.
    pub address: u64,
    /// Users.
    pub user: u64,
    /// Tags.
    pub tag: u64,
    /// Events.
    pub event: u64,
    /// Tags on events.
    pub event_tag: u64,
    /// Users on events.
    pub attendance: u64,
    /// Comments.
    pub comment: u64,
    /// Friendships and requests.
    pub friendship: u64,
}

impl Counts {
    /// Name and rows of every table.
    pub fn tables(&self) -> [(&'static str, u64); 8] {
        [
            ("address", self.address),
            ("user", self.user),
            ("tag", self.tag),
            ("event", self.event),
            ("event_tag", self.event_tag),
            ("attendance", self.attendance),
            ("comment", self.comment),
            ("friendship", self.friendship),
        ]
    }

    /// Rows of all tables.
    pub fn total(&self) -> u64 {
        self.tables().iter().map(|(_, rows)| rows).sum()
    }
}

/// Fills an empty database: tables, rows, indexes, and last the table `meta`, without which there is no data
/// set; all in one transaction, as far as [`Db::unchecked`] can.
///
/// # Errors
/// [`LoadError::Invalid`] for options out of range; else what the database reports.
// An image calls it once, and its program, which is less small, would take it in.
#[inline(never)]
pub fn load(db: &Db, options: &LoadOptions, progress: Progress<'_>) -> Result<Counts, LoadError> {
    options.check()?;
    let counts = db.unchecked(|db| {
        schema::create_tables(db)?;
        let mut sink = sink::Sink::new(db, options, &mut *progress);
        people::load(&mut sink)?;
        events::load(&mut sink)?;
        let counts = sink.finish()?;
        if !options.minimal_indexes {
            schema::create_indexes(db)?;
        }
        schema::settle(db)?;
        meta(options).write(db)?;
        Ok(counts)
    })?;
    Ok(counts)
}

fn meta(options: &LoadOptions) -> Meta {
    Meta {
        profile: options.profile.name().to_string(),
        accounts: options.accounts as i64,
        events: options.events() as i64,
        tags: options.tags() as i64,
        base_day: options.base_day,
        seed: options.seed,
        media_scale_ppm: libm::round(options.media_scale * 1e6) as u32,
    }
}
