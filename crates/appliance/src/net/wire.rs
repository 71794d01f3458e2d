//! A network card as smoltcp wants it.

use alloc::vec::Vec;
use core::cell::RefCell;

use smoltcp::phy::{self, Checksum, DeviceCapabilities, Medium};
use smoltcp::time::Instant;
use smoltcp::wire::TcpTimestampGenerator;

use super::frame::Segment;
use super::gate::{Admission, Gate};
use super::screen::{Ahead, Flow, Leaving, Passage, Screen};
#[cfg(feature = "ipv6")]
use super::six::{Dropped, Entry, Link};
use super::{Departure, GUARDED, Incoming, Outgoing, Verified};

/// Largest frame, with its Ethernet header.
const FRAME: usize = 1514;

/// A card, with what is decided about frames before TCP sees them.
#[derive(Debug)]
pub struct Wire<I, O> {
    /// Frames from others.
    pub incoming: I,
    /// Frames to others.
    pub outgoing: O,
    /// Who may connect; frames for other ports pass.
    pub gates: Vec<Gate>,
    /// Segments dropped because their checksum was wrong.
    pub damaged: u64,
    /// Answers to who asked for a connection that took no socket.
    pub cookies_sent: u64,
    /// Connections that came of those.
    pub cookies_taken: u64,
    /// Frames pass it in both directions, in one call of smoltcp's.
    screen: RefCell<Screen>,
    /// What smoltcp is to see before the next frame.
    ahead: Option<Ahead>,
}

impl<I: Incoming, O: Outgoing> Wire<I, O> {
    /// Over both directions of a card. `secret`: unpredictable, for the numbers of connections. `ticks`:
    /// milliseconds, since whenever, for timestamps.
    pub fn new(incoming: I, outgoing: O, secret: [u64; 2], ticks: TcpTimestampGenerator) -> Self {
        let screen = RefCell::new(Screen::new(secret, ticks));
        Self {
            incoming,
            outgoing,
            gates: Vec::new(),
            damaged: 0,
            cookies_sent: 0,
            cookies_taken: 0,
            screen,
            ahead: None,
        }
    }

    /// What sockets need to speak of timestamps, if they are to.
    pub fn ticks(&self) -> Option<TcpTimestampGenerator> {
        if GUARDED { self.screen.borrow().ticks() } else { None }
    }

    /// Whether nothing more comes in before smoltcp has sent what it has to: it was asked for a connection whose
    /// client has our first number already.
    pub fn expects(&self) -> bool {
        GUARDED && self.screen.borrow().expects()
    }

    /// smoltcp has sent all that there was room for; whether frames come in again.
    pub fn resume(&mut self) -> bool {
        let screen = self.screen.get_mut();
        if screen.expects() && self.outgoing.has_room() {
            // It had no socket, whatever the reason. Who has the number brings it again.
            screen.give_up();
            self.incoming.done();
        }
        !screen.expects()
    }

    /// Forgets all connections but these.
    pub fn keep(&mut self, flows: impl Iterator<Item = Flow>) {
        self.screen.get_mut().keep(flows);
    }

    /// Has packets of IPv6 come in for the machine's addresses.
    #[cfg(feature = "ipv6")]
    pub fn set_link(&mut self, link: Link) {
        self.screen.get_mut().six.set_link(link);
    }

    /// Frames of IPv6 that were dropped before TCP saw them.
    #[cfg(feature = "ipv6")]
    pub fn dropped_six(&self) -> Dropped {
        self.screen.borrow().six.dropped
    }

    /// Tells the card of all that happened.
    pub fn flush(&mut self) {
        self.incoming.flush();
        self.outgoing.flush();
    }

