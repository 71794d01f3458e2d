//! Admission control at work: which connections are taken, and which of them may begin.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::epoll;

use super::{Desk, EventLoop, HUNG_UP, LISTENER, READ};
use crate::admission::{Policy, WINDOW_MS, Window};
use crate::config::{Config, GRACE};
use crate::connection::Connection;
use crate::counters::Work;
use crate::listener;
use crate::socket::Socket;
use crate::waiting::Waiting;

/// Connections accepted in one round, so that a flood of them does not starve the open ones.
const ACCEPTS: usize = 64;
/// After this many requests of sessions that have begun, a newcomer may begin, even if those sessions send
/// more. So they cannot shut all others out.
const PATIENCE: usize = 256;
/// Newcomers wait this long before they are refused, so that a shorter rush passes unnoticed.
pub(super) const TURN: Duration = Duration::from_millis(250);
/// Most refusals in a second; further newcomers wait in the kernel's backlog. Each costs about as much as the
/// shortest request, all of them together a few hundredths of a processor.
const REFUSALS: u64 = 1000;

/// Where newcomers wait, and the rule by which they come in.
pub(super) struct Door {
    policy: Box<dyn Policy>,
    refuses: bool,
    /// Slots of newcomers whose first request is here, in the order of their arrival.
    pub(super) lobby: Vec<u32>,
    /// Requests of sessions that have begun, since the last newcomer began.
    overtaken: usize,
    /// Work done until the policy last learned, and when.
    learned: (Work, u64),
    /// Refusals until the present second, and its number.
    refused: (u64, u64),
}

impl Door {
    pub(super) fn new(config: &Config, policy: Box<dyn Policy>) -> Self {
        Self {
            policy,
            refuses: config.refuse,
            lobby: Vec::new(),
            overtaken: 0,
            learned: (Work::default(), 0),
            refused: (0, 0),
        }
    }

    /// Whether newcomers are taken in before they may begin.
    pub(super) fn receives(&self) -> bool {
        self.refuses || self.policy.receives()
    }
}

/// Begins to hear of connections; of several loops that listen, one hears of each.
pub(super) fn register(epoll: &OwnedFd, listener: &OwnedFd) -> io::Result<()> {
    let flags = epoll::EventFlags::IN | epoll::EventFlags::EXCLUSIVE;
    Ok(epoll::add(epoll, listener, epoll::EventData::new_u64(LISTENER), flags)?)
}

/// Begins to hear of a connection. That raises an edge for what has already arrived.
pub(crate) fn watch(epoll: &OwnedFd, socket: impl AsFd, slot: u32) -> io::Result<()> {
    let flags =
        epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
    Ok(epoll::add(epoll, socket, epoll::EventData::new_u64(u64::from(slot)), flags)?)
}

impl<D: Desk> EventLoop<D> {
    /// Accepts if there is something to accept, and stops or resumes accepting.
    pub(super) fn admit(&mut self, pending: bool) {
        let mut room = self.openings();
        if pending && room > 0 {
            self.accept(ACCEPTS.min(room));
            room = self.openings();
        }
        let Some(listener) = &self.listener else { return };
        if (room > 0) == self.accepting {
            return;
        }
        let done = if room > 0 {
            register(&self.control.epoll, listener)
        } else {
            self.tally().pauses.add(1);
            epoll::delete(&self.control.epoll, listener).map_err(io::Error::from)
        };
        if done.is_ok() {
            self.accepting = room > 0;
        }
    }

    /// Closes the clients that have kept us waiting the longest, if every place is taken and a newcomer waits
    /// outside. Each client has some time in any case.
    pub(super) fn make_room(&mut self) {
        if self.slots.open() < self.limit
            || !self.listener.as_ref().is_some_and(|it| listener::is_pending(it))
        {
            return;
        }
        let grace_ms = (self.control.config.timeouts.idle / GRACE).as_millis() as u64;
        let before_ms = self.now_ms.saturating_sub(grace_ms);
        let most = 1 + self.limit / 4;
        for (slot, waiting) in self.slots.longest(before_ms, most, |waiting| self.patience_ms(waiting)) {
            let Some(connection) = self.slots.take(slot) else { continue };
            if waiting == Waiting::Idle {
                self.tally().closed_idle.add(1);
                self.tally().evicted.add(1);
            } else {
                self.tally().timed_out(waiting);
            }
            self.release(&connection);
        }
    }

