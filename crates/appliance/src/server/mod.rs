//! HTTP on smoltcp's sockets: one task a connection, driven by [`Server::poll`].
//!
//! Memory decides how many connections there are: a client for whom there is no socket is not answered yet, a
//! request for which there is no memory is refused with 503.

mod address;
mod client;
mod counters;
mod desk;
mod expiry;
mod line;
#[cfg(feature = "metrics")]
mod metrics;
mod supply;
#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::vec::Vec;

use loadstone_http::{Handler, Limits};
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::socket::tcp::{Socket, State};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpAddress, IpCidr};

use crate::args::Args;
use crate::net::{Gate, Incoming, Outgoing, Wire};
#[cfg(feature = "tls")]
use crate::tls::Tls;
use address::set_address;
use client::{Client, Step};
pub use counters::Counters;
use desk::{Application, Desk, Free, Memory, Reserve};
use line::Line;
#[cfg(feature = "metrics")]
pub use metrics::{Figures, Metrics};

/// Sockets of a port that listen for newcomers, while there is memory: so many may come at the same instant.
const BACKLOG: usize = 16;
/// Sockets of a port when memory is short.
const LEAST: usize = 4;
/// The share of a port's sockets, and how many, that may be half-open; who asks beyond is answered without one.
const HALF_OPEN_SHARE: usize = 4;
const HALF_OPEN: usize = 64;
/// Frames taken before connections have their turn.
const FRAMES: usize = 256;
/// How long a client may take to close after it has all of the last response (RFC 9112 §9.6).
const LINGER_MS: u64 = 1000;
/// How long a handshake may take, and how long what was sent may stay without acknowledgement.
const PATIENCE: Duration = Duration::from_secs(20);
/// Most of the time between two turns that counts as attended.
const ATTENDED_MS: u64 = 50;
/// Between two looks at deadlines.
const SWEEP_MS: u64 = 250;
/// Most of an answer that is made as a whole; larger ones are made in pieces while they are sent.
const ANSWER: usize = 512 * 1024;
/// Most of such a piece, with what making it takes.
const PIECE: usize = 64 * 1024;
/// What a connection takes beside its socket's buffers: its state, the head of a request, a page.
const BESIDE: usize = 8 * 1024;

/// How long a client may take, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// From the first byte of a head (of the first head: from the connection) to its last.
    pub head_ms: u64,
    /// Between two arrivals of body bytes.
    pub body_ms: u64,
    /// Without a request on a connection that has had one.
    pub idle_ms: u64,
    /// Between two departures of response bytes.
    pub write_ms: u64,
}

impl Default for Timeouts {
    /// Those of the container.
    fn default() -> Self {
        Self { head_ms: 10_000, body_ms: 20_000, idle_ms: 60_000, write_ms: 20_000 }
    }
}

/// The time, as the caller sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Microseconds of a clock that never goes back.
    pub monotonic_us: u64,
    /// Seconds since 1970.
    pub unix_s: u64,
}

impl Now {
    fn ms(self) -> u64 {
        self.monotonic_us / 1000
    }

    fn instant(self) -> Instant {
        Instant::from_micros(self.monotonic_us as i64)
    }
}

/// A socket and who is on it.
struct Slot {
    socket: SocketHandle,
    site: usize,
    client: Option<Client>,
    /// Since when it waits for the end of a handshake, in the server's attended milliseconds.
    opening_ms: Option<u64>,
}

/// A port and its application.
struct Site {
    port: u16,
    application: Application,
    /// Most sockets.
    most: usize,
    /// Whether it is served as well when clients have taken all memory that they may.
    vital: bool,
}

