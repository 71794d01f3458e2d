//! Who may tell where a neighbour is: only who was asked, and who asks for a connection, for itself.
//!
//! smoltcp asks for one neighbour a second. Somebody who asks for a connection has said with that where it is;
//! it is introduced to smoltcp by the question that it might have asked.

use alloc::vec::Vec;

use smoltcp::time::{Duration, Instant};

use super::frame::Address;

/// Length of an introduction of a neighbour: an ARP frame.
const INTRODUCTION: usize = 42;
const TYPE_ARP: [u8; 2] = [8, 6];
const REQUEST: [u8; 2] = [0, 1];
const REPLY: [u8; 2] = [0, 2];
/// Questions whose answers are awaited: smoltcp asks one a second.
const ASKED: usize = 8;

/// Questions about neighbours that are open.
#[derive(Debug, Default)]
pub struct Questions {
    asked: [[u8; 4]; ASKED],
    next: usize,
}

impl Questions {
    /// Notes the question in a frame that is sent, if it is one.
    pub fn sent(&mut self, frame: &[u8]) {
        if let Some((REQUEST, _, target)) = read(frame) {
            self.asked[self.next % ASKED] = target;
            self.next += 1;
        }
    }

    /// Whether a frame that came may be seen: it is no answer, or one that was asked for. Each question has
    /// one answer.
    pub fn admits(&mut self, frame: &[u8]) -> bool {
        let Some((REPLY, sender, _)) = read(frame) else { return true };
        let asked = self.asked.iter_mut().find(|asked| **asked == sender && sender != [0; 4]);
        asked.map(|asked| *asked = [0; 4]).is_some()
    }
}

/// Neighbours that are remembered as introduced, and for how long: less than smoltcp knows them. Until then
/// nobody else can be introduced in their name.
const INTRODUCED: usize = 256;
const LASTING: Duration = Duration::from_secs(30);

/// Who has been introduced to smoltcp.
#[derive(Debug, Default)]
pub struct Introductions {
    known: Vec<(Address, Instant)>,
    next: usize,
}

impl Introductions {
    /// Whether a neighbour has to be introduced; it counts as introduced then.
    pub fn lack(&mut self, source: Address, now: Instant) -> bool {
        if self.known.iter().any(|(known, until)| *known == source && now < *until) {
            return false;
        }
        let entry = (source, now + LASTING);
        if self.known.len() < INTRODUCED {
            self.known.push(entry);
        } else {
            self.known[self.next % INTRODUCED] = entry;
            self.next += 1;
        }
        true
    }
}

/// The introduction of who sends a frame with a segment over IPv4.
pub fn introduction(frame: &[u8]) -> Vec<u8> {
    let mut arp = alloc::vec![0; INTRODUCTION];
    arp[..12].copy_from_slice(&frame[..12]);
    arp[12..22].copy_from_slice(&[8, 6, 0, 1, 8, 0, 6, 4, 0, 1]);
    arp[22..28].copy_from_slice(&frame[6..12]);
    arp[28..32].copy_from_slice(&frame[26..30]);
    arp[38..42].copy_from_slice(&frame[30..34]);
    arp
}

/// What an ARP frame does, whose address it tells, and whose it asks for.
fn read(frame: &[u8]) -> Option<([u8; 2], [u8; 4], [u8; 4])> {
    let arp = frame.get(12..42).filter(|arp| arp[..2] == TYPE_ARP)?;
    let four = |at: usize| [arp[at], arp[at + 1], arp[at + 2], arp[at + 3]];
    Some(([arp[8], arp[9]], four(16), four(26)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arp(operation: [u8; 2], sender: [u8; 4], target: [u8; 4]) -> [u8; 42] {
        let mut frame = [0; 42];
        frame[12..14].copy_from_slice(&TYPE_ARP);
        frame[20..22].copy_from_slice(&operation);
        frame[28..32].copy_from_slice(&sender);
        frame[38..42].copy_from_slice(&target);
        frame
    }

    #[test]
    fn only_who_was_asked_may_answer_and_once() {
        let (us, them, other) = ([10, 0, 0, 1], [10, 0, 0, 2], [10, 0, 0, 3]);
        let mut questions = Questions::default();
        assert!(!questions.admits(&arp(REPLY, them, us)));
        assert!(!questions.admits(&arp(REPLY, [0; 4], us)));
        assert!(questions.admits(&arp(REQUEST, them, us)), "others may ask");
        questions.sent(&arp(REQUEST, us, them));
        assert!(!questions.admits(&arp(REPLY, other, us)));
        assert!(questions.admits(&arp(REPLY, them, us)));
        assert!(!questions.admits(&arp(REPLY, them, us)));
        assert!(questions.admits(&[0; 20]), "what is no ARP is not judged");
    }
}
