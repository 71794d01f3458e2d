//! Pages that only read, from a copy of the database: when that may be, and the connection.
//!
//! A replica is read from while it is at most [`MOST_LAG_S`] behind, which is asked once a second. Who has
//! changed something gets a cookie, and reads from the primary until every replica in use must have the change.
//! Whatever a replica cannot answer is asked for again at the primary.

use alloc::string::String;

use loadstone_http::{Request, Response, SetCookie};
use loadstone_store::{Db, Options as StoreOptions};

use crate::cache::CacheLevel;
use crate::site::Options;

/// A replica that is further behind is not read from, in seconds.
const MOST_LAG_S: f64 = 5.0;
/// Between two looks at how far it is behind, in seconds.
const LOOK_S: u64 = 1;
/// One that is gone is not tried again for so long, in seconds: to find that out can take two.
const REST_S: u64 = 5;
/// For how long who has changed something reads from the primary, in seconds: longer than a replica in use is
/// behind, with a second until the next look and four in which it finds out that the primary is gone.
const WROTE_S: i64 = 15;
/// The same where lists made from a replica are kept, for up to 30 s more.
const WROTE_CACHED_S: i64 = 45;
/// The cookie of who has changed something.
const WROTE: &str = "wrote";

/// One worker's replica.
pub(crate) struct Replica {
    place: String,
    store: StoreOptions,
    db: Option<Db>,
    is_current: bool,
    /// When to look again, as the host's time in seconds.
    look_s: u64,
}

impl Replica {
    /// One at the URL of a database; connected to when it is first wanted.
    pub(crate) fn new(place: String, store: StoreOptions) -> Self {
        Self { place, store, db: None, is_current: false, look_s: 0 }
    }

    /// Its connection while it may be read from.
    pub(crate) fn current(&mut self, now_s: u64) -> Option<&mut Db> {
        if now_s >= self.look_s {
            if self.db.is_none() {
                self.db = Db::open(&self.place, &self.store).ok();
            }
            let lag = self.db.as_ref().map(Db::lag_s);
            let is_there = matches!(lag, Some(Ok(_)));
            self.is_current = matches!(lag, Some(Ok(Some(lag_s))) if lag_s <= MOST_LAG_S);
            self.look_s = now_s + if is_there { LOOK_S } else { REST_S };
        }
        if self.is_current { self.db.as_mut() } else { None }
    }

    /// Takes its connection back from the place of the database's, which gets its own.
    pub(crate) fn give_back(&mut self, place: &mut Db) {
        if let Some(db) = &mut self.db {
            core::mem::swap(place, db);
        }
    }

    /// It could not answer: it is looked at before it is asked again.
    pub(crate) fn doubt(&mut self) {
        self.look_s = 0;
    }
}

/// Whether the sender has changed something so lately that replicas need not know it.
pub(crate) fn has_written(request: &Request<'_>) -> bool {
    request.cookie(WROTE).is_some()
}

/// Marks the sender as somebody who has.
pub(crate) fn mark(options: &Options, response: &mut Response) {
    let age = if options.cache == CacheLevel::None { WROTE_S } else { WROTE_CACHED_S };
    let cookie = options.origin.cookie(WROTE, "1");
    response.set_cookie(&SetCookie { max_age_s: Some(age), ..cookie });
}