    /// Drops what TCP must not see, up to a frame that it may; whether there is one, and room for an answer, as
    /// there is when this begins. It may be another than the next: one that introduces who sends that.
    fn advance(&mut self, now: Instant) -> bool {
        let screen = self.screen.get_mut();
        while let Some((frame, Verified(verified))) = self.incoming.peek() {
            #[cfg(feature = "ipv6")]
            match screen.six.judge(frame, now) {
                Entry::In => {}
                Entry::Told(frame) => {
                    self.incoming.done();
                    self.ahead = Some(frame);
                    return true;
                }
                Entry::Answered(answer) => {
                    self.incoming.done();
                    send_whole(&mut self.outgoing, &answer);
                    if !self.outgoing.has_room() {
                        return false;
                    }
                    continue;
                }
                Entry::Dropped => {
                    self.incoming.done();
                    continue;
                }
            }
            let Some(segment) = Segment::find(frame) else {
                if screen.admits(frame) {
                    return true;
                }
                self.incoming.done();
                continue;
            };
            if !verified && !segment.is_intact(frame) {
                self.damaged += 1;
                self.incoming.done();
                continue;
            }
            let passage = screen.passage(&segment, frame, now);
            match passage {
                Passage::Free => return true,
                Passage::Shut => {
                    self.incoming.done();
                    continue;
                }
                Passage::Opens | Passage::Proven(_) => {}
            }
            let gate = self.gates.iter_mut().find(|gate| gate.port == segment.port);
            let proven = matches!(passage, Passage::Proven(_));
            if GUARDED
                && !proven
                && let Some(gate) = gate.as_ref().filter(|gate| gate.may_open == 0)
            {
                let answered = screen.answer(&segment, frame, gate.receives, now, &mut self.outgoing);
                self.cookies_sent += u64::from(answered);
                self.incoming.done();
                if !self.outgoing.has_room() {
                    return false;
                }
                continue;
            }
            self.ahead = screen.introduction(&segment, frame, now);
            if self.ahead.is_some() {
                return true;
            }
            match gate.map_or(Admission::In, |gate| gate.ask(proven)) {
                Admission::In => {
                    self.cookies_taken += u64::from(proven);
                    self.ahead = screen.question(passage);
                    return true;
                }
                Admission::Waits => return false,
                Admission::Dropped => self.incoming.done(),
            }
        }
        false
    }
}

/// Sends a frame as it is.
#[cfg(feature = "ipv6")]
pub(crate) fn send_whole<O: Outgoing>(outgoing: &mut O, frame: &[u8]) {
    outgoing.send(frame.len(), |bytes| (bytes.copy_from_slice(frame), Departure::Whole));
}

/// Completes the checksum of a segment, or has the card complete it.
pub(super) fn seal(frame: &mut [u8], segment: Option<Segment>, completes: bool) -> Departure {
    let Some(segment) = segment else { return Departure::Whole };
    if completes {
        let (from, at) = segment.begin_seal(frame);
        return Departure::Unsealed(from, at);
    }
    segment.seal(frame);
    Departure::Whole
}

impl<I: Incoming, O: Outgoing> phy::Device for Wire<I, O> {
    type RxToken<'a>
        = Received<'a, I>
    where
        Self: 'a;
    type TxToken<'a>
        = Sent<'a, O>
    where
        Self: 'a;

    fn receive(&mut self, now: Instant) -> Option<(Received<'_, I>, Sent<'_, O>)> {
        // A frame that could not be answered waits.
        if self.expects() || !self.outgoing.has_room() || !self.advance(now) {
            return None;
        }
        let ahead = self.ahead.take();
        Some((Received(&mut self.incoming, &self.screen, ahead), Sent(&mut self.outgoing, &self.screen)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Sent<'_, O>> {
        if self.outgoing.has_room() { Some(Sent(&mut self.outgoing, &self.screen)) } else { None }
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = FRAME;
        // TCP's are done here, wide words at a time, or by the card.
        capabilities.checksum.tcp = Checksum::None;
        capabilities
    }
}

/// A frame that came, or one that smoltcp is to see before it.
pub struct Received<'a, I: Incoming>(&'a mut I, &'a RefCell<Screen>, Option<Ahead>);

impl<I: Incoming> phy::RxToken for Received<'_, I> {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        if let Some(ahead) = &self.2 {
            return f(ahead);
        }
        let Some((frame, _)) = self.0.peek() else { return f(&[]) };
        self.1.borrow_mut().take(frame);
        f(frame)
    }
}

/// Its room goes back to the card when smoltcp is done with it.
impl<I: Incoming> Drop for Received<'_, I> {
    fn drop(&mut self) {
        if self.2.is_none() {
            self.0.done();
        }
    }
}

/// A frame to send.
pub struct Sent<'a, O: Outgoing>(&'a mut O, &'a RefCell<Screen>);

impl<O: Outgoing> phy::TxToken for Sent<'_, O> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        let completes = self.0.offload().completes_sent;
        self.0.send(len, |frame| {
            let result = f(frame);
            let departure = match self.1.borrow_mut().send(frame) {
                Leaving::Withheld => Departure::Withheld,
                Leaving::Sent(segment) => seal(frame, segment, completes),
            };
            (result, departure)
        })
    }
}
