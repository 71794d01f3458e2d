//! Users of several hosts: connections to each, of which one is in use at a time.

use loadstone_workload::Next;
use rustix::event::epoll::EventFlags;

use crate::driver::Driver;
use crate::socket::Connection;
use crate::user::{Stage, User};

impl Driver<'_> {
    /// Takes up the user's connection to the host of its next request, and lays that to another one aside.
    #[inline]
    pub(crate) fn turn_to_host(&self, user: &mut User) {
        if user.at != user.host {
            user.lay_aside();
        }
        // A WebSocket has a connection of its own.
        if user.connection.is_none() && !user.aside.is_empty() && user.opening.is_none() {
            user.take_up();
        }
    }

    /// Deals with an event of a connection that was laid aside: nothing is awaited on it.
    pub(crate) fn on_aside(&mut self, user: &mut User, tag: u32, flags: EventFlags) {
        let Some(at) = user.aside.iter().position(|one| one.tag() == tag) else { return };
        let ended = flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR);
        let mut connection = user.aside.swap_remove(at);
        if !ended && (!flags.contains(EventFlags::IN) || self.is_chatter(user, &mut connection)) {
            user.aside.push(connection);
            return;
        }
        self.recorder.closed_idle += u64::from(user.next != Next::NewSession || user.is_busy());
        self.drop_connection(connection);
    }

    /// Closes the connections to the host in use that were laid aside.
    pub(crate) fn drop_aside(&mut self, user: &mut User) {
        while let Some(at) = user.aside.iter().position(|one| one.host == user.at) {
            let connection = user.aside.swap_remove(at);
            self.drop_connection(connection);
        }
    }

    /// Has the user's next file of a page, if one is left, be the one that it asks for.
    pub(crate) fn turn_to_file(&self, user: &mut User, journey: &mut crate::user::Journey) {
        if let Some(host) = journey.references.turn() {
            user.host = host;
        }
    }
}

impl User {
    fn lay_aside(&mut self) {
        debug_assert!(!matches!(self.stage, Stage::Connecting | Stage::Tunnelling | Stage::Handshaking));
        self.aside.extend(self.connection.take());
        self.links_aside.extend(self.link.take().map(|link| (self.at, link)));
        self.at = self.host;
        let ours = self.links_aside.iter().position(|(host, _)| *host == self.at);
        self.link = ours.map(|at| self.links_aside.swap_remove(at).1);
    }

    fn take_up(&mut self) {
        let ours = self.aside.iter().position(|one| one.host == self.at);
        self.connection = ours.map(|at| self.aside.swap_remove(at));
    }

    /// What epoll calls events of the connection that is made now.
    pub(crate) fn new_token(&mut self) -> u64 {
        let number = u64::from(self.free_number());
        number << 40 | (self.at as u64) << 32 | u64::from(self.token)
    }

    /// What epoll calls events of its connection in use.
    pub(crate) fn event_token(&self) -> u64 {
        let tag = self.connection.as_ref().map_or(0, Connection::tag);
        u64::from(tag) << 32 | u64::from(self.token)
    }
}
