//! The machine's main loop.

use alloc::boxed::Box;
use alloc::vec::Vec;

use smoltcp::wire::IpCidr;

use super::arch::{console, interrupts};
use super::devices::Found;
use super::{clock, devices, entropy, heap, power, refuse};
use crate::args::Args;
use crate::events::{Callbacks, Order, Scaling};
use crate::fixed;
use crate::net::Wire;
use crate::one_cpu::OneCpu;
use crate::server::{Counters, Now, Server};
#[cfg(feature = "metrics")]
use crate::server::{Figures, Metrics};
use crate::virtio::entropy::Entropy;
use crate::virtio::net::{Card, Receiver, Sender};
use crate::virtio::{IoRegion, Kind, Transport};

/// Between two looks at what does not interrupt: the power button.
const LONGEST_US: u64 = 500_000;
/// Answers leave together that were made within this time, others do not wait for them. To send for each is
/// dear.
const ROUND_US: u64 = 15_000;
/// Between two looks at the real-time clock.
const DAY_EVERY_US: u64 = 60_000_000;
/// The share of free memory that is kept for the application.
const KEPT: usize = 4;
/// How long the last requests may take when the machine is asked to end.
const DRAIN_US: u64 = 5_000_000;

/// What an image opens its application on.
pub struct Machine {
    /// The command line.
    pub args: Args,
    /// What the application wants to hear of.
    pub callbacks: Callbacks,
    io: IoRegion,
    found: Vec<Found>,
}

unsafe extern "Rust" {
    /// Defined by [`crate::image`].
    safe static LOADSTONE_IMAGE: super::Open;
    /// The same.
    safe static LOADSTONE_NAME: &'static str;
}

/// What is told about the machine as it runs.
#[derive(Clone, Copy)]
struct State {
    counters: Counters,
    damaged: u64,
    dropped: u64,
    #[cfg(feature = "metrics")]
    cookies: [u64; 2],
    #[cfg(all(feature = "metrics", feature = "ipv6"))]
    dropped_six: crate::net::Dropped,
    halted_us: u64,
    started_s: u64,
}

static STATE: OneCpu<State> = OneCpu::new(State {
    counters: Counters {
        accepted: 0,
        requests: 0,
        responses: [0; 5],
        bad_requests: 0,
        slow: [0; 3],
        closed_idle: 0,
        evicted: 0,
        bytes_in: 0,
        bytes_out: 0,
        open_connections: 0,
    },
    damaged: 0,
    dropped: 0,
    #[cfg(feature = "metrics")]
    cookies: [0; 2],
    #[cfg(all(feature = "metrics", feature = "ipv6"))]
    dropped_six: crate::net::Dropped { packets: 0, neighbours: 0, echoes: 0 },
    halted_us: 0,
    started_s: 0,
});

/// What timestamps count from, so that they do not tell how long the machine has been up (RFC 7323 §7.1).
static FIRST_TICK: OneCpu<u32> = OneCpu::new(0);

/// Milliseconds for timestamps.
fn ticks() -> u32 {
    // SAFETY: nothing else is using it.
    let first = *unsafe { FIRST_TICK.get() };
    first.wrapping_add((clock::monotonic_us() / 1000) as u32)
}

impl Machine {
    /// Takes the devices of a kind.
    fn take(&mut self, kind: Kind) -> Option<Found> {
        let at = self.found.iter().position(|found| found.kind == kind)?;
        Some(self.found.swap_remove(at))
    }

    /// Takes the machine's disk; none when it has none.
    ///
    /// # Errors
    /// A sentence when it cannot be used.
    #[cfg(feature = "block")]
    pub fn disk(&mut self) -> Result<Option<crate::virtio::block::Disk>, crate::Refusal> {
        use crate::virtio::block::{Disk, Patience};
        let Some(found) = self.take(Kind::Block) else { return Ok(None) };
        let patience = Patience { now_us: clock::monotonic_us, rest: interrupts::halt };
        let disk = Disk::new(found.transport, &mut self.io, patience);
        disk.map(Some).map_err(|why| alloc::format!("virtio-blk: {why}"))
    }
}

