//! A host that keeps uploads in memory: for data sets that live only as long as the process.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use core::time::Duration;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use loadstone_store::Kind;
use loadstone_web::system::System;

use super::cache::Cache;
use super::{Host, HostError, StoredFile};

/// Uploads in memory, up to a limit.
pub struct MemoryHost {
    uploads: RwLock<Uploads>,
    limit: usize,
    cache: Cache,
    system: System,
}

#[derive(Default)]
struct Uploads {
    files: HashMap<String, StoredFile>,
    bytes: usize,
    /// The last stamp given out. Begins anywhere: ids begin again with the process, and a browser may still
    /// hold what the one before it called by the same name.
    stamp: u64,
}

impl MemoryHost {
    /// Room for `upload_bytes` of uploads.
    ///
    /// # Errors
    /// When the operating system has no entropy.
    pub fn new(upload_bytes: usize, cache_bytes: usize) -> Result<Self, HostError> {
        let system = System::new().map_err(HostError::other)?;
        let mut start = [0; 8];
        system.entropy(&mut start);
        let uploads = Uploads { stamp: u64::from_le_bytes(start), ..Uploads::default() };
        let cache = Cache::new(cache_bytes);
        Ok(Self { uploads: RwLock::new(uploads), limit: upload_bytes, cache, system })
    }
}

impl Host for MemoryHost {
    fn now_s(&self) -> u64 {
        self.system.now_s()
    }

    fn entropy(&self, bytes: &mut [u8]) {
        self.system.entropy(bytes);
    }

    fn media_put(&self, name: &str, bytes: &[u8]) -> Result<(), HostError> {
        let mut uploads = self.uploads.write().unwrap_or_else(PoisonError::into_inner);
        let old = uploads.files.get(name).map_or(0, |file| file.bytes.len());
        let total = uploads.bytes - old + bytes.len();
        if total > self.limit {
            let sentence = format!("no room for {name}: uploads may take {} bytes", self.limit);
            return Err(HostError { kind: Kind::Full, sentence });
        }
        uploads.bytes = total;
        uploads.stamp = uploads.stamp.wrapping_add(1);
        let file = StoredFile::whole(bytes, uploads.stamp);
        uploads.files.insert(name.into(), file);
        Ok(())
    }

    fn media_get(&self, name: &str) -> Result<Option<StoredFile>, HostError> {
        Ok(self.uploads.read().unwrap_or_else(PoisonError::into_inner).files.get(name).cloned())
    }

    fn media_remove(&self, name: &str) -> Result<(), HostError> {
        let mut uploads = self.uploads.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = uploads.files.remove(name) {
            uploads.bytes -= file.bytes.len();
        }
        Ok(())
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
