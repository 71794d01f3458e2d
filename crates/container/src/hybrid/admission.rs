//! Admission control: a connection is taken only when there is room for its requests.

use std::os::fd::OwnedFd;
use std::sync::atomic::Ordering;

use rustix::event::epoll;

use super::event_loop::{EventLoop, LISTENER};
use crate::connection::Connection;
use crate::listener;

/// Connections accepted in one round, so that a flood of them does not starve the open ones.
const ACCEPTS: usize = 64;

impl EventLoop {
    /// Accepts if there is something to accept, and stops or resumes accepting by admission control.
    pub(super) fn admit(&mut self, pending: bool) {
        let mut room = self.has_room();
        if pending && room {
            self.accept(ACCEPTS);
            room = self.has_room();
        }
        let Some(listener) = &self.listener else { return };
        if room == self.accepting {
            return;
        }
        let data = epoll::EventData::new_u64(LISTENER);
        let done = if room {
            epoll::add(&self.epoll, listener, data, epoll::EventFlags::IN)
        } else {
            self.shared.tallies[0].pauses.add(1);
            epoll::delete(&self.epoll, listener)
        };
        if done.is_ok() {
            self.accepting = room;
        }
    }

    fn has_room(&self) -> bool {
        self.slots.open() < self.limit && !self.shared.queue.is_full()
    }

    /// Accepts at most `most` connections.
    pub(super) fn accept(&mut self, most: usize) {
        let Some(listener) = self.listener.take() else { return };
        for _ in 0..most {
            if self.slots.open() >= self.limit {
                break;
            }
            match listener::accept(&listener) {
                Ok(Some(socket)) => self.adopt(socket),
                Ok(None) => break,
                Err(_) => {
                    // Another attempt is worth while when one of ours has closed, or some time has passed.
                    self.limit = self.slots.open();
                    break;
                }
            }
        }
        self.listener = Some(listener);
    }

    fn adopt(&mut self, socket: OwnedFd) {
        self.tally().accepted.add(1);
        let slot = self.slots.reserve();
        self.shared.wanted[slot as usize].store(0, Ordering::SeqCst);
        let flags =
            epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        // Registering raises an edge for what has already arrived.
        if epoll::add(&self.epoll, &socket, epoll::EventData::new_u64(u64::from(slot)), flags).is_err() {
            self.slots.release(slot);
            return;
        }
        self.settle(Box::new(Connection::new(socket, slot)), 0);
    }
}
