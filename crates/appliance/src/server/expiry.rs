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
            let idle =
                client.waiting == Waiting::Idle || (client.waiting == Waiting::Head && !client.has_input());
            if client.deadline_ms > now.ms() && !(self.draining && idle) {
                continue;
            }
            let socket = self.sockets.get_mut::<Socket<'_>>(slot.socket);
            match client.waiting {
                Waiting::Idle => self.counters.closed_idle += 1,
                Waiting::End | Waiting::Linger => {}
                Waiting::Head => self.counters.slow[0] += 1,
                Waiting::Body => self.counters.slow[1] += 1,
                Waiting::Write => self.counters.slow[2] += 1,
            }
            match client.waiting {
                Waiting::Head | Waiting::Body if !idle => {
                    let site = &mut self.sites[slot.site];
                    let mut desk = Desk {
                        application: &mut site.application,
                        counters: &mut self.counters,
                        limits: &self.limits,
                        timeouts: &self.timeouts,
                        now_ms: now.ms(),
                        draining: self.draining,
                        memory: Memory { free, vital: site.vital },
                    };
                    client.refuse(408, &mut desk);
                    client.step(socket, &mut desk);
                }
                Waiting::Linger => {
                    // It has all and may still be reading: a reset would take that away.
                    at -= 1;
                    self.sockets.remove(slot.socket);
                    self.slots.swap_remove(at);
                }
                Waiting::End | Waiting::Write => socket.abort(),
                _ => client.leave(socket, now.ms(), &self.timeouts),
            }
        }
    }
}
