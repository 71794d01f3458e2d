//! How long connections may wait, and what happens when their time is over or the server ends.

use super::admission::TURN;
use super::{Desk, EventLoop, READ};
use crate::connection::LINGER;
use crate::waiting::Waiting;

impl<D: Desk> EventLoop<D> {
    /// Until when a connection may wait from now on.
    pub(super) fn deadline_ms(&self, waiting: Waiting) -> u64 {
        self.now_ms + self.patience_ms(waiting)
    }

    pub(super) fn patience_ms(&self, waiting: Waiting) -> u64 {
        let times = &self.control.config.timeouts;
        let patience = match waiting {
            Waiting::Head => times.head,
            Waiting::Body => times.body,
            Waiting::Idle => times.idle,
            Waiting::Write => times.write,
            Waiting::Linger => LINGER,
            Waiting::Turn if self.control.config.refuse => TURN,
            Waiting::Turn => times.head,
        };
        patience.as_millis() as u64
    }

    /// Closes connections whose time is over. A client in the middle of a request gets an answer that says
    /// why.
    pub(super) fn close_expired(&mut self) {
        self.next_sweep_ms = self.now_ms + self.sweep.as_millis() as u64;
        self.limit = self.control.config.max_connections;
        self.make_room();
        for (slot, waiting) in self.slots.expired(self.now_ms) {
            let Some(mut connection) = self.slots.take(slot) else { continue };
            match waiting {
                Waiting::Idle => self.tally().closed_idle.add(1),
                Waiting::Linger => {}
                Waiting::Head | Waiting::Body | Waiting::Write => self.tally().timed_out(waiting),
                Waiting::Turn => {
                    self.leave_lobby(slot);
                    self.tally().refused.add(1);
                    connection.refuse(503, &mut self.composer, &self.control.tally);
                    self.settle(connection, 0);
                    continue;
                }
            }
            if matches!(waiting, Waiting::Head | Waiting::Body) && connection.talk.has_input() {
                connection.refuse(408, &mut self.composer, &self.control.tally);
                self.settle(connection, 0);
            } else {
                self.release(&connection);
            }
        }
    }

    /// Takes what has already connected, closes the listener and every connection without a request.
    pub(super) fn begin_drain(&mut self) {
        self.accept(usize::MAX);
        self.draining = true;
        self.listener = None;
        self.accepting = true;
        for slot in self.slots.here() {
            if self.slots.waits_for_turn(slot) {
                // Its turn comes at the end of this round.
                continue;
            }
            if let Some(connection) = self.slots.take(slot) {
                self.settle(connection, READ);
            }
        }
    }
}
