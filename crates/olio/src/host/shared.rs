//! A host whose uploads are rows of the database, for several servers on one.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError, RwLock};

use loadstone_store::{Db, Error, Options, Result as StoreResult, without_password};
use loadstone_web::system::System;

use super::cache::Cache;
use super::rows;
use super::{Host, HostError, StoredFile};
use crate::media::Name;
use crate::schema::Meta;

/// For so long a server believes that nothing was uploaded on another in place of what was loaded. What was
/// created after loading is always asked for.
const BELIEF: Duration = Duration::from_millis(200);
/// How long the bytes of an upload are kept in the cache; a changed one has another stamp and so another key.
const BYTES_TTL_S: u32 = 3600;

/// Uploads in the table `upload`. Their names and stamps are known here, so that asking for a picture that
/// nobody uploaded costs no statement: what has changed since is asked for together, by stamp.
pub struct SharedHost {
    database: String,
    options: Options,
    /// Connections that nobody uses at the moment.
    idle: Mutex<Vec<Db>>,
    index: RwLock<Index>,
    /// Accounts and events that were loaded.
    loaded: (u64, u64),
    cache: Cache,
    system: System,
}

#[derive(Default)]
struct Index {
    /// Of all names that were ever uploaded, also of those without bytes by now.
    stamps: HashMap<String, i64>,
    /// The highest stamp that was seen.
    last: i64,
    /// When the database was asked, in time since the start.
    asked: Duration,
}

impl SharedHost {
    /// Uploads of the data set in the database at a URL.
    ///
    /// # Errors
    /// When the database cannot be opened or is no complete data set, or there is no entropy.
    pub fn new(database: &str, options: Options, cache_bytes: usize) -> Result<Self, HostError> {
        let shown = without_password(database);
        let trouble = |error: Error| HostError::of_store(&shown, &error);
        let db = Db::open(database, &options).map_err(trouble)?;
        let meta = Meta::read(&db).map_err(trouble)?;
        let host = Self {
            database: database.into(),
            options,
            idle: Mutex::new(Vec::from([db])),
            index: RwLock::default(),
            loaded: (meta.accounts.unsigned_abs(), meta.events.unsigned_abs()),
            cache: Cache::new(cache_bytes),
            system: System::new().map_err(HostError::other)?,
        };
        host.look()?;
        Ok(host)
    }

    /// Lends a connection; there are as many as callers at once.
    fn with<T>(&self, work: impl FnOnce(&Db) -> StoreResult<T>) -> Result<T, HostError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let outcome = match idle {
            Some(db) => Ok(db),
            None => Db::open(&self.database, &self.options),
        };
        let outcome = outcome.and_then(|db| {
            let outcome = work(&db);
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(db);
            outcome
        });
        outcome.map_err(|error| HostError::of_store(&without_password(&self.database), &error))
    }

    /// Learns what was uploaded or taken away since the last look.
    fn look(&self) -> Result<(), HostError> {
        let now = self.system.uptime();
        let last = self.index.read().unwrap_or_else(PoisonError::into_inner).last;
        let news = self.with(|db| rows::news(db, last))?;
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        index.asked = index.asked.max(now);
        // Another look may have seen more in the meantime.
        let seen = index.last;
        for (name, stamp) in news.into_iter().filter(|(_, stamp)| *stamp > seen) {
            index.last = stamp;
            index.stamps.insert(name, stamp);
        }
        Ok(())
    }

    fn is_loaded(&self, name: &str) -> bool {
        Name::parse(name).is_some_and(|name| {
            name.id <= if name.class.is_of_person() { self.loaded.0 } else { self.loaded.1 }
        })
    }

    /// The stamp of an upload under `name`, if there is or was one.
    fn stamp(&self, name: &str) -> Result<Option<i64>, HostError> {
        let known = |index: &Index| index.stamps.get(name).copied();
        {
            let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
            let is_recent = self.system.uptime() < index.asked + BELIEF;
            if is_recent && self.is_loaded(name) {
                return Ok(known(&index));
            }
        }
        self.look()?;
        Ok(known(&self.index.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Host for SharedHost {
    fn now_s(&self) -> u64 {
        self.system.now_s()
    }

    fn entropy(&self, bytes: &mut [u8]) {
        self.system.entropy(bytes);
    }

    fn media_put(&self, name: &str, bytes: &[u8]) -> Result<(), HostError> {
        self.with(|db| db.transaction(|db| rows::put(db, name, bytes)))?;
        self.look()
    }

    fn media_get(&self, name: &str) -> Result<Option<StoredFile>, HostError> {
        let Some(stamp) = self.stamp(name)? else { return Ok(None) };
        let key = format!("upload:{name}:{stamp}");
        if let Some(bytes) = self.cache_get(&key) {
            return Ok(Some(StoredFile::whole(bytes, stamp.unsigned_abs())));
        }
        let found = self.with(|db| rows::bytes(db, name, stamp))?;
        let Some(bytes) = found else { return Ok(None) };
        self.cache_put(&key, Arc::clone(&bytes), BYTES_TTL_S);
        Ok(Some(StoredFile::whole(bytes, stamp.unsigned_abs())))
    }

    fn media_remove(&self, name: &str) -> Result<(), HostError> {
        let sql = "SELECT 1 FROM upload WHERE name = ?1 AND bytes IS NOT NULL";
        // Most have none, and need no transaction to find that out.
        if self.with(|db| db.query_row(sql, &[name.into()], |_| Ok(())))?.is_none() {
            return Ok(());
        }
        self.with(|db| db.transaction(|db| rows::remove(db, name)))?;
        self.look()
    }

    fn cache_get(&self, key: &str) -> Option<Arc<[u8]>> {
        self.cache.get(key, self.system.uptime())
    }

    fn cache_put(&self, key: &str, value: Arc<[u8]>, ttl_s: u32) {
        self.cache.put(key, value, self.system.uptime() + Duration::from_secs(ttl_s.into()));
    }

    fn cache_remove(&self, key: &str) {
        self.cache.remove(key);
    }
}
