//! Sockets for newcomers: as many as memory and limits allow, and those of who is done or idle when there are
//! none.

use alloc::vec;

use smoltcp::iface::SocketHandle;
use smoltcp::socket::tcp::{Socket, SocketBuffer, State};
use smoltcp::wire::TcpTimestampGenerator;

use super::client::Waiting;
use super::desk::{Free, Memory};
use super::{BACKLOG, BESIDE, HALF_OPEN, HALF_OPEN_SHARE, LEAST, Now, PATIENCE, Server, Slot};
use crate::net::frame::from_ip;
use crate::net::{GUARDED, Incoming, Outgoing};

/// How long who has asked for a connection keeps a socket that others want. Who got an answer has a
/// connection, and what it sends to none is reset. smoltcp answers again after one and after three seconds:
/// between them, who got one of the first two answers has gone on, and who got none has nothing to lose.
const HANDSHAKE_MS: u64 = 2000;
/// How long who is at a request's head keeps a socket that others want: long enough to send it four times on
/// a line of 250 ms.
const HEAD_MS: u64 = 3000;
/// The share of the free memory that a connection's answers may wait in, and its bound: 100 ms at 20 Mbit/s.
const SHARE: usize = 256;
const LONGEST: usize = 256 * 1024;

impl<I: Incoming, O: Outgoing> Server<I, O> {
    /// Sees that sockets listen as far as memory and limits allow; sockets that are through listen again or
    /// go.
    pub(super) fn replenish(&mut self, free: Free<'_>, now: Now) {
        let memory = Memory { free, vital: false };
        for site in 0..self.sites.len() {
            let (port, most) = (self.sites[site].port, self.sites[site].most);
            let (mut listening, mut half_open, mut all) = (0, 0, 0);
            for slot in self.slots.iter().filter(|slot| slot.site == site) {
                let state = self.sockets.get::<Socket<'_>>(slot.socket).state();
                listening += usize::from(state == State::Listen);
                half_open += usize::from(state == State::SynReceived);
                all += 1;
            }
            let wanted = if self.draining { 0 } else { BACKLOG.min(most) };
            let session = self.sites[site].application.session_bytes();
            let each = self.buffers.0 + self.buffers.1 + BESIDE + session;
            while listening < wanted
                && all < most
                && (all < LEAST || memory.affords(each, self.reserve.lacks(&self.limits)))
            {
                let socket = self.new_socket(port, free());
                self.slots.push(Slot { socket, site, client: None, opening_ms: None });
                (listening, all) = (listening + 1, all + 1);
            }
            if listening == 0 && wanted > 0 {
                listening = self.make_way(site, now, free);
            }
            let gate = &mut self.wire.gates[site];
            (gate.listening, gate.full, gate.waits) = (listening, gate.waits && listening == 0, false);
            if GUARDED {
                // Most of those that there can be are too many, too; and who comes at the end has no answer.
                let most = if gate.full && half_open * 2 > all { 0 } else { most_half_open(most) };
                gate.may_open = if self.draining { usize::MAX } else { most.saturating_sub(half_open) };
            }
        }
    }

    /// A socket that listens. Far clients get an answer as fast as the buffer is long: it takes a share of
    /// the memory that is `free`.
    fn new_socket(&mut self, port: u16, free: usize) -> SocketHandle {
        let (receiving, sending) = self.buffers;
        let sending = (free / SHARE).min(LONGEST).max(sending);
        let mut socket =
            Socket::new(SocketBuffer::new(vec![0; receiving]), SocketBuffer::new(vec![0; sending]));
        socket.set_nagle_enabled(false);
        listen(&mut socket, port, self.wire.ticks());
        self.sockets.add(socket)
    }

