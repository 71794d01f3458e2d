//! What an event loop works with: the desk to which it brings requests, and what it shares with its
//! connector.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use rustix::event::epoll;

use crate::config::Config;
use crate::connection::Connection;
use crate::counters::{Tally, Work};
use crate::lifetime::Lifetime;
use crate::waker::Waker;

/// Where complete requests go.
pub(crate) trait Desk: Send {
    /// A round of the loop begins.
    fn begin_round(&mut self) {}

    /// Takes a connection whose request is complete. Gives it back if the request is answered already.
    fn take(&mut self, connection: Box<Connection>) -> Option<Box<Connection>>;

    /// A round of the loop ends.
    fn end_round(&mut self) {}

    /// Passes on what was taken. Returns whether there was anything.
    fn hand_over(&mut self) -> bool;

    /// The time after which a round must come even if nothing happens.
    fn patience(&self) -> Option<Duration> {
        None
    }

    /// Rests for a moment if there is enough to do, so that more requests would only wait.
    fn rest(&self) {}

    /// How many requests more there is room for, when no more than `bound` may wait. If none, the loop is
    /// woken once there is.
    fn spare(&self, bound: usize) -> usize;

    /// What was done so far.
    fn work(&self) -> Work;

    /// An edge of a connection that is away; `note` comes back with it.
    fn note(&self, slot: u32, note: u8);

    /// A slot gets a new connection: notes for the last one are void.
    fn forget(&self, slot: u32);

    /// Connections that come back, with what was noted meanwhile.
    fn collect(&mut self, back: &mut Vec<(Box<Connection>, u8)>);
}

/// What a loop shares with its connector.
#[derive(Debug)]
pub(crate) struct Control {
    pub config: Config,
    pub lifetime: Arc<Lifetime>,
    pub waker: Waker,
    /// Where the loop hears of its connections.
    pub epoll: OwnedFd,
    pub tally: Tally,
    /// Bytes in the buffers of all connections of the server, as last counted.
    pub memory: Arc<AtomicUsize>,
}

impl Control {
    /// # Errors
    /// The system gave no descriptor.
    pub fn new(config: Config, lifetime: Arc<Lifetime>, memory: Arc<AtomicUsize>) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        Ok(Self { config, lifetime, waker: Waker::new()?, epoll, tally: Tally::default(), memory })
    }
}
