//! Hands whole requests to the threads at the end of every round of the event loop, and makes room for those
//! that wait.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustix::event::epoll;

use super::Shared;
use crate::config::GRACE;
use crate::connection::Connection;
use crate::counters::{Tally, Work};
use crate::event_loop::{Desk, watch};

pub(super) struct HandOver {
    shared: Arc<Shared>,
    /// Connections whose requests go to threads at the end of this round.
    ready: Vec<Box<Connection>>,
    /// Swapped with `Shared::returned`.
    returned: Vec<Box<Connection>>,
    /// Threads that have been started.
    threads: usize,
    /// Time until another idle client could be closed for those that wait.
    patience: Option<Duration>,
}

impl HandOver {
    pub(super) fn new(shared: Arc<Shared>, threads: usize) -> Self {
        Self { shared, ready: Vec::new(), returned: Vec::new(), threads, patience: None }
    }

    /// Threads that may still be started.
    fn unstarted(&self) -> usize {
        self.shared.control.config.worker_count() - self.threads
    }

    /// Starts threads for connections that none waits for.
    fn staff(&mut self) {
        while self.unstarted() > 0 && self.shared.queue.unserved() > 0 {
            if self.shared.start_thread(self.threads, None).is_err() {
                return;
            }
            self.threads += 1;
        }
    }

    /// Takes threads from idle clients for those that wait. Returns the time until another could be taken.
    fn make_room(&self) -> Option<Duration> {
        let config = &self.shared.control.config;
        let unserved = self.shared.queue.unserved();
        self.shared.pressed.store(unserved > 0, Ordering::SeqCst);
        if unserved == 0 || config.fixed_keep_alive {
            return None;
        }
        let grace = grace(config.timeouts.idle, unserved, config.worker_count());
        self.shared.idlers.evict(unserved, Instant::now(), grace)
    }
}

/// The idle time that every client has even if others wait: a 64th of the idle time-out while few wait, and
/// almost nothing when about as many wait as there are threads. Otherwise clients that only take threads
/// would shut all others out.
fn grace(idle: Duration, waiting: usize, threads: usize) -> Duration {
    let pressure = waiting as f64 * waiting as f64 / threads as f64;
    (idle / GRACE).div_f64(1.0 + pressure)
}

impl Desk for HandOver {
    fn take(&mut self, connection: Box<Connection>) -> Option<Box<Connection>> {
        // A client in conversation is its thread's alone: the loop is not to be woken by what it sends.
        // Fails only for a socket that was not registered.
        let _ = epoll::delete(&self.shared.control.epoll, &connection.socket);
        self.ready.push(connection);
        None
    }

    fn hand_over(&mut self) -> bool {
        let any = !self.ready.is_empty();
        if any {
            self.shared.queue.push_all(&mut self.ready);
        }
        any
    }

    fn end_round(&mut self) {
        self.staff();
        self.patience = self.make_room();
    }

    fn patience(&self) -> Option<Duration> {
        self.patience.map(|left| left.max(Duration::from_millis(1)))
    }

    fn spare(&self, bound: usize) -> usize {
        self.shared.queue.spare(bound, self.unstarted())
    }

    fn work(&self) -> Work {
        Tally::work(&self.shared.tallies)
    }

    // A connection that is away raises no events here.
    fn note(&self, _slot: u32, _note: u8) {}

    fn forget(&self, _slot: u32) {}

    fn collect(&mut self, back: &mut Vec<(Box<Connection>, u8)>) {
        std::mem::swap(&mut self.returned, &mut *self.shared.returned());
        for mut connection in self.returned.drain(..) {
            // Registering raises an edge for what there is to read, and for room.
            if watch(&self.shared.control.epoll, &connection.socket, connection.slot).is_err() {
                connection.broken = true;
            }
            back.push((connection, 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_wait_the_shorter_a_client_may_be_idle() {
        let minute = Duration::from_secs(60);
        let ms = |waiting, threads| grace(minute, waiting, threads).as_millis();
        assert_eq!((ms(0, 128), ms(1, 128), ms(10, 128)), (937, 930, 526));
        assert!(ms(128, 128) < 10 && ms(10_000, 128) < 1);
    }
}