    /// How many connections may be accepted now.
    fn openings(&mut self) -> usize {
        let free = self.limit.saturating_sub(self.slots.open());
        if free == 0 {
            return 0;
        }
        if !self.door.receives() {
            return free.min(self.room());
        }
        let (refused, second) = (self.tally().refused.get(), self.now_ms / 1000);
        if self.door.refused.1 != second {
            self.door.refused = (refused, second);
        }
        if refused - self.door.refused.0 < REFUSALS { free } else { 0 }
    }

    /// How many newcomers may begin now.
    fn room(&mut self) -> usize {
        let begun = self.slots.open() - self.door.lobby.len();
        let connections = self.door.policy.connections().saturating_sub(begun);
        if connections == 0 {
            return 0;
        }
        connections.min(self.desk.spare(self.door.policy.queue()))
    }

    /// Lets newcomers in the lobby begin while there is room, the latest first: it is the least likely to
    /// have given up. Returns whether any began.
    pub(super) fn seat(&mut self) -> bool {
        let mut any = false;
        while !self.door.lobby.is_empty() {
            let overdue = usize::from(self.door.overtaken >= PATIENCE);
            let room = if self.draining { usize::MAX } else { self.room().max(overdue) };
            if room == 0 {
                break;
            }
            self.door.overtaken = 0;
            for _ in 0..room {
                let Some(slot) = self.door.lobby.pop() else { break };
                let answered = self.slots.take(slot).and_then(|connection| self.dispatch(connection));
                if let Some(connection) = answered {
                    self.settle(connection, 0);
                }
            }
            any |= self.desk.hand_over();
        }
        any
    }

    /// Something happened to a newcomer in the lobby.
    pub(super) fn on_edge_in_lobby(&mut self, slot: u32, note: u8) {
        let Some(mut connection) = self.slots.take(slot) else { return };
        if note & HUNG_UP == 0 {
            connection.readable |= note & READ != 0;
            return self.slots.park(connection, Waiting::Turn, 0, false);
        }
        // A client that still wants the answer does not close while it waits: this one has given up.
        self.leave_lobby(slot);
        self.tally().abandoned.add(1);
        self.release(&connection);
    }

    /// Counts a request of a connection that has begun.
    pub(super) fn overtake(&mut self) {
        self.door.overtaken += 1;
    }

    /// Takes a newcomer out of the lobby.
    pub(super) fn leave_lobby(&mut self, slot: u32) {
        // Newcomers that give up are mostly those that came first.
        if let Some(index) = self.door.lobby.iter().position(|&waiting| waiting == slot) {
            self.door.lobby.remove(index);
        }
    }

    /// Keeps a newcomer whose first request is here until there is room for it.
    pub(super) fn let_wait(&mut self, connection: Box<Connection>) {
        self.door.lobby.push(connection.slot);
        let deadline_ms = self.deadline_ms(Waiting::Turn);
        self.slots.park(connection, Waiting::Turn, deadline_ms, false);
    }

    /// Tells the policy how the service has done, now and then.
    pub(super) fn learn(&mut self) {
        let (before, since_ms) = self.door.learned;
        if self.now_ms < since_ms + WINDOW_MS {
            return;
        }
        let work = self.desk.work();
        let window = Window {
            span: Duration::from_millis(self.now_ms - since_ms),
            requests: work.requests - before.requests,
            waited: work.waited - before.waited,
            served: work.served - before.served,
            begun: self.slots.open() - self.door.lobby.len(),
        };
        self.door.policy.learn(&window);
        self.door.learned = (work, self.now_ms);
        let limit = self.door.policy.connections();
        self.tally().admitted_limit.set(if limit == usize::MAX { 0 } else { limit as u64 });
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
        if watch(&self.control.epoll, &socket, slot).is_err() {
            self.slots.release(slot);
            return;
        }
        match Socket::new(socket, self.control.config.tls.as_deref()) {
            Ok(socket) => {
                self.settle(Box::new(Connection::new(socket, slot, self.control.config.watch.as_ref())), 0)
            }
            Err(_) => self.slots.release(slot),
        }
    }
}
