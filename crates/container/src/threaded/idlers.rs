//! The threads whose clients keep them waiting, the longest first.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::waker::Waker;

/// Threads in a wait, by when it began and their index.
#[derive(Debug, Default)]
pub(super) struct Idlers {
    waits: Mutex<BTreeMap<(Instant, usize), Wait>>,
}

#[derive(Debug)]
struct Wait {
    waker: Arc<Waker>,
    /// Whether the client had its first answer and has asked for nothing since.
    idle: bool,
}

impl Idlers {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<(Instant, usize), Wait>> {
        // Nothing that can panic runs under the lock.
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread begins to wait.
    pub fn enter(&self, since: Instant, thread: usize, waker: &Arc<Waker>, idle: bool) {
        self.lock().insert((since, thread), Wait { waker: waker.clone(), idle });
    }

    /// Whether it has not been told to give its client up.
    pub fn contains(&self, since: Instant, thread: usize) -> bool {
        self.lock().contains_key(&(since, thread))
    }

    /// It waits no more.
    pub fn leave(&self, since: Instant, thread: usize) {
        self.lock().remove(&(since, thread));
    }

    /// Tells the threads whose clients have been idle the longest, and for `grace` at least, to give them up: `most` of
    /// them. Returns how many, and how long it takes until the next could be.
    pub fn evict(&self, most: usize, now: Instant, grace: Duration) -> (usize, Option<Duration>) {
        let mut waits = self.lock();
        let mut evicted = 0;
        loop {
            let Some((&key, _)) = waits.iter().find(|(_, wait)| wait.idle) else { return (evicted, None) };
            let left = (key.0 + grace).saturating_duration_since(now);
            if evicted == most || !left.is_zero() {
                return (evicted, Some(left));
            }
            if let Some(wait) = waits.remove(&key) {
                wait.waker.wake();
            }
            evicted += 1;
        }
    }

    /// Wakes every waiting thread, to see what has changed.
    pub fn wake_all(&self) {
        self.lock().values().for_each(|wait| wait.waker.wake());
    }
}
