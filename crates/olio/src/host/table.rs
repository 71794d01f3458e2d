//! A host without an operating system: uploads are rows of the site's own database, and one thread serves.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use loadstone_store::{Db, Options, Result as StoreResult};
use spin::Mutex;

use super::bounded::Bounded;
use super::rows;
use super::{Host, HostError, Rest, StoredFile};

/// Most of a part of an upload: a few pages of the database, and about what a connection's buffer takes.
const PART: usize = 16 * 1024;

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
    uploads: Arc<Mutex<Uploads>>,
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
    // An image calls it once, and its program, which is less small, would take it in.
    #[inline(never)]
    pub fn new(
        place: &str,
        options: &Options,
        cache_bytes: usize,
        surroundings: Surroundings,
    ) -> Result<Self, HostError> {
        let open = || {
            let db = Db::open(place, options)?;
            db.exec_batch(include_str!("../schema/upload.sql"))?;
            let stamps = rows::present(&db)?.into_iter().collect();
            Ok(Uploads { db, stamps })
        };
        Ok(Self {
            place: place.into(),
            surroundings,
            uploads: Arc::new(Mutex::new(open().map_err(|error| HostError::of_store(place, &error))?)),
            cache: Mutex::new(Bounded::new(cache_bytes)),
        })
    }

    /// Forgets what is kept in memory and can be had again.
    pub fn drop_caches(&self) {
        self.cache.lock().clear();
    }

    fn with<T>(&self, work: impl FnOnce(&mut Uploads) -> StoreResult<T>) -> Result<T, HostError> {
        work(&mut self.uploads.lock()).map_err(|error| HostError::of_store(&self.place, &error))
    }
}

/// Takes away what follows the first part of an upload.
fn drop_parts(db: &Db, stamp: Option<i64>) -> StoreResult<()> {
    let Some(stamp) = stamp else { return Ok(()) };
    db.execute("DELETE FROM upload_part WHERE stamp = ?1", &[stamp.into()]).map(drop)
}

/// Bytes that follow the first part of an upload.
fn rest_bytes(db: &Db, stamp: i64) -> StoreResult<u64> {
    let sql = "SELECT coalesce(sum(length(bytes)), 0) FROM upload_part WHERE stamp = ?1";
    let bytes = db.query_row(sql, &[stamp.into()], |row| row.int(0))?;
    Ok(bytes.unwrap_or(0).unsigned_abs())
}

/// One of the parts that follow the first.
fn part(db: &Db, stamp: i64, number: u32) -> StoreResult<Option<Vec<u8>>> {
    let sql = "SELECT bytes FROM upload_part WHERE stamp = ?1 AND number = ?2";
    db.query_row(sql, &[stamp.into(), i64::from(number).into()], |row| row.blob(0).map(Vec::from))
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
            let old = uploads.stamps.get(name).copied();
            let stamp = uploads.db.transaction(|db| {
                drop_parts(db, old)?;
                let (first, rest) = bytes.split_at(bytes.len().min(PART));
                let stamp = rows::put(db, name, first)?;
                for (number, part) in rest.chunks(PART).enumerate() {
                    let sql = "INSERT INTO upload_part(stamp, number, bytes) VALUES (?1, ?2, ?3)";
                    db.execute(sql, &[stamp.into(), (number as i64).into(), part.into()])?;
                }
                Ok(stamp)
            })?;
            uploads.stamps.insert(name.into(), stamp);
            Ok(())
        })
    }

    fn media_get(&self, name: &str) -> Result<Option<StoredFile>, HostError> {
        let known = self.uploads.lock().stamps.get(name).copied();
        let Some(stamp) = known else { return Ok(None) };
        let key = format!("upload:{name}:{stamp}");
        if let Some(bytes) = self.cache_get(&key) {
            return Ok(Some(StoredFile::whole(bytes, stamp.unsigned_abs())));
        }
        let found = self.with(|uploads| rows::bytes(&uploads.db, name, stamp))?;
        let Some(bytes) = found else { return Ok(None) };
        let file = StoredFile::whole(bytes, stamp.unsigned_abs());
        let rest = self.with(|uploads| rest_bytes(&uploads.db, stamp))?;
        if rest == 0 {
            self.cache_put(&key, Arc::clone(&file.bytes), BYTES_TTL_S);
            return Ok(Some(file));
        }
        let (uploads, place) = (Arc::clone(&self.uploads), self.place.clone());
        let read = move |number| {
            part(&uploads.lock().db, stamp, number)
                .map_err(|error| HostError::of_store(&place, &error).sentence)
        };
        Ok(Some(StoredFile { rest: Some(Rest::new(rest, read)), ..file }))
    }

    fn media_remove(&self, name: &str) -> Result<(), HostError> {
        self.with(|uploads| {
            // Most have none, and need no transaction to find that out.
            if let Some(stamp) = uploads.stamps.get(name).copied() {
                uploads.db.transaction(|db| {
                    drop_parts(db, Some(stamp))?;
                    rows::remove(db, name)
                })?;
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
    use loadstone_http::{Body, Produce};
    use loadstone_store::vfs::{MemoryVfs, register};

    use super::super::body;
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
        let second = open().media_get("e7.jpg").unwrap().unwrap();
        assert!(second.stamp > first.stamp);
    }

    /// All of a file, and its largest part.
    fn read(file: StoredFile) -> (Vec<u8>, usize) {
        let Body::Stream(mut stream) = body(file.bytes, file.rest) else { panic!("it is in parts") };
        let (mut all, mut largest, mut more) = (Vec::new(), 0, true);
        while more {
            let mut part = Vec::new();
            more = stream.produce(&mut part).unwrap();
            largest = largest.max(part.len());
            all.append(&mut part);
        }
        assert_eq!(stream.bytes(), Some(all.len() as u64));
        (all, largest)
    }

    #[test]
    fn a_large_upload_is_never_in_memory_as_a_whole() {
        register("table-host-parts", MemoryVfs::new()).unwrap();
        let options = Options { vfs: Some("table-host-parts".into()), ..Options::memory() };
        let host = TableHost::new("olio.db", &options, 64 * 1024, SURROUNDINGS).unwrap();
        let large: Vec<u8> = (0..1_000_000_u32).map(|at| (at / 7) as u8).collect();
        host.media_put("e7.jpg", &large).unwrap();
        let got = || host.media_get("e7.jpg").unwrap().unwrap();
        assert_eq!(read(got()), (large.clone(), PART));
        host.media_put("e7.jpg", &large[..PART + 1]).unwrap();
        assert_eq!(read(got()), (large[..PART + 1].to_vec(), PART));
        let Body::Stream(mut stream) = body(got().bytes, got().rest) else { panic!("it is in parts") };
        assert_eq!(stream.produce(&mut Vec::new()), Ok(true));
        host.media_put("e7.jpg", &large[..PART]).unwrap();
        assert!(stream.produce(&mut Vec::new()).is_err(), "nobody gets half of one and half of another");
        assert_eq!((got().bytes.len(), got().rest), (PART, None));
        host.media_put("e7.jpg", &large).unwrap();
        host.media_remove("e7.jpg").unwrap();
        let left = host.with(|uploads| rest_bytes(&uploads.db, 4));
        assert_eq!(left, Ok(0));
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
