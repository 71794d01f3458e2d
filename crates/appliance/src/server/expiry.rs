//! Connections whose time is over.

use smoltcp::socket::tcp::Socket;

use super::client::Waiting;
use super::desk::{Desk, Free, Memory};
use super::{Now, Server};
use crate::net::{Incoming, Outgoing};

impl<I: Incoming, O: Outgoing> Server<I, O> {
    /// Closes connections whose time is over; a client that was at a request hears why.
    pub(super) fn close_expired(&mut self, now: Now, free: Free<'_>) {
        let mut at = 0;
        while at < self.slots.len() {
            let slot = &mut self.slots[at];
            at += 1;
            let Some(client) = &mut slot.client else { continue };
            let idle = matches!(client.waiting, Waiting::Idle | Waiting::Head) && !client.is_at_request();
            if client.deadline_ms > now.ms() && !(self.draining && idle) {
                continue;
            }
            match client.waiting {
                Waiting::Idle => self.counters.closed_idle += 1,
                Waiting::End | Waiting::Linger => {}
                Waiting::Head => self.counters.slow[0] += 1,
                Waiting::Body => self.counters.slow[1] += 1,
                Waiting::Write => self.counters.slow[2] += 1,
            }
            match client.waiting {
                Waiting::Linger => {
                    // It has all and may still be reading: a reset would take that away.
                    at -= 1;
                    self.sockets.remove(slot.socket);
                    self.slots.swap_remove(at);
                }
                Waiting::End | Waiting::Write => self.sockets.get_mut::<Socket<'_>>(slot.socket).abort(),
                _ => self.dismiss(at - 1, now, free),
            }
        }
    }

    /// Closes a connection that waits for its client; one that was at a request hears why.
    pub(super) fn dismiss(&mut self, at: usize, now: Now, free: Free<'_>) {
        let slot = &mut self.slots[at];
        let Some(client) = &mut slot.client else { return };
        let socket = self.sockets.get_mut::<Socket<'_>>(slot.socket);
        if !client.is_at_request() {
            return client.leave(socket, now.ms(), &self.timeouts);
        }
        let site = &mut self.sites[slot.site];
        let mut desk = Desk {
            application: &mut site.application,
            counters: &mut self.counters,
            limits: &self.limits,
            timeouts: &self.timeouts,
            now_ms: now.ms(),
            draining: self.draining,
            memory: Memory { free, vital: site.vital },
            reserve: &mut self.reserve,
        };
        client.refuse(408, &mut desk);
        client.step(socket, &mut desk);
    }
}
