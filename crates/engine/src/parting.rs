//! Connections that are over: the server said that it closes them, and is given the time to do so first.
//!
//! Whoever closes first keeps the pair of ports for a minute. Were that the generator, its ports would be
//! used up by some hundred connections a second, and each further one would cost more to find a port for.

use std::collections::VecDeque;

use crate::recorder::SECOND;
use crate::socket::Connection;

/// Connections that are kept so at once: most servers close within a round trip.
const MOST: usize = 64;
/// For so long a server may take to close.
const PATIENCE: u64 = SECOND;

/// Those of a thread, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Parting(VecDeque<Parted>);

#[derive(Debug)]
struct Parted {
    /// The token of the user that it was of.
    user: u32,
    until: u64,
    connection: Connection,
}

impl Parting {
    /// Keeps a connection open until the server closes it, unless it has.
    pub(crate) fn keep(&mut self, user: u32, connection: Connection, now: u64) {
        if connection.is_open_there() {
            if self.0.len() == MOST {
                self.0.pop_front();
            }
            self.0.push_back(Parted { user, until: now + PATIENCE, connection });
        }
    }

    /// The server has closed a connection of `user`.
    pub(crate) fn end(&mut self, user: u32, tag: u32) {
        if let Some(at) = self.0.iter().position(|one| one.user == user && one.connection.tag() == tag) {
            self.0.remove(at);
        }
    }

    /// Closes those that their servers have not closed in time.
    pub(crate) fn expire(&mut self, now: u64) {
        while self.0.front().is_some_and(|one| one.until <= now) {
            self.0.pop_front();
        }
    }
}
