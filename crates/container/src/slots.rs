//! The connections of an event loop, and how long each may still wait.

use crate::connection::Connection;
use crate::waiting::Waiting;

/// What holds the connection of a slot.
#[derive(Debug)]
enum Holder {
    Nobody,
    /// The event loop.
    Here(Box<Connection>),
    /// The queue or a worker.
    Away,
}

#[derive(Debug, Clone, Copy)]
struct Wait {
    waiting: Waiting,
    /// Milliseconds on the loop's clock; `NEVER` while the connection is away.
    deadline_ms: u64,
}

const NEVER: u64 = u64::MAX;

/// A table of connections. Deadlines stand side by side, apart from the connections: looking
/// through those of 10,000 connections takes some 10 µs, once per sweep, and setting one is a store.
#[derive(Debug)]
pub(crate) struct Slots {
    holders: Vec<Holder>,
    waits: Vec<Wait>,
    free: Vec<u32>,
}

impl Slots {
    pub fn new() -> Self {
        Self { holders: Vec::new(), waits: Vec::new(), free: Vec::new() }
    }

    /// Open connections, here and away.
    pub fn open(&self) -> usize {
        self.holders.len() - self.free.len()
    }

    /// Takes a free slot for a connection that is not here yet.
    pub fn reserve(&mut self) -> u32 {
        let fresh = Wait { waiting: Waiting::Head, deadline_ms: NEVER };
        if let Some(slot) = self.free.pop() {
            self.holders[slot as usize] = Holder::Away;
            self.waits[slot as usize] = fresh;
            return slot;
        }
        self.holders.push(Holder::Away);
        self.waits.push(fresh);
        (self.holders.len() - 1) as u32
    }

    /// Gives a slot back.
    pub fn release(&mut self, slot: u32) {
        self.holders[slot as usize] = Holder::Nobody;
        self.waits[slot as usize].deadline_ms = NEVER;
        self.free.push(slot);
    }

    /// Takes the connection out of its slot if it is here; the slot counts as away until it is
    /// parked or released.
    pub fn take(&mut self, slot: u32) -> Option<Box<Connection>> {
        let holder = self.holders.get_mut(slot as usize)?;
        match std::mem::replace(holder, Holder::Away) {
            Holder::Here(connection) => Some(connection),
            other => {
                *holder = other;
                None
            }
        }
    }

    /// Whether the slot's connection is away.
    pub fn is_away(&self, slot: u32) -> bool {
        matches!(self.holders.get(slot as usize), Some(Holder::Away))
    }

    /// Whether the slot's connection is here and waits for its turn.
    pub fn waits_for_turn(&self, slot: u32) -> bool {
        let wait = self.waits.get(slot as usize);
        wait.is_some_and(|wait| wait.waiting == Waiting::Turn && wait.deadline_ms != NEVER)
    }

    /// Notes that the connection of the slot goes to a worker.
    pub fn send_away(&mut self, slot: u32) {
        self.waits[slot as usize].deadline_ms = NEVER;
    }

    /// Keeps a connection until something happens to it or its time is over. The time runs on when
    /// it already waited for the same thing and has made no `progress`.
    pub fn park(&mut self, connection: Box<Connection>, waiting: Waiting, deadline_ms: u64, progress: bool) {
        let slot = connection.slot as usize;
        let wait = &mut self.waits[slot];
        if wait.waiting != waiting || wait.deadline_ms == NEVER || progress {
            *wait = Wait { waiting, deadline_ms };
        }
        self.holders[slot] = Holder::Here(connection);
    }

    /// Slots whose time is over, with what they waited for.
    pub fn expired(&self, now_ms: u64) -> Vec<(u32, Waiting)> {
        let waits = self.waits.iter().enumerate();
        waits
            .filter(|(_, wait)| wait.deadline_ms <= now_ms)
            .map(|(slot, w)| (slot as u32, w.waiting))
            .collect()
    }

    /// Slots of clients that have kept us waiting since before `before_ms`, the longest first, with what they
    /// waited for: `most` of them. `patience_ms` is the whole time that each kind of wait has. Clients that
    /// wait for us are not among them.
    pub fn longest(
        &self,
        before_ms: u64,
        most: usize,
        patience_ms: impl Fn(Waiting) -> u64,
    ) -> Vec<(u32, Waiting)> {
        let ours = |wait: &Wait| matches!(wait.waiting, Waiting::Turn | Waiting::Linger);
        let mut found: Vec<_> = self
            .waits
            .iter()
            .enumerate()
            .filter(|(_, wait)| wait.deadline_ms != NEVER && !ours(wait))
            .map(|(slot, wait)| {
                (wait.deadline_ms.saturating_sub(patience_ms(wait.waiting)), slot, wait.waiting)
            })
            .filter(|(since_ms, ..)| *since_ms < before_ms)
            .collect();
        found.sort_unstable_by_key(|(since_ms, slot, _)| (*since_ms, *slot));
        found.into_iter().take(most).map(|(_, slot, waiting)| (slot as u32, waiting)).collect()
    }

    /// Slots whose connections are here.
    pub fn here(&self) -> Vec<u32> {
        let holders = self.holders.iter().enumerate();
        holders.filter(|(_, h)| matches!(h, Holder::Here(_))).map(|(slot, _)| slot as u32).collect()
    }
}