/// Runs the image until it is asked to end.
pub(super) fn run(args: Args, io: IoRegion) -> ! {
    if !clock::set_day(args.time_s) {
        refuse("the time is not known: there is no real-time clock, and no time=SECONDS on the command line");
    }
    let found = devices::find(&args);
    let mut machine = Machine { args, callbacks: Callbacks::default(), io, found };
    if let Some(found) = machine.take(Kind::Entropy) {
        let source = Entropy::new(found.transport, &mut machine.io);
        entropy::set_source(source.unwrap_or_else(|why| refuse(&alloc::format!("virtio-rng: {why}"))));
    }
    if !entropy::is_there() {
        refuse("there is no entropy: neither virtio-rng nor the RDRAND instruction");
    }
    let service = LOADSTONE_IMAGE(&mut machine).unwrap_or_else(|why| refuse(&why));
    let Some(card) = machine.take(Kind::Net) else { refuse("there is no network card") };
    let number = card.number;
    let card = Card::new(card.transport, &mut machine.io)
        .unwrap_or_else(|why| refuse(&alloc::format!("virtio-net: {why}")));
    let handler = service.handler().unwrap_or_else(|why| refuse(&why));
    let random = || {
        let mut bytes = [0; 8];
        entropy::fill(&mut bytes);
        u64::from_le_bytes(bytes)
    };
    let Card { receiver, sender, address, transport } = card;
    #[cfg(feature = "guard")]
    {
        // SAFETY: nothing else is using it.
        *unsafe { FIRST_TICK.get() } = random() as u32;
    }
    let wire = Wire::new(receiver, sender, [random(), random()], ticks);
    let mut server = Server::new(wire, address, &machine.args, random(), now());
    #[cfg(feature = "tls")]
    if machine.args.tls {
        server.secure(super::secrets::tls().unwrap_or_else(|why| refuse(&why)));
    }
    let free = heap().free();
    server.serve(machine.args.port, handler, machine.args.connections, free);
    #[cfg(feature = "metrics")]
    if let Some(port) = machine.args.metrics {
        server.serve(port, Metrics::new(figures), 8, free);
    }
    crate::log!("appliance: up after {} us, {} KiB of memory free", clock::monotonic_us(), free / 1024);
    Loop {
        server,
        transport,
        number,
        kept: free / KEPT,
        port: machine.args.port,
        told: None,
        callbacks: machine.callbacks,
        scaling: machine.args.scale_percent.map(|percent| Scaling::new(percent, clock::monotonic_us(), 0)),
        commands: Vec::new(),
        ends_us: None,
        #[cfg(feature = "pci")]
        power: super::arch::pci::Power::find(),
    }
    .run()
}

/// Whether the machine has begun to serve.
pub(super) fn serves() -> bool {
    // SAFETY: nothing else is using it.
    unsafe { STATE.get() }.started_s > 0
}

fn now() -> Now {
    Now { monotonic_us: clock::monotonic_us(), unix_s: clock::unix_s() }
}

#[cfg(feature = "metrics")]
fn figures() -> Figures {
    // SAFETY: nothing else is using it.
    let state = unsafe { STATE.get() };
    let heap = heap();
    Figures {
        counters: state.counters,
        heap: (heap.total, heap.used),
        started_s: state.started_s,
        busy_us: clock::monotonic_us() - state.halted_us,
        damaged: state.damaged,
        dropped: state.dropped,
        cookies: state.cookies,
        #[cfg(feature = "ipv6")]
        dropped_six: state.dropped_six,
    }
}

/// The state of the main loop.
struct Loop {
    server: Server<Receiver, Sender>,
    transport: Box<dyn Transport>,
    number: usize,
    /// Bytes of memory that clients may not take.
    kept: usize,
    port: u16,
    /// The address that the console was told.
    told: Option<IpCidr>,
    callbacks: Callbacks,
    scaling: Option<Scaling>,
    /// What has come of a command.
    commands: Vec<u8>,
    /// When the machine ends, if it was asked to.
    ends_us: Option<u64>,
    #[cfg(feature = "pci")]
    power: Option<super::arch::pci::Power>,
}

