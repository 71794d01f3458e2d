//! The switch without devices: frames and times in, frames and times out.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use loadstone_stats::{Histogram, Rng};
use serde::Serialize;

use crate::Nanos;
use crate::frame::Header;
use crate::pipe::{Fate, Pipe};
use crate::shape::Shape;
use crate::table::Table;

/// Most frames under way at once; further ones are dropped and counted. A gigabit of full frames over
/// half a second of delay fits.
const MOST: usize = 1 << 16;

/// What happened to the frames of one direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counters {
    /// Frames that entered it.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Lost on the wire.
    pub lost: u64,
    /// Dropped before a full queue.
    pub queue_full: u64,
    /// Dropped because too many frames were under way in the whole switch.
    pub overflow: u64,
    /// Frames of cross-traffic.
    pub cross_frames: u64,
}

/// Both directions of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PortCounters {
    /// From the host to the switch.
    pub up: Counters,
    /// From the switch to the host.
    pub down: Counters,
    /// Frames without readable addresses.
    pub malformed: u64,
    /// Frames handed to the host.
    pub delivered: u64,
    /// How much later than meant half of those were handed over, microseconds: the error of the emulation
    /// itself.
    pub late_us_p50: u64,
    /// The same for 99 % of them.
    pub late_us_p99: u64,
    /// The same at worst.
    pub late_us_max: u64,
}

/// A learning switch with shaped links.
pub struct Switch {
    ports: Vec<Port>,
    table: Table,
    under_way: BinaryHeap<Reverse<Event>>,
    sequence: u64,
}

struct Port {
    up: Pipe,
    down: Pipe,
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
        let ports = links.into_iter().zip((0..).step_by(2)).map(|((up, down), stream)| Port {
            up: Pipe::new(up, Rng::stream(seed, stream)),
            down: Pipe::new(down, Rng::stream(seed, stream + 1)),
            counters: PortCounters::default(),
            late_us: Histogram::new(),
        });
        Self { ports: ports.collect(), table: Table::default(), under_way: BinaryHeap::new(), sequence: 0 }
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

    /// Moves everything that is due at `now`, handing frames for hosts to `deliver` with their port.
    pub fn poll(&mut self, now: Nanos, mut deliver: impl FnMut(usize, &[u8])) {
        while let Some(Reverse(event)) = self.under_way.peek()
            && event.at <= now
        {
            let Some(Reverse(event)) = self.under_way.pop() else { return };
            match event.end {
                // The next pipe counts from when the frame was due, so that lateness does not add up.
                End::Switch => self.forward(event),
                End::Host => {
                    let late_us = (now - event.at) / 1000;
                    let Port { counters, late_us: all, .. } = &mut self.ports[event.port];
                    counters.delivered += 1;
                    counters.late_us_max = counters.late_us_max.max(late_us);
                    all.record(late_us);
                    deliver(event.port, &event.frame);
                }
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
            Some(port) if port == event.port => {}
            Some(port) => self.enter(event.at, port, End::Host, event.frame),
            None => {
                for port in (0..self.ports.len()).filter(|port| *port != event.port) {
                    self.enter(event.at, port, End::Host, Rc::clone(&event.frame));
                }
            }
        }
    }

    /// Gives a frame to one of a port's pipes.
    fn enter(&mut self, now: Nanos, port: usize, end: End, frame: Rc<[u8]>) {
        let Port { up, down, counters, .. } = &mut self.ports[port];
        let (pipe, counters) = match end {
            End::Switch => (up, &mut counters.up),
            End::Host => (down, &mut counters.down),
        };
        counters.frames += 1;
        counters.bytes += frame.len() as u64;
        if self.under_way.len() >= MOST {
            counters.overflow += 1;
            return;
        }
        match pipe.offer(now, frame.len()) {
            Fate::Departs(at) => {
                self.under_way.push(Reverse(Event { at, sequence: self.sequence, port, end, frame }));
                self.sequence += 1;
            }
            Fate::QueueFull => counters.queue_full += 1,
            Fate::Lost => counters.lost += 1,
        }
    }
}