/// All connections of a machine.
pub struct Server<I: Incoming, O: Outgoing> {
    /// The card.
    pub wire: Wire<I, O>,
    interface: Interface,
    sockets: SocketSet<'static>,
    sites: Vec<Site>,
    slots: Vec<Slot>,
    /// What has been done.
    pub counters: Counters,
    limits: Limits,
    timeouts: Timeouts,
    buffers: (usize, usize),
    reserve: Reserve,
    draining: bool,
    next_sweep_ms: u64,
    polled_ms: u64,
    /// Time in which frames were looked at: what waits while the machine does not run is nobody's fault.
    attended_ms: u64,
    #[cfg(feature = "dhcp")]
    lease: Option<SocketHandle>,
    /// For the next port that is served.
    #[cfg(feature = "tls")]
    tls: Option<Tls>,
    /// Addresses of IPv6, if there are any.
    #[cfg(feature = "ipv6")]
    link: Option<crate::net::Link>,
}

impl<I: Incoming, O: Outgoing> Server<I, O> {
    /// A server without a port. `seed`: unpredictable, for TCP's sequence numbers.
    pub fn new(mut wire: Wire<I, O>, address: [u8; 6], args: &Args, seed: u64, now: Now) -> Self {
        let mut config = Config::new(HardwareAddress::Ethernet(EthernetAddress(address)));
        config.random_seed = seed;
        let mut interface = Interface::new(config, &mut wire, now.instant());
        #[cfg_attr(not(feature = "dhcp"), expect(unused_mut, reason = "sockets are added later"))]
        let mut sockets = SocketSet::new(Vec::new());
        #[cfg(feature = "dhcp")]
        let lease = args.address.is_none().then(|| sockets.add(smoltcp::socket::dhcpv4::Socket::new()));
        if let Some((address, bits)) = args.address {
            set_address(&mut interface, IpCidr::new(IpAddress::Ipv4(address), bits));
        }
        if let Some(gateway) = args.gateway {
            // There is room for one route in any configuration of smoltcp.
            let _ = interface.routes_mut().add_default_ipv4_route(gateway);
        }
        #[cfg(feature = "ipv6")]
        let link = args.address6.map(|own| crate::net::Link::new(address, own));
        #[cfg(feature = "ipv6")]
        address::add_six(&mut interface, &mut wire, link, args);
        Self {
            wire,
            interface,
            sockets,
            sites: Vec::new(),
            slots: Vec::new(),
            counters: Counters::default(),
            limits: Limits::default(),
            timeouts: Timeouts::default(),
            buffers: args.buffers,
            reserve: Reserve::default(),
            draining: false,
            next_sweep_ms: 0,
            polled_ms: 0,
            attended_ms: 0,
            #[cfg(feature = "dhcp")]
            lease,
            #[cfg(feature = "tls")]
            tls: None,
            #[cfg(feature = "ipv6")]
            link,
        }
    }

    /// Has the next port that is served speak TLS.
    #[cfg(feature = "tls")]
    pub fn secure(&mut self, tls: Tls) {
        self.tls = Some(tls);
    }

    /// Serves `handler` on a port with at most `connections`, 0: as many as fit into half of `free` bytes of
    /// memory, of which an eighth is the largest body.
    pub fn serve(&mut self, port: u16, handler: Box<dyn Handler>, connections: usize, free: usize) {
        #[cfg_attr(not(feature = "tls"), expect(unused_mut, reason = "ports are plain"))]
        let mut application = Application::new(handler);
        #[cfg(feature = "tls")]
        {
            application.tls = self.tls.take();
        }
        let each = self.buffers.0 + self.buffers.1 + BESIDE + application.session_bytes();
        let most = if connections > 0 { connections } else { (free / 2 / each).clamp(LEAST, 4096) };
        self.limits.body_bytes = self.limits.body_bytes.min(free as u64 / 8);
        // The first port is the site's; those behind it are the operator's.
        let vital = !self.sites.is_empty();
        self.sites.push(Site { port, application, most, vital });
        self.wire.gates.push(Gate { port, receives: self.buffers.0, ..Gate::default() });
    }

    /// Takes no more connections, and closes each behind its response.
    pub fn drain(&mut self) {
        self.draining = true;
    }

