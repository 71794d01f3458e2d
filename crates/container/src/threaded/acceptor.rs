//! The acceptor: takes connections while there is room for them, and makes room.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Shared;
use crate::admission::{self, Policy};
use crate::config::GRACE;
use crate::listener;

/// Another attempt at what the system refused: a descriptor, a thread.
const RETRY: Duration = Duration::from_secs(1);

pub(super) struct Acceptor {
    shared: Arc<Shared>,
    /// None once the server drains.
    listener: Option<OwnedFd>,
    policy: Box<dyn Policy>,
    /// Threads that have been started.
    threads: usize,
    /// Whether accepting has stopped for lack of room.
    paused: bool,
    /// Until when nothing more is taken, because the system had no descriptor left.
    exhausted: Option<Instant>,
}

impl Acceptor {
    pub(super) fn new(shared: Arc<Shared>, listener: OwnedFd, threads: usize) -> Self {
        let policy = admission::policy(&shared.config, shared.config.worker_count());
        Self { shared, listener: Some(listener), policy, threads, paused: false, exhausted: None }
    }

    /// Threads that may still be started.
    fn unstarted(&self) -> usize {
        self.shared.config.worker_count() - self.threads
    }

    /// Accepts until the server is stopped, or drained and empty.
    pub(super) fn run(mut self) {
        while !self.shared.lifetime.is_stopping() {
            if self.listener.is_some() && self.shared.lifetime.is_draining() {
                // What has connected already is served; who waits without a request is let go.
                while self.accept_one() {}
                self.listener = None;
                self.shared.idlers.wake_all();
            }
            while self.has_room() && self.accept_one() {}
            self.staff();
            if self.listener.is_none() && self.shared.open.load(Ordering::SeqCst) == 0 {
                break;
            }
            let patience = self.make_room();
            self.wait(patience);
        }
        self.shared.lifetime.ended();
    }

    fn has_room(&mut self) -> bool {
        if self.exhausted.is_some_and(|until| Instant::now() >= until) {
            self.exhausted = None;
        }
        let room = self.exhausted.is_none()
            && self.shared.open.load(Ordering::SeqCst) < self.shared.config.max_connections
            && self.shared.queue.spare(self.policy.queue(), self.unstarted()) > 0;
        if !room && !self.paused {
            self.shared.tallies[0].pauses.add(1);
        }
        self.paused = !room;
        room
    }

    /// Whether there was a connection to take.
    fn accept_one(&mut self) -> bool {
        let Some(listener) = &self.listener else { return false };
        match listener::accept(listener) {
            Ok(Some(socket)) => {
                self.shared.tallies[0].accepted.add(1);
                self.shared.open.fetch_add(1, Ordering::SeqCst);
                self.shared.queue.push_all(&mut vec![socket]);
                true
            }
            Ok(None) => false,
            Err(_) => {
                self.exhausted = Some(Instant::now() + RETRY);
                false
            }
        }
    }

    /// Starts threads for connections that none waits for.
    fn staff(&mut self) {
        while self.threads < self.shared.config.worker_count() && self.shared.queue.unserved() > 0 {
            if self.shared.start_thread(self.threads, None).is_err() {
                return;
            }
            self.threads += 1;
        }
    }

    /// Takes threads from idle clients for those who wait; how long until another could be taken.
    fn make_room(&self) -> Option<Duration> {
        let unserved = self.shared.queue.unserved();
        self.shared.pressed.store(unserved > 0, Ordering::SeqCst);
        if unserved == 0 || self.shared.config.fixed_keep_alive {
            return None;
        }
        let grace = self.shared.config.timeouts.idle / GRACE;
        self.shared.idlers.evict(unserved, Instant::now(), grace).1
    }

    /// Waits for a connection where there is room for it, a wake-up, or the end of the time.
    fn wait(&mut self, patience: Option<Duration>) {
        let timeout = match (patience, self.exhausted) {
            (None, None) => None,
            (Some(left), None) => Some(left.max(Duration::from_millis(1))),
            (left, Some(_)) => Some(left.unwrap_or(RETRY).clamp(Duration::from_millis(1), RETRY)),
        };
        let timeout = timeout.and_then(|left| Timespec::try_from(left).ok());
        let wake = PollFd::from_borrowed_fd(self.shared.waker.as_fd(), PollFlags::IN);
        let room = self.listener.as_ref().filter(|_| !self.paused);
        let both = [Some(wake), room.map(|listener| PollFd::new(listener, PollFlags::IN))];
        let mut watched: Vec<_> = both.into_iter().flatten().collect();
        // Fails when a signal comes: a round more does no harm.
        let _ = poll(&mut watched, timeout.as_ref());
        self.shared.waker.reset();
    }
}
