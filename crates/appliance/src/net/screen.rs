//! What frames are held against before smoltcp, or the card, sees them: the part `guard`, or nothing.

#[cfg(not(any(test, feature = "guard")))]
use alloc::vec::Vec;

use smoltcp::time::Instant;

#[cfg(not(any(test, feature = "guard")))]
use super::frame::SYN;
use super::frame::Segment;
#[cfg(any(test, feature = "guard"))]
use super::guard::{Guard, Verdict};
#[cfg(any(test, feature = "guard"))]
use super::neighbours::{Introductions, Questions};

/// Length of an introduction of a neighbour: an ARP frame.
pub(super) const INTRODUCTION: usize = 42;

/// A connection: the address and port of the other side, and the port of ours.
pub type Flow = (u32, u16, u16);

/// What becomes of a segment that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passage {
    /// It is of a connection, or needs none.
    Free,
    /// It asks for a connection.
    Opens,
    /// It is dropped: somebody guesses, or asks again for a connection that has been answered.
    Shut,
}

/// Strangers are kept from what is not theirs.
#[cfg(any(test, feature = "guard"))]
#[derive(Debug)]
pub(super) struct Screen {
    guard: Guard,
    questions: Questions,
    introductions: Introductions,
}

#[cfg(any(test, feature = "guard"))]
impl Screen {
    pub fn new(secret: [u64; 2]) -> Self {
        let (questions, introductions) = (Questions::default(), Introductions::default());
        Self { guard: Guard::new(secret), questions, introductions }
    }

    /// A frame that smoltcp is to see before this one, which asks for a connection.
    pub fn introduction(&mut self, frame: &[u8], now: Instant) -> Option<[u8; INTRODUCTION]> {
        self.introductions.of(frame, now)
    }

    pub fn passage(&self, segment: &Segment, frame: &[u8]) -> Passage {
        if self.guard.judge(segment, frame) == Verdict::Drop {
            Passage::Shut
        } else if segment.opens && !self.guard.knows(segment, frame) {
            Passage::Opens
        } else {
            Passage::Free
        }
    }

    /// Whether a frame without a segment may be seen.
    pub fn admits(&mut self, frame: &[u8]) -> bool {
        self.questions.admits(frame)
    }

    /// Turns a frame that came into what smoltcp is to see.
    pub fn take(&mut self, frame: &mut [u8]) {
        if let Some(segment) = Segment::find(frame) {
            self.guard.take(&segment, frame);
        }
    }

    /// Turns a frame of smoltcp's into what is sent; its segment, if it has one.
    pub fn send(&mut self, frame: &mut [u8]) -> Option<Segment> {
        let segment = Segment::find(frame);
        match &segment {
            Some(segment) => self.guard.send(segment, frame),
            None => self.questions.sent(frame),
        }
        segment
    }

    /// Forgets all connections but these.
    pub fn keep(&mut self, flows: impl Iterator<Item = Flow>) {
        self.guard.keep(flows);
    }
}

/// Everything passes as it is, but for who asks again: smoltcp would give who does to any socket that listens,
/// and the client would have two, one of which resets it.
#[cfg(not(any(test, feature = "guard")))]
#[derive(Debug)]
pub(super) struct Screen {
    /// Who has an answer and nothing else yet.
    opening: Vec<Flow>,
}

#[cfg(not(any(test, feature = "guard")))]
impl Screen {
    pub fn new(_: [u64; 2]) -> Self {
        Self { opening: Vec::new() }
    }

    pub fn introduction(&mut self, _: &[u8], _: Instant) -> Option<[u8; INTRODUCTION]> {
        None
    }

    pub fn passage(&self, segment: &Segment, frame: &[u8]) -> Passage {
        let [(remote, theirs), (_, port)] = segment.ends(frame);
        match segment.opens {
            true if self.opening.contains(&(remote, theirs, port)) => Passage::Shut,
            true => Passage::Opens,
            false => Passage::Free,
        }
    }

    pub fn admits(&mut self, _: &[u8]) -> bool {
        true
    }

    pub fn take(&mut self, _: &mut [u8]) {}

    pub fn send(&mut self, frame: &mut [u8]) -> Option<Segment> {
        let segment = Segment::find(frame)?;
        let [(_, port), (remote, theirs)] = segment.ends(frame);
        let flow = (remote, theirs, port);
        self.opening.retain(|known| *known != flow);
        if segment.flags & SYN != 0 {
            self.opening.push(flow);
        }
        Some(segment)
    }

    /// Forgets all connections but these.
    pub fn keep(&mut self, flows: impl Iterator<Item = Flow>) {
        let alive: Vec<Flow> = flows.collect();
        self.opening.retain(|known| alive.contains(known));
    }
}