    /// Whether every connection is closed.
    pub fn is_drained(&self) -> bool {
        self.draining && self.counters.open_connections == 0
    }

    /// Does all that can be done now. `free` tells the bytes of memory that clients may still take. Returns when
    /// there is something to be done next, in microseconds from now, if nothing comes before. `is_late`:
    /// whether what was answered should leave before more is; it is asked behind each connection's turn.
    pub fn poll(&mut self, now: Now, free: Free<'_>, is_late: &mut dyn FnMut() -> bool) -> u64 {
        self.sites.iter_mut().for_each(|site| site.application.composer.set_time(now.unix_s));
        self.attended_ms += (now.ms() - self.polled_ms).min(ATTENDED_MS);
        self.polled_ms = now.ms();
        self.replenish(free, now);
        for _ in 0..FRAMES {
            let result = self.interface.poll_ingress_single(now.instant(), &mut self.wire, &mut self.sockets);
            if result == smoltcp::iface::PollIngressSingleResult::None {
                if self.wire.expects() {
                    self.send(now);
                    if self.wire.resume() {
                        continue;
                    }
                    break;
                }
                if !self.wire.gates.iter().any(|gate| gate.waits) {
                    break;
                }
                self.replenish(free, now);
            }
        }
        #[cfg(feature = "dhcp")]
        self.renew_lease();
        let again = self.converse(now, free, is_late);
        if now.ms() >= self.next_sweep_ms {
            self.next_sweep_ms = now.ms() + SWEEP_MS;
            self.close_expired(now, free);
            self.forget_flows();
        }
        self.send(now);
        if again { 0 } else { self.rest(now) }
    }

    /// Sends what connections have to send.
    fn send(&mut self, now: Now) {
        while self.interface.poll_egress(now.instant(), &mut self.wire, &mut self.sockets)
            != smoltcp::iface::PollResult::None
        {}
        self.wire.flush();
    }

    /// Microseconds until the next deadline.
    fn rest(&mut self, now: Now) -> u64 {
        let sweep_us = (self.next_sweep_ms.saturating_sub(now.ms())) * 1000;
        let most_us = if self.counters.open_connections > 0 { sweep_us } else { u64::MAX };
        let delay = self.interface.poll_delay(now.instant(), &self.sockets);
        delay.map_or(most_us, |delay| delay.total_micros().min(most_us))
    }

    /// Gives every connection its turn; whether any wants another at once.
    fn converse(&mut self, now: Now, free: Free<'_>, is_late: &mut dyn FnMut() -> bool) -> bool {
        let (mut again, mut open) = (false, 0);
        let ticks = self.wire.ticks();
        let mut at = 0;
        while at < self.slots.len() {
            let slot = &mut self.slots[at];
            let socket = self.sockets.get_mut::<Socket<'_>>(slot.socket);
            match socket.state() {
                State::Listen => {
                    slot.opening_ms = None;
                    if self.draining {
                        socket.abort();
                    }
                }
                State::SynReceived => drop(slot.opening_ms.get_or_insert(self.attended_ms)),
                State::Closed => {
                    slot.client = None;
                    let gate = &mut self.wire.gates[slot.site];
                    if self.draining || gate.listening >= BACKLOG {
                        self.sockets.remove(slot.socket);
                        self.slots.swap_remove(at);
                        continue;
                    }
                    gate.listening += 1;
                    supply::listen(socket, gate.port, ticks);
                }
                State::TimeWait => slot.client = None,
                _ => {
                    open += 1;
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
                    slot.opening_ms = None;
                    let client = slot.client.get_or_insert_with(|| {
                        desk.counters.accepted += 1;
                        Client::new(Line::new(desk.application), now.ms(), &self.timeouts)
                    });
                    again |= client.step(socket, &mut desk) == Step::Again;
                    if is_late() {
                        self.send(now);
                    }
                }
            }
            at += 1;
        }
        self.counters.open_connections = open;
        again
    }
}
