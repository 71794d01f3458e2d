//! Admission control: a connection is taken only when there is room for its requests.

use std::io;
use std::os::fd::OwnedFd;

use rustix::event::epoll;

use super::{Desk, EventLoop, LISTENER};
use crate::connection::Connection;
use crate::listener;
use crate::socket::Socket;

/// Connections accepted in one round, so that a flood of them does not starve the open ones.
const ACCEPTS: usize = 64;

/// Begins to hear of connections; of several loops that listen, one hears of each.
pub(super) fn register(epoll: &OwnedFd, listener: &OwnedFd) -> io::Result<()> {
    let flags = epoll::EventFlags::IN | epoll::EventFlags::EXCLUSIVE;
    Ok(epoll::add(epoll, listener, epoll::EventData::new_u64(LISTENER), flags)?)
}

impl<D: Desk> EventLoop<D> {
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
        let done = if room {
            register(&self.epoll, listener)
        } else {
            self.tally().pauses.add(1);
            epoll::delete(&self.epoll, listener).map_err(io::Error::from)
        };
        if done.is_ok() {
            self.accepting = room;
        }
    }

    fn has_room(&self) -> bool {
        self.slots.open() < self.limit && self.desk.has_room()
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
        self.desk.forget(slot);
        let flags =
            epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        // Registering raises an edge for what has already arrived.
        if epoll::add(&self.epoll, &socket, epoll::EventData::new_u64(u64::from(slot)), flags).is_err() {
            self.slots.release(slot);
            return;
        }
        match Socket::new(socket, self.control.config.tls.as_deref()) {
            Ok(socket) => self.settle(Box::new(Connection::new(socket, slot)), 0),
            Err(_) => self.slots.release(slot),
        }
    }
}
