//! Hands complete requests to the workers at the end of every round of the event loop.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::Shared;
use crate::connection::Connection;
use crate::counters::{Tally, Work};
use crate::crew::STALL;
use crate::event_loop::Desk;

/// The longest rest of the event loop. Everything else that wakes the loop may wait this much longer. Resting
/// while workers have enough to do lets requests come in batches; otherwise the loop would take the processor
/// from a worker for each request.
const REST: Duration = Duration::from_millis(1);

pub(super) struct HandOver {
    shared: Arc<Shared>,
    /// Connections whose requests go to workers at the end of this round.
    ready: Vec<Box<Connection>>,
    /// Swapped with `Shared::returned`.
    returned: Vec<Box<Connection>>,
    /// Most that there are.
    workers: usize,
    /// Whether work waited for which a worker sleeps.
    withheld: bool,
}

impl HandOver {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let workers = shared.control.config.worker_count();
        Self { shared, ready: Vec::new(), returned: Vec::new(), workers, withheld: false }
    }
}

impl Desk for HandOver {
    fn take(&mut self, connection: Box<Connection>) -> Option<Box<Connection>> {
        self.ready.push(connection);
        None
    }

    fn hand_over(&mut self) -> bool {
        let any = !self.ready.is_empty();
        // Even with nothing: a worker may have left work behind without waking another.
        self.withheld = self.shared.queue.push_all(&mut self.ready);
        any
    }

    fn patience(&self) -> Option<Duration> {
        self.withheld.then_some(STALL)
    }

    fn rest(&self) {
        if self.shared.queue.may_rest(2 * self.workers, self.workers) {
            self.shared.resting.get_or_init(thread::current);
            thread::park_timeout(REST);
        }
    }

    fn spare(&self, bound: usize) -> usize {
        self.shared.queue.spare(bound, 0)
    }

    fn work(&self) -> Work {
        Tally::work(&self.shared.tallies)
    }

    fn note(&self, slot: u32, note: u8) {
        self.shared.wanted[slot as usize].fetch_or(note, Ordering::SeqCst);
    }

    fn forget(&self, slot: u32) {
        self.shared.wanted[slot as usize].store(0, Ordering::SeqCst);
    }

    fn collect(&mut self, back: &mut Vec<(Box<Connection>, u8)>) {
        std::mem::swap(&mut self.returned, &mut *self.shared.returned());
        for connection in self.returned.drain(..) {
            let note = self.shared.wanted[connection.slot as usize].swap(0, Ordering::SeqCst);
            back.push((connection, note));
        }
    }
}
