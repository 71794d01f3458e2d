//! The threads whose clients are idle, the longest first.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::waker::Waker;

/// Threads that wait for their clients' next requests, by when the wait began and their index.
#[derive(Debug, Default)]
pub(super) struct Idlers {
    waits: Mutex<BTreeMap<(Instant, usize), Arc<Waker>>>,
}

impl Idlers {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<(Instant, usize), Arc<Waker>>> {
        // Nothing that can panic runs under the lock.
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread begins to wait.
    pub fn enter(&self, since: Instant, thread: usize, waker: &Arc<Waker>) {
        self.lock().insert((since, thread), waker.clone());
    }

    /// Whether it has not been told to give its client up.
    pub fn contains(&self, since: Instant, thread: usize) -> bool {
        self.lock().contains_key(&(since, thread))
    }

    /// It waits no more; whether it had not been told to give its client up.
    pub fn leave(&self, since: Instant, thread: usize) -> bool {
        self.lock().remove(&(since, thread)).is_some()
    }

    /// Tells the threads whose clients have been idle the longest, and for `grace` at least, to give them up:
    /// `most` of them. Returns how long it takes until the next could be.
    pub fn evict(&self, most: usize, now: Instant, grace: Duration) -> Option<Duration> {
        let mut waits = self.lock();
        for _ in 0..most {
            let left = (waits.first_key_value()?.0.0 + grace).saturating_duration_since(now);
            if !left.is_zero() {
                return Some(left);
            }
            waits.pop_first()?.1.wake();
        }
        None
    }

    /// Wakes every waiting thread, to see what has changed.
    pub fn wake_all(&self) {
        self.lock().values().for_each(|waker| waker.wake());
    }
}
