//! One direction of a link: a queue before a wire, then the wire's loss and delay.

use loadstone_stats::Rng;

use crate::Nanos;
use crate::shape::{Jitter, Shape};

/// Bytes of a frame of cross-traffic: a full one.
pub(crate) const CROSS_BYTES: usize = 1514;
/// Frames of cross-traffic replayed after an idle time. Older ones have left the queue: at 90 % load the
/// memory of an M/D/1 queue is some hundreds of service times.
const REPLAYED: f64 = 2000.0;

/// What becomes of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It leaves the far end at this time.
    Departs(Nanos),
    /// It found the queue full.
    QueueFull,
    /// It was lost on the wire.
    Lost,
}

/// The queue and the wire. Frames keep their order, as on any single path of a real network: a frame that
/// drew a short delay waits for the one before it.
#[derive(Debug)]
pub struct Pipe {
    shape: Shape,
    wire: Wire,
    rng: Rng,
    /// When the wire has sent what it was given; behind the clock while the bucket has tokens.
    free_at: Nanos,
    last_departure: Nanos,
    /// Next arrival of cross-traffic.
    next_cross: f64,
    cross_frames: u64,
}

/// A shape in the units of the clock.
#[derive(Debug)]
struct Wire {
    /// Time that one byte takes.
    ns_per_byte: f64,
    burst: Nanos,
    queue: Nanos,
    /// Mean time between two frames of cross-traffic.
    cross_gap: f64,
}

impl Wire {
    fn new(shape: &Shape) -> Self {
        let ns_per_byte = shape.rate_mbit.map_or(0.0, |rate| 8e3 / rate);
        Self {
            ns_per_byte,
            burst: (shape.burst_kib * 1024.0 * ns_per_byte) as Nanos,
            queue: (shape.queue_ms * 1e6) as Nanos,
            cross_gap: if shape.cross_mbit > 0.0 {
                CROSS_BYTES as f64 * 8e3 / shape.cross_mbit
            } else {
                f64::INFINITY
            },
        }
    }
}

impl Pipe {
    /// A pipe at time 0. The shape must pass `Shape::check`.
    pub fn new(shape: Shape, mut rng: Rng) -> Self {
        let wire = Wire::new(&shape);
        let next_cross = exponential(&mut rng, wire.cross_gap);
        Self { shape, wire, rng, free_at: 0, last_departure: 0, next_cross, cross_frames: 0 }
    }

    /// Another shape from now on, which must pass `Shape::check`. Frames keep their order: what is offered
    /// from now on leaves after what was offered before.
    pub fn reshape(&mut self, now: Nanos, shape: Shape) {
        self.cross_until(now);
        self.wire = Wire::new(&shape);
        self.next_cross = now as f64 + exponential(&mut self.rng, self.wire.cross_gap);
        self.shape = shape;
    }

    /// Gives the pipe a frame. `now` must not go back from call to call.
    pub fn offer(&mut self, now: Nanos, bytes: usize) -> Fate {
        self.cross_until(now);
        let Some(sent) = self.transmit(now, bytes) else { return Fate::QueueFull };
        // The frame had its time on the wire before it was lost there.
        if self.shape.loss > 0.0 && self.rng.chance(self.shape.loss) {
            return Fate::Lost;
        }
        self.last_departure = self.last_departure.max(sent + self.delay());
        Fate::Departs(self.last_departure)
    }

    /// Frames of cross-traffic that have passed the queue.
    pub fn cross_frames(&self) -> u64 {
        self.cross_frames
    }

    /// When the last byte is on the wire; None when the frame would wait too long. A token bucket in the
    /// form of the generic cell rate algorithm (ITU-T I.371): without burst it is a plain wire.
    fn transmit(&mut self, now: Nanos, bytes: usize) -> Option<Nanos> {
        if self.wire.ns_per_byte == 0.0 {
            return Some(now);
        }
        if self.free_at.saturating_sub(now) > self.wire.queue {
            return None;
        }
        let start = self.free_at.max(now.saturating_sub(self.wire.burst));
        self.free_at = start + (bytes as f64 * self.wire.ns_per_byte).round() as Nanos;
        Some(self.free_at.max(now))
    }

    fn cross_until(&mut self, now: Nanos) {
        let now = now as f64;
        if self.next_cross > now {
            return;
        }
        self.next_cross = self.next_cross.max(now - REPLAYED * self.wire.cross_gap);
        while self.next_cross <= now {
            if self.transmit(self.next_cross as Nanos, CROSS_BYTES).is_some() {
                self.cross_frames += 1;
            }
            self.next_cross += exponential(&mut self.rng, self.wire.cross_gap);
        }
    }

    fn delay(&mut self) -> Nanos {
        let (mean, deviation) = (self.shape.delay_ms, self.shape.jitter_ms);
        if deviation == 0.0 {
            return (mean * 1e6) as Nanos;
        }
        let away = match self.shape.law {
            Jitter::Normal => normal(&mut self.rng),
            // Uniform on [-√3, √3] has deviation 1.
            Jitter::Uniform => (self.rng.unit_open() * 2.0 - 1.0) * 3.0_f64.sqrt(),
            Jitter::Exponential => exponential(&mut self.rng, 1.0) - 1.0,
        };
        // The cast takes what is below zero to zero.
        ((mean + deviation * away) * 1e6) as Nanos
    }
}

fn exponential(rng: &mut Rng, mean: f64) -> f64 {
    -mean * rng.unit_open().ln()
}

/// Box and Muller's transform, one of its two numbers.
fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * rng.unit_open().ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.unit_open()).cos()
}
