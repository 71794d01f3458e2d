//! The switch without devices: frames and times in, frames and times out.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::rc::Rc;

use loadstone_stats::{Histogram, Rng};

use crate::Nanos;
use crate::counters::PortCounters;
use crate::frame::Header;
use crate::pipe::{Fate, Pipe};
use crate::shape::Shape;
use crate::table::Table;

/// Most memory of frames under way at once; further ones are dropped and counted. A gigabit of full frames
/// over two seconds of delay fits.
const MOST_BYTES: usize = 256 << 20;
/// What a frame takes besides its bytes: its event and its place in the heap, roughly.
const FRAME_COSTS: usize = 64;

/// A learning switch with shaped links.
pub struct Switch {
    ports: Vec<Port>,
    table: Table,
    under_way: BinaryHeap<Reverse<Event>>,
    /// Memory of what is under way; a frame that was flooded counts for each copy.
    bytes: usize,
    sequence: u64,
    seed: u64,
}

struct Port {
    up: Pipe,
    down: Pipe,
    cut: bool,
    counters: PortCounters,
    late_us: Histogram,
}

/// A frame at the end of a pipe. Ordered by time, then by the order in which frames entered their pipes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at: Nanos,
    sequence: u64,
    port: usize,
    end: End,
    frame: Rc<[u8]>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// It reaches the switch.
    Switch,
    /// It reaches the host.
    Host,
}

impl Switch {
    /// A switch with a port for each (up, down) pair of shapes, which must pass `Shape::check`.
    pub fn new(links: impl IntoIterator<Item = (Shape, Shape)>, seed: u64) -> Self {
        let mut switch = Self {
            ports: Vec::new(),
            table: Table::default(),
            under_way: BinaryHeap::new(),
            bytes: 0,
            sequence: 0,
            seed,
        };
        for (up, down) in links {
            switch.add(up, down);
        }
        switch
    }

    /// Adds a port; its number. The shapes must pass `Shape::check`.
    pub fn add(&mut self, up: Shape, down: Shape) -> usize {
        let stream = 2 * self.ports.len() as u64;
        self.ports.push(Port {
            up: Pipe::new(up, Rng::stream(self.seed, stream)),
            down: Pipe::new(down, Rng::stream(self.seed, stream + 1)),
            cut: false,
            counters: PortCounters::default(),
            late_us: Histogram::new(),
        });
        self.ports.len() - 1
    }

    /// Gives a port's link other shapes, which must pass `Shape::check`; cuts it or mends it. Frames keep
    /// their order. A link that is cut loses what is under way on it.
    pub fn set(&mut self, now: Nanos, port: usize, up: Shape, down: Shape, cut: bool) {
        let port = &mut self.ports[port];
        port.up.reshape(now, up);
        port.down.reshape(now, down);
        port.cut = cut;
    }

    /// Forgets which address is where: hosts have moved.
    pub fn forget(&mut self) {
        self.table = Table::default();
    }

    /// Takes a frame that the host at `port` sent. `now` must not go back from call to call.
    pub fn receive(&mut self, now: Nanos, port: usize, frame: &[u8]) {
        let Some(header) = Header::parse(frame) else {
            self.ports[port].counters.malformed += 1;
            return;
        };
        self.table.learn(now, header.source, port);
        self.enter(now, port, End::Switch, Rc::from(frame));
    }

    /// When `poll` has something to do next.
    pub fn next_event(&self) -> Option<Nanos> {
        self.under_way.peek().map(|Reverse(event)| event.at)
    }

    /// Moves what is due at `now`, at most so many frames; hands frames for hosts to `deliver` with their
    /// port. It answers whether the host took the frame.
    pub fn poll(&mut self, now: Nanos, most: usize, mut deliver: impl FnMut(usize, &[u8]) -> bool) {
        for _ in 0..most {
            let Some(event) = self.under_way.peek_mut().filter(|next| next.0.at <= now) else { return };
            let Reverse(event) = PeekMut::pop(event);
            self.bytes -= costs(&event.frame);
            let Port { cut, counters, late_us, .. } = &mut self.ports[event.port];
            let direction = match event.end {
                End::Switch => &mut counters.up,
                End::Host => &mut counters.down,
            };
            direction.under_way -= 1;
            if *cut {
                direction.cut += 1;
                continue;
            }
            direction.passed += 1;
            match event.end {
                // The next pipe counts from when the frame was due, so that lateness does not add up.
                End::Switch => self.forward(event),
                End::Host if deliver(event.port, &event.frame) => {
                    let late = (now - event.at) / 1000;
                    counters.delivered += 1;
                    counters.late_us_max = counters.late_us_max.max(late);
                    late_us.record(late);
                }
                End::Host => counters.refused += 1,
            }
        }
    }

    /// Counters of each port.
    pub fn counters(&self) -> Vec<PortCounters> {
        self.ports
            .iter()
            .map(|port| {
                let mut counters = port.counters;
                let late_us = |share| port.late_us.quantile(share).unwrap_or(0.0).round() as u64;
                (counters.late_us_p50, counters.late_us_p99) = (late_us(0.5), late_us(0.99));
                counters.up.cross_frames = port.up.cross_frames();
                counters.down.cross_frames = port.down.cross_frames();
                counters
            })
            .collect()
    }

    fn forward(&mut self, event: Event) {
        let Some(header) = Header::parse(&event.frame) else { return };
        let known =
            (!header.destination.is_group()).then(|| self.table.port(event.at, header.destination)).flatten();
        match known {
            Some(port) if port == event.port => self.ports[port].counters.turned_back += 1,
            Some(port) => self.enter(event.at, port, End::Host, event.frame),
            None => {
                let others = self.ports.len() as u64 - 1;
                let counters = &mut self.ports[event.port].counters;
                counters.flooded += 1;
                counters.copies += others;
                for port in (0..self.ports.len()).filter(|port| *port != event.port) {
                    self.enter(event.at, port, End::Host, Rc::clone(&event.frame));
                }
            }
        }
    }

    /// Gives a frame to one of a port's pipes.
    fn enter(&mut self, now: Nanos, port: usize, end: End, frame: Rc<[u8]>) {
        let Port { up, down, counters, cut, .. } = &mut self.ports[port];
        let (pipe, counters) = match end {
            End::Switch => (up, &mut counters.up),
            End::Host => (down, &mut counters.down),
        };
        counters.frames += 1;
        counters.bytes += frame.len() as u64;
        if *cut {
            counters.cut += 1;
            return;
        }
        if self.bytes + costs(&frame) > MOST_BYTES {
            counters.overflow += 1;
            return;
        }
        match pipe.offer(now, frame.len()) {
            Fate::Departs(at) => {
                counters.under_way += 1;
                self.bytes += costs(&frame);
                self.under_way.push(Reverse(Event { at, sequence: self.sequence, port, end, frame }));
                self.sequence += 1;
            }
            Fate::QueueFull => counters.queue_full += 1,
            Fate::Lost => counters.lost += 1,
        }
    }
}

fn costs(frame: &[u8]) -> usize {
    frame.len() + FRAME_COSTS
}