impl Loop {
    fn run(&mut self) -> ! {
        // SAFETY: nothing else is using it.
        unsafe { STATE.get() }.started_s = clock::unix_s();
        #[cfg(feature = "ipv6")]
        if let Some([own, local]) = self.server.addresses6() {
            let port = self.port;
            crate::log!("serving {LOADSTONE_NAME} at [{own}]:{port}, on its link at [{local}]:{port}");
        }
        let mut day_us = clock::monotonic_us() + DAY_EVERY_US;
        loop {
            let now = now();
            let mut sent_us = now.monotonic_us;
            let mut is_late = || {
                let at_us = clock::monotonic_us();
                let late = at_us > sent_us + ROUND_US;
                sent_us = if late { at_us } else { sent_us };
                late
            };
            let kept = self.kept;
            let free = || heap().free().saturating_sub(kept);
            let wait_us = self.server.poll(now, &free, &mut is_late);
            // SAFETY: nothing else is using it.
            let state = unsafe { STATE.get() };
            state.dropped = self.server.wire.gates.iter().map(|gate| gate.dropped).sum();
            #[cfg(feature = "metrics")]
            {
                state.cookies = [self.server.wire.cookies_sent, self.server.wire.cookies_taken];
            }
            #[cfg(all(feature = "metrics", feature = "ipv6"))]
            {
                state.dropped_six = self.server.wire.dropped_six();
            }
            let halted_us = state.halted_us;
            (state.counters, state.damaged) = (self.server.counters, self.server.wire.damaged);
            if self.ends_us.is_some_and(|at| self.server.is_drained() || at <= now.monotonic_us) {
                self.callbacks.shutdown();
                crate::log!("appliance: off");
                power::end(power::End::Clean);
            }
            if day_us <= now.monotonic_us {
                day_us = now.monotonic_us + DAY_EVERY_US;
                clock::set_day(None);
            }
            self.tell_address();
            self.scale(now.monotonic_us, halted_us);
            self.hear();
            #[cfg(feature = "pci")]
            if self.power.as_ref().is_some_and(super::arch::pci::Power::is_pressed) {
                self.end();
            }
            if wait_us > 0 {
                self.halt(wait_us.min(LONGEST_US));
            }
        }
    }

    /// Halts unless there is something to do.
    fn halt(&mut self, most_us: u64) {
        if !self.server.wire.incoming.await_frame() {
            let from = clock::monotonic_us();
            interrupts::halt(most_us);
            // SAFETY: nothing else is using it.
            unsafe { STATE.get() }.halted_us += clock::monotonic_us() - from;
        }
        self.server.wire.incoming.ignore();
        if interrupts::take_device(self.number) {
            self.transport.quiet();
        }
    }

    /// Says where the machine can be reached, when that is known or has changed.
    fn tell_address(&mut self) {
        let address = self.server.address();
        if address == self.told {
            return;
        }
        self.told = address;
        match address {
            Some(address) => crate::log!("serving {LOADSTONE_NAME} at {}:{}", address.address(), self.port),
            None => crate::log!("appliance: the address was taken away"),
        }
    }

    /// Follows what the console says.
    fn hear(&mut self) {
        if !interrupts::take_console() {
            return;
        }
        while let Some(byte) = console::take() {
            match byte {
                b'\r' | b'\n' => {
                    let line = core::mem::take(&mut self.commands);
                    self.obey(core::str::from_utf8(&line).unwrap_or(""));
                }
                _ if self.commands.len() < 80 => self.commands.push(byte),
                _ => {}
            }
        }
    }

    fn obey(&mut self, command: &str) {
        match Order::read(command) {
            Some(Order::Shutdown) => self.end(),
            Some(Order::Relocate) => self.prepare_to_move(),
            Some(Order::Resumed) => self.arrive(),
            Some(Order::Status) => self.tell_status(),
            Some(Order::Sibling(address)) => crate::log!("appliance: sibling {address}"),
            None if command.trim().is_empty() => {}
            None => crate::log!("appliance: no order `{}`", command.trim()),
        }
    }

    /// Makes the machine small, for it is about to be copied; it goes on serving.
    fn prepare_to_move(&mut self) {
        self.callbacks.relocate();
        self.server.compact();
        super::compact();
        let cleared = super::clear_free();
        crate::log!("relocate: ready, {} KiB in use, {} KiB cleared", heap().used / 1024, cleared / 1024);
    }

    /// The machine has been copied or has slept: the day is another, and so may be the neighbours.
    fn arrive(&mut self) {
        clock::set_day(None);
        self.server.announce();
        self.callbacks.resume();
        crate::log!("relocate: resumed");
    }

    fn tell_status(&self) {
        // SAFETY: nothing else is using it.
        let state = unsafe { STATE.get() };
        let (counters, heap) = (state.counters, heap());
        crate::log!(
            "status: up {} ms, halted {} ms, {} requests, {} connections, {} of {} KiB in use",
            clock::monotonic_us() / 1000,
            state.halted_us / 1000,
            counters.requests,
            counters.open_connections,
            heap.used / 1024,
            heap.total / 1024
        );
    }

    /// Asks the host for a sibling when there is too much to do.
    fn scale(&mut self, now_us: u64, halted_us: u64) {
        if const { fixed::is("scale", "off") } {
            return;
        }
        if let Some(busy) = self.scaling.as_mut().and_then(|scaling| scaling.look(now_us, halted_us)) {
            crate::log!("want sibling: busy {busy} %");
        }
    }

    /// Ends the machine when the requests at hand are answered.
    fn end(&mut self) {
        crate::log!("appliance: ending");
        self.server.drain();
        self.ends_us.get_or_insert(clock::monotonic_us() + DRAIN_US);
    }
}
