//! A host without an operating system: uploads are rows of the site's own database, and one thread serves.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use core::time::Duration;

use loadstone_store::{Db, Error, Options, Result as StoreResult};
use spin::Mutex;

use super::bounded::Bounded;
use super::rows;
use super::{Host, HostError, StoredFile};

/// How long the bytes of an upload are kept in the cache; a changed one has another stamp and so another key.
const BYTES_TTL_S: u32 = 3600;

/// Clock, entropy and console of a machine.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings {
    /// Wall-clock time in seconds since 1970.
    pub now_s: fn() -> u64,
    /// Monotonic time since any instant.
    pub uptime: fn() -> Duration,
    /// Fills a slice with unpredictable bytes.
    pub entropy: fn(&mut [u8]),
    /// Tells the operator about what went wrong.
    pub report: fn(&str),
}

/// Uploads in the table `upload` of a database that nobody else writes to: which there are is known here, so
/// that asking for a picture that nobody uploaded costs no statement.
///
/// It has a connection of its own. The site keeps no transaction open while it stores or fetches an upload,
/// so that the two never wait for each other.
pub struct TableHost {
    place: String,
    surroundings: Surroundings,
    // Never contended: one thread serves.
    uploads: Mutex<Uploads>,
    cache: Mutex<Bounded>,
}

struct Uploads {
    db: Db,
    stamps: BTreeMap<String, i64>,
}

impl TableHost {
    /// Opens the uploads of the data set in a database, for which `cache_bytes` are kept in memory, together
    /// with what the site keeps.
    ///
    /// # Errors
    /// When the database cannot be opened.
    pub fn new(
        place: &str,
        options: &Options,
        cache_bytes: usize,
        surroundings: Surroundings,
    ) -> Result<Self, HostError> {
        let open = || {
            let db = Db::open(place, options)?;
            db.exec_batch(include_str!("../schema/upload.sql"))?;
            let news = rows::news(&db, 0)?.into_iter().filter(|news| news.is_there);
            let stamps = news.map(|news| (news.name, news.stamp)).collect();
            Ok(Uploads { db, stamps })
        };
        Ok(Self {
            place: place.into(),
            surroundings,
            uploads: Mutex::new(open().map_err(|error| trouble(place, &error))?),
            cache: Mutex::new(Bounded::new(cache_bytes)),
        })
    }

    /// Forgets what is kept in memory and can be had again.
    pub fn drop_caches(&self) {
        self.cache.lock().clear();
    }

    fn with<T>(&self, work: impl FnOnce(&mut Uploads) -> StoreResult<T>) -> Result<T, HostError> {
        work(&mut self.uploads.lock()).map_err(|error| trouble(&self.place, &error))
    }
}

fn trouble(place: &str, error: &Error) -> HostError {
    HostError(format!("{place}: {error}"))
}

impl Host for TableHost {
    fn now_s(&self) -> u64 {
        (self.surroundings.now_s)()
    }

    fn entropy(&self, bytes: &mut [u8]) {
        (self.surroundings.entropy)(bytes);
    }

    fn media_put(&self, name: &str, bytes: &[u8]) -> Result<(), HostError> {
        self.with(|uploads| {
            let stamp = rows::put(&uploads.db, name, bytes)?;
            uploads.stamps.insert(name.into(), stamp);
            Ok(())
        })
    }

    fn media_get(&self, name: &str) -> Result<Option<StoredFile>, HostError> {
        let known = self.uploads.lock().stamps.get(name).copied();
        let Some(stamp) = known else { return Ok(None) };
        let key = format!("upload:{name}:{stamp}");
        if let Some(bytes) = self.cache_get(&key) {
            return Ok(Some(StoredFile { bytes, stamp: stamp.unsigned_abs() }));
        }
        let found = self.with(|uploads| rows::bytes(&uploads.db, name, stamp))?;
        let Some(bytes) = found else { return Ok(None) };
        self.cache_put(&key, Arc::clone(&bytes), BYTES_TTL_S);
        Ok(Some(StoredFile { bytes, stamp: stamp.unsigned_abs() }))
    }

    fn media_remove(&self, name: &str) -> Result<(), HostError> {
        self.with(|uploads| {
            // Most have none, and need no transaction to find that out.
            if uploads.stamps.contains_key(name) {
                rows::remove(&uploads.db, name)?;
                uploads.stamps.remove(name);
            }
            Ok(())
        })
    }

    fn cache_get(&self, key: &str) -> Option<Arc<[u8]>> {
        self.cache.lock().get(key, (self.surroundings.uptime)())
    }

    fn cache_put(&self, key: &str, value: Arc<[u8]>, ttl_s: u32) {
        let expires = (self.surroundings.uptime)() + Duration::from_secs(ttl_s.into());
        self.cache.lock().put(key, value, expires);
    }

    fn cache_remove(&self, key: &str) {
        self.cache.lock().remove(key);
    }

    fn report(&self, sentence: &str) {
        (self.surroundings.report)(sentence);
    }
}

#[cfg(test)]
mod tests {
    use loadstone_store::vfs::{MemoryVfs, register};

    use super::*;

    const SURROUNDINGS: Surroundings = Surroundings {
        now_s: || 1_224_676_800,
        uptime: || Duration::ZERO,
        entropy: |bytes| bytes.fill(7),
        report: |sentence| panic!("{sentence}"),
    };

    #[test]
    fn uploads_outlive_the_host_and_stamps_never_come_back() {
        register("table-host", MemoryVfs::new()).unwrap();
        let options = Options { vfs: Some("table-host".into()), ..Options::memory() };
        let open = || TableHost::new("olio.db", &options, 64 * 1024, SURROUNDINGS).unwrap();
        let host = open();
        assert_eq!(host.media_get("e7.jpg").unwrap(), None);
        host.media_put("e7.jpg", b"first").unwrap();
        let first = host.media_get("e7.jpg").unwrap().unwrap();
        assert_eq!(&*first.bytes, b"first");
        host.media_remove("e7.jpg").unwrap();
        host.media_remove("e8.jpg").unwrap();
        assert_eq!(open().media_get("e7.jpg").unwrap(), None);
        open().media_put("e7.jpg", &[1; 100_000]).unwrap();
        let host = open();
        let second = host.media_get("e7.jpg").unwrap().unwrap();
        assert_eq!(
            (second.bytes.len(), host.media_get("e7.jpg").unwrap().as_ref()),
            (100_000, Some(&second))
        );
        assert!(second.stamp > first.stamp);
    }

    #[test]
    fn what_is_kept_can_be_dropped() {
        register("table-host-kept", MemoryVfs::new()).unwrap();
        let options = Options { vfs: Some("table-host-kept".into()), ..Options::memory() };
        let host = TableHost::new("olio.db", &options, 64 * 1024, SURROUNDINGS).unwrap();
        host.cache_put("page", Arc::from(&b"kept"[..]), 5);
        assert_eq!(host.cache_get("page").as_deref(), Some(&b"kept"[..]));
        host.drop_caches();
        assert_eq!(host.cache_get("page"), None);
    }
}
