//! What strangers must not be able to do to connections (RFC 6528, RFC 5961), beneath smoltcp.
//!
//! smoltcp draws the first number of each connection from one generator, so that who opens three knows the
//! fourth, whosever it is. Here each connection's numbers are moved by a secret of its own: those of one say
//! nothing about those of another. And smoltcp ends a connection by any reset within its window; here only
//! the exact one passes. Any other, and a SYN, becomes an acknowledgement of what was never sent, which smoltcp
//! answers as the RFC wants it: with a challenge, once a second at most.

use alloc::vec::Vec;
use core::hash::Hasher;

use siphasher::sip::SipHasher13;

use super::frame::{ACK, RST, SYN, Segment};
use super::screen::Flow;

/// So far beyond what was sent that no acknowledgement can be meant.
const BEYOND: u32 = 1 << 30;

/// What is known of a connection by what was sent last on it.
#[derive(Debug, Clone, Copy)]
struct Last {
    /// What is expected next.
    expects: u32,
    /// What was sent, in smoltcp's numbers.
    sent: u32,
    /// Whether it was the answer to who asked for the connection.
    opening: bool,
    /// Whether there still is a socket for it.
    lives: bool,
}

/// Moves the numbers of connections, and lets only those end them who know them.
#[derive(Debug)]
pub struct Guard {
    secret: [u64; 2],
    /// In the order of flows: a tree takes several kilobytes of code.
    flows: Vec<(Flow, Last)>,
}

/// What becomes of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It passes as it is.
    Pass,
    /// It becomes one that is answered with a challenge.
    Challenge,
    /// It is dropped.
    Drop,
}

impl Guard {
    /// With a secret that nobody can guess.
    pub fn new(secret: [u64; 2]) -> Self {
        Self { secret, flows: Vec::new() }
    }

    /// By how much the numbers of a connection are moved.
    fn shift(&self, flow: Flow, ours: u32) -> u32 {
        let mut hasher = SipHasher13::new_with_keys(self.secret[0], self.secret[1]);
        hasher.write_u64(u64::from(flow.0) << 32 | u64::from(flow.1) << 16 | u64::from(flow.2));
        hasher.write_u32(ours);
        hasher.finish() as u32
    }

    /// Whether a segment that came is of a connection that there is.
    pub fn knows(&self, segment: &Segment, frame: &[u8]) -> bool {
        let [(remote, theirs), (_, port)] = segment.ends(frame);
        self.find((remote, theirs, port)).is_ok()
    }

    /// Where a connection stands, or would.
    fn find(&self, flow: Flow) -> Result<usize, usize> {
        self.flows.binary_search_by(|(known, _)| known.cmp(&flow))
    }

    /// Judges a segment that came, whose numbers are those of the other side.
    pub fn judge(&self, segment: &Segment, frame: &[u8]) -> Verdict {
        if segment.flags & (RST | SYN) == 0 {
            return Verdict::Pass;
        }
        let [(remote, theirs), (_, port)] = segment.ends(frame);
        let Ok(at) = self.find((remote, theirs, port)) else { return Verdict::Pass };
        let last = &self.flows[at].1;
        let exact = segment.sequence(frame) == last.expects;
        match (segment.flags & RST != 0, last.opening) {
            (true, _) if exact => Verdict::Pass,
            (true, true) => Verdict::Drop,
            // Asked for once more, because the answer was lost: smoltcp sends it again by itself. It would give
            // who asks to any socket that listens, and the client would have two, one of which resets it.
            (false, true) => Verdict::Drop,
            (_, false) => Verdict::Challenge,
        }
    }

    /// Turns a segment that came into what smoltcp is to see.
    pub fn take(&mut self, segment: &Segment, frame: &mut [u8]) {
        let [(remote, theirs), (ours, port)] = segment.ends(frame);
        let flow = (remote, theirs, port);
        if self.judge(segment, frame) == Verdict::Challenge {
            let sent = self.find(flow).map_or(0, |at| self.flows[at].1.sent);
            segment.set_flags(frame, ACK);
            segment.set_acknowledged(frame, sent.wrapping_add(BEYOND));
            return;
        }
        if segment.flags & ACK != 0 {
            let number = segment.acknowledged(frame).wrapping_sub(self.shift(flow, ours));
            segment.set_acknowledged(frame, number);
        }
        if segment.flags & RST != 0
            && let Ok(at) = self.find(flow)
        {
            self.flows.remove(at);
        }
    }

    /// Turns a segment of smoltcp's into what is sent.
    pub fn send(&mut self, segment: &Segment, frame: &mut [u8]) {
        let [(ours, port), (remote, theirs)] = segment.ends(frame);
        let flow = (remote, theirs, port);
        let sent = segment.sequence(frame);
        if segment.flags & (RST | ACK) == ACK {
            let (expects, opening) = (segment.acknowledged(frame), segment.flags & SYN != 0);
            let last = Last { expects, sent, opening, lives: true };
            match self.find(flow) {
                Ok(at) => self.flows[at].1 = last,
                Err(at) => self.flows.insert(at, (flow, last)),
            }
        }
        segment.set_sequence(frame, sent.wrapping_add(self.shift(flow, ours)));
    }

    /// Forgets all connections but these.
    pub fn keep(&mut self, flows: impl Iterator<Item = Flow>) {
        self.flows.iter_mut().for_each(|(_, last)| last.lives = false);
        for flow in flows {
            if let Ok(at) = self.find(flow) {
                self.flows[at].1.lives = true;
            }
        }
        self.flows.retain(|(_, last)| last.lives);
    }
}
