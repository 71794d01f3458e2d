//! A bounded cache shared by all workers: shards behind mutexes, second-chance eviction.

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::hash::BuildHasher;
use core::time::Duration;
use std::collections::HashMap;
use std::hash::RandomState;
use std::sync::{Mutex, MutexGuard, PoisonError};

const SHARDS: usize = 16;
/// What an entry costs besides its key and value: table slot, queue slot, reference counts.
const OVERHEAD: usize = 128;

/// Values by key, each with its time to live. Times are counted from any fixed instant.
pub(super) struct Cache {
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
}

impl Cache {
    /// A cache of about `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let shard = || Mutex::new(Shard { capacity: bytes / SHARDS, ..Shard::default() });
        Self { shards: core::iter::repeat_with(shard).take(SHARDS).collect(), hasher: RandomState::new() }
    }

    pub(super) fn get(&self, key: &str, now: Duration) -> Option<Arc<[u8]>> {
        let mut shard = self.shard(key);
        let entry = shard.entries.get_mut(key).filter(|entry| now < entry.expires)?;
        entry.touched = true;
        entry.value.clone()
    }

    pub(super) fn put(&self, key: &str, value: Arc<[u8]>, expires: Duration) {
        self.shard(key).set(key, Some(value), expires);
    }

    /// The key stays behind without a value, so that putting and removing it over and over does not grow
    /// the queue; eviction takes it like any other.
    pub(super) fn remove(&self, key: &str) {
        let mut shard = self.shard(key);
        if shard.entries.contains_key(key) {
            shard.set(key, None, Duration::ZERO);
        }
    }

    fn shard(&self, key: &str) -> MutexGuard<'_, Shard> {
        let index = self.hasher.hash_one(key) as usize % SHARDS;
        // A shard is consistent between statements, so a panic elsewhere does not spoil it.
        self.shards[index].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct Shard {
    entries: HashMap<Arc<str>, Entry>,
    /// Every key of `entries` once, the longest kept first.
    queue: VecDeque<Arc<str>>,
    bytes: usize,
    capacity: usize,
}

struct Entry {
    value: Option<Arc<[u8]>>,
    expires: Duration,
    /// Read since eviction last came by.
    touched: bool,
}

impl Shard {
    fn set(&mut self, key: &str, value: Option<Arc<[u8]>>, expires: Duration) {
        let entry = Entry { value, expires, touched: false };
        self.bytes += weight(key, &entry);
        if let Some(old) = self.entries.get_mut(key) {
            self.bytes -= weight(key, old);
            *old = entry;
        } else {
            let key: Arc<str> = String::from(key).into();
            self.queue.push_back(key.clone());
            self.entries.insert(key, entry);
        }
        self.shrink();
    }

    /// Evicts until the shard fits. Whatever was read since the last visit gets a second chance.
    fn shrink(&mut self) {
        while self.bytes > self.capacity
            && let Some(key) = self.queue.pop_front()
        {
            match self.entries.get_mut(&key) {
                Some(entry) if entry.touched => {
                    entry.touched = false;
                    self.queue.push_back(key);
                }
                Some(entry) => {
                    self.bytes -= weight(&key, entry);
                    self.entries.remove(&key);
                }
                None => {}
            }
        }
    }
}

fn weight(key: &str, entry: &Entry) -> usize {
    OVERHEAD + key.len() + entry.value.as_ref().map_or(0, |value| value.len())
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::sync::Arc;
    use core::time::Duration;

    use super::{Cache, OVERHEAD, SHARDS};

    const SOON: Duration = Duration::from_secs(10);

    fn value(length: usize) -> Arc<[u8]> {
        alloc::vec![7; length].into()
    }

    #[test]
    fn a_value_lives_until_its_time_or_its_removal() {
        let cache = Cache::new(1 << 20);
        cache.put("a", value(3), SOON);
        assert_eq!(cache.get("a", SOON - Duration::from_nanos(1)).as_deref(), Some(&[7_u8; 3][..]));
        assert_eq!(cache.get("a", SOON), None);
        cache.put("a", value(1), SOON);
        cache.remove("a");
        cache.remove("never there");
        assert_eq!(cache.get("a", Duration::ZERO), None);
    }

    #[test]
    fn the_cache_stays_within_its_bytes_and_keeps_what_is_read() {
        let cache = Cache::new(64 * 1024);
        cache.put("hot", value(100), SOON);
        for i in 0..10_000 {
            cache.put(&format!("cold {i}"), value(100), SOON);
            assert!(cache.get("hot", Duration::ZERO).is_some(), "after {i}");
            if i % 3 == 0 {
                cache.remove(&format!("cold {i}"));
            }
        }
        for shard in &cache.shards {
            let shard = shard.lock().unwrap();
            assert!(shard.bytes <= 64 * 1024 / SHARDS);
            assert_eq!(shard.queue.len(), shard.entries.len());
            assert!(shard.entries.len() * OVERHEAD <= shard.bytes && shard.entries.len() > 5);
        }
    }

    #[test]
    fn a_value_that_does_not_fit_is_not_kept() {
        let cache = Cache::new(16 * 1024);
        cache.put("big", value(2000), SOON);
        assert_eq!(cache.get("big", Duration::ZERO), None);
    }
}