    /// Finds a socket of `site` for newcomers among those that are done or idle; how many.
    fn make_way(&mut self, site: usize, now: Now, free: Free<'_>) -> usize {
        if !self.wire.gates[site].waits {
            return 0;
        }
        let port = self.sites[site].port;
        let state = |slot: &Slot| self.sockets.get::<Socket<'_>>(slot.socket).state();
        let done = |slot: &&mut Slot| slot.site == site && state(slot) == State::TimeWait;
        if let Some(slot) = self.slots.iter_mut().find(done) {
            // Who comes has nothing to do with who left, whom nobody may have looked at since.
            slot.client = None;
            let socket = self.sockets.get_mut::<Socket<'_>>(slot.socket);
            socket.abort();
            listen(socket, port, self.wire.ticks());
            return 1;
        }
        if self.drop_half_open(site) {
            return 1;
        }
        let since = |waiting, least_ms| {
            let clients = self.slots.iter().enumerate().filter(|(_, slot)| slot.site == site);
            let clients = clients.filter_map(|(at, slot)| Some((slot.client.as_ref()?, at)));
            let waiting = clients.filter(|(client, _)| client.waiting == waiting);
            let oldest = waiting.map(|(client, at)| (client.deadline_ms, at)).min();
            oldest.filter(|(until_ms, _)| *until_ms <= now.ms() + least_ms)
        };
        // Its client sees an end, as at the end of its patience, and asks anew.
        if let Some((_, at)) = since(Waiting::Idle, u64::MAX / 2) {
            self.dismiss(at, now, free);
            self.counters.evicted += 1;
        } else if let Some((_, at)) = since(Waiting::Head, self.timeouts.head_ms.saturating_sub(HEAD_MS)) {
            self.dismiss(at, now, free);
            self.counters.slow[0] += 1;
        }
        0
    }

    /// Takes the socket of who has asked for a connection longest and not gone on; whether there is one. Who
    /// floods never goes on; whoever does, does so within a round trip.
    fn drop_half_open(&mut self, site: usize) -> bool {
        let is_open = |slot: &&mut Slot| slot.site == site && slot.opening_ms.is_some();
        let oldest = self.slots.iter_mut().filter(is_open).min_by_key(|slot| slot.opening_ms);
        let is_over =
            |slot: &&mut Slot| slot.opening_ms.is_some_and(|at| at + HANDSHAKE_MS <= self.attended_ms);
        let Some(slot) = oldest.filter(is_over) else {
            return false;
        };
        let socket = self.sockets.get_mut::<Socket<'_>>(slot.socket);
        let half_open = socket.state() == State::SynReceived;
        slot.opening_ms = None;
        if half_open {
            socket.abort();
            listen(socket, self.sites[site].port, self.wire.ticks());
        }
        half_open
    }

    /// Has the wire forget connections that are no more.
    pub(super) fn forget_flows(&mut self) {
        let sockets = self.slots.iter().map(|slot| self.sockets.get::<Socket<'_>>(slot.socket));
        let flow = |socket: &Socket<'_>| {
            let (theirs, ours) = (socket.remote_endpoint()?, socket.local_endpoint()?);
            Some((from_ip(theirs.addr), theirs.port, ours.port))
        };
        self.wire.keep(sockets.filter_map(flow));
    }

    /// Gives back the sockets that wait for newcomers, beyond the fewest, and what is kept for the next answer;
    /// they come again with need.
    pub fn compact(&mut self) {
        self.reserve.give();
        let mut at = 0;
        let mut kept = 0;
        while at < self.slots.len() {
            let handle = self.slots[at].socket;
            if self.sockets.get::<Socket<'_>>(handle).state() == State::Listen && kept >= LEAST {
                self.sockets.remove(handle);
                self.slots.swap_remove(at);
                continue;
            }
            kept += usize::from(self.slots[at].client.is_none());
            at += 1;
        }
    }
}

/// How many of so many sockets may be taken by who has asked and not gone on.
pub(super) fn most_half_open(sockets: usize) -> usize {
    (sockets / HALF_OPEN_SHARE).clamp(1, HALF_OPEN)
}

/// Has a closed socket wait for a newcomer, whose handshake must not take too long.
pub(super) fn listen(socket: &mut Socket<'_>, port: u16, ticks: Option<TcpTimestampGenerator>) {
    // Who speaks of no timestamps has it taken away.
    if GUARDED {
        socket.set_tsval_generator(ticks);
    }
    socket.set_timeout(Some(PATIENCE));
    // It fails for port 0, which the command line refuses, and for an open socket.
    let _ = socket.listen(port);
}
