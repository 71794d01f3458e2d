//! A bounded cache shared by all workers: shards behind mutexes.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::hash::BuildHasher;
use core::time::Duration;
use std::hash::RandomState;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::bounded::Bounded;

const SHARDS: usize = 16;

/// Values by key, each with its time to live. Times are counted from any fixed instant.
pub(super) struct Cache {
    shards: Vec<Mutex<Bounded>>,
    hasher: RandomState,
}

impl Cache {
    /// A cache of about `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Self {
        let shard = || Mutex::new(Bounded::new(bytes / SHARDS));
        Self { shards: core::iter::repeat_with(shard).take(SHARDS).collect(), hasher: RandomState::new() }
    }

    pub(super) fn get(&self, key: &str, now: Duration) -> Option<Arc<[u8]>> {
        self.shard(key).get(key, now)
    }

    pub(super) fn put(&self, key: &str, value: Arc<[u8]>, expires: Duration) {
        self.shard(key).put(key, value, expires);
    }

    pub(super) fn remove(&self, key: &str) {
        self.shard(key).remove(key);
    }

    fn shard(&self, key: &str) -> MutexGuard<'_, Bounded> {
        let index = self.hasher.hash_one(key) as usize % SHARDS;
        // A shard is consistent between statements, so a panic elsewhere does not spoil it.
        self.shards[index].lock().unwrap_or_else(PoisonError::into_inner)
    }
}
