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

use super::frame::{ACK, Address, RST, SYN, Segment};
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
    /// By how much its numbers are moved.
    shift: u32,
    /// Whether there still is a socket for it.
    lives: bool,
}

/// Moves the numbers of connections, and lets only those end them who know them.
#[derive(Debug)]
pub struct Guard {
    secret: [u64; 2],
    /// In the order of flows: a tree takes several kilobytes of code.
    flows: Vec<(Flow, Last)>,
    /// Who has our first number already; smoltcp has been asked and has not said its own.
    numbered: Option<(Flow, u32)>,
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
        Self { secret, flows: Vec::new(), numbered: None }
    }

    /// By how much the numbers of a connection are moved.
    fn shift(&self, flow: Flow, ours: Address) -> u32 {
        if let Ok(at) = self.find(flow) {
            return self.flows[at].1.shift;
        }
        let mut hasher = SipHasher13::new_with_keys(self.secret[0], self.secret[1]);
        write_ends(&mut hasher, flow, ours);
        hasher.finish() as u32
    }

    /// smoltcp is asked for a connection whose client has our first number already: the answer moves the
    /// connection's numbers to it, and is not sent.
    pub fn expect(&mut self, flow: Flow, number: u32) {
        self.numbered = Some((flow, number));
    }

    /// Whether smoltcp has not answered such a question yet.
    pub fn expects(&self) -> bool {
        self.numbered.is_some()
    }

    /// It has not, and will not.
    pub fn give_up(&mut self) {
        self.numbered = None;
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

    /// Turns a segment of smoltcp's into what is sent; whether it is.
    pub fn send(&mut self, segment: &Segment, frame: &mut [u8]) -> bool {
        let [(ours, port), (remote, theirs)] = segment.ends(frame);
        let flow = (remote, theirs, port);
        let sent = segment.sequence(frame);
        let opening = segment.flags & (SYN | RST | ACK) == SYN | ACK;
        let numbered = self.numbered.filter(|(numbered, _)| opening && *numbered == flow);
        let shift = match numbered {
            Some((_, number)) => number.wrapping_sub(sent),
            None => self.shift(flow, ours),
        };
        if segment.flags & (RST | ACK) == ACK {
            let expects = segment.acknowledged(frame);
            // Who has the number has had the answer.
            let opening = opening && numbered.is_none();
            let last = Last { expects, sent, opening, shift, lives: true };
            match self.find(flow) {
                Ok(at) => self.flows[at].1 = last,
                Err(at) => self.flows.insert(at, (flow, last)),
            }
        }
        segment.set_sequence(frame, sent.wrapping_add(shift));
        if numbered.is_some() {
            self.numbered = None;
        }
        numbered.is_none()
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

/// Hashes the ends of a connection.
pub fn write_ends(hasher: &mut SipHasher13, flow: Flow, ours: Address) {
    hasher.write(&flow.0.to_be_bytes());
    hasher.write(&ours.to_be_bytes());
    hasher.write_u32(u32::from(flow.1) << 16 | u32::from(flow.2));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::frame::tests::opening;

    /// A segment of ours to port 12345 of 10.0.2.2, or one from there.
    fn segment(outward: bool, flags: u8, sequence: u32, acknowledged: u32) -> (Segment, Vec<u8>) {
        let mut frame = opening(80, b"");
        if outward {
            let (addresses, ports) = (frame[26..34].to_vec(), frame[34..38].to_vec());
            frame[26..30].copy_from_slice(&addresses[4..]);
            frame[30..34].copy_from_slice(&addresses[..4]);
            frame[34..36].copy_from_slice(&ports[2..]);
            frame[36..38].copy_from_slice(&ports[..2]);
        }
        let segment = Segment::find(&frame).unwrap();
        segment.set_flags(&mut frame, flags);
        segment.set_sequence(&mut frame, sequence);
        segment.set_acknowledged(&mut frame, acknowledged);
        (Segment::find(&frame).unwrap(), frame)
    }

    #[test]
    fn numbers_that_the_client_has_already_are_kept_beyond_the_end_of_their_range() {
        let mut guard = Guard::new([1, 2]);
        let (came, frame) = segment(false, ACK, 78, 0);
        let [(theirs, from), (_, to)] = came.ends(&frame);
        guard.expect((theirs, from, to), u32::MAX - 1);
        let (other, mut frame) = segment(true, ACK, 9, 9);
        assert!(guard.send(&other, &mut frame), "only the answer is withheld");
        let (answer, mut frame) = segment(true, SYN | ACK, 500, 78);
        assert!(!guard.send(&answer, &mut frame), "the client has had it");
        assert!(!guard.expects());
        let (ours, mut frame) = segment(true, ACK, 501, 78);
        assert!(guard.send(&ours, &mut frame));
        assert_eq!(ours.sequence(&frame), u32::MAX);
        let (ours, mut frame) = segment(true, ACK, 1501, 78);
        assert!(guard.send(&ours, &mut frame));
        assert_eq!(ours.sequence(&frame), 999);
        let (came, mut frame) = segment(false, ACK, 78, 999);
        guard.take(&came, &mut frame);
        assert_eq!(came.acknowledged(&frame), 1501);
        let (reset, frame) = segment(false, RST, 78, 0);
        assert_eq!(guard.judge(&reset, &frame), Verdict::Pass, "it is the exact one");
    }
}
