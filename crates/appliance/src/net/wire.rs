//! A network card as smoltcp wants it.

use alloc::vec::Vec;
use core::cell::RefCell;

use smoltcp::phy::{self, Checksum, DeviceCapabilities, Medium};
use smoltcp::time::Instant;

use super::frame::Segment;
use super::screen::{Flow, INTRODUCTION, Passage, Screen};
use super::{Incoming, Outgoing, Verified};

/// Largest frame, with its Ethernet header.
const FRAME: usize = 1514;

/// Who may ask for a connection. What comes when nobody listens waits until it was seen whether there can be
/// another socket. If not it is dropped, not refused: the client asks again soon, and a socket may be free by
/// then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gate {
    /// The port that connections are counted for.
    pub port: u16,
    /// Sockets that still listen.
    pub listening: usize,
    /// Whether there can be no more sockets now.
    pub full: bool,
    /// Whether a frame waits for a socket.
    pub waits: bool,
    /// Times that a connection was asked for in vain.
    pub dropped: u64,
}

/// What becomes of who asks for a connection.
enum Admission {
    In,
    Waits,
    Dropped,
}

impl Gate {
    fn ask(&mut self) -> Admission {
        if self.listening > 0 {
            self.listening -= 1;
            return Admission::In;
        }
        self.waits = !self.full;
        self.dropped += u64::from(self.full);
        if self.full { Admission::Dropped } else { Admission::Waits }
    }
}

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
    /// Frames pass it in both directions, in one call of smoltcp's.
    screen: RefCell<Screen>,
    /// What smoltcp is to see before the next frame.
    introduction: Option<[u8; INTRODUCTION]>,
}

impl<I: Incoming, O: Outgoing> Wire<I, O> {
    /// Over both directions of a card. `secret`: unpredictable, for the numbers of connections.
    pub fn new(incoming: I, outgoing: O, secret: [u64; 2]) -> Self {
        let screen = RefCell::new(Screen::new(secret));
        Self { incoming, outgoing, gates: Vec::new(), damaged: 0, screen, introduction: None }
    }

    /// Forgets all connections but these.
    pub fn keep(&mut self, flows: impl Iterator<Item = Flow>) {
        self.screen.get_mut().keep(flows);
    }

    /// Tells the card of all that happened.
    pub fn flush(&mut self) {
        self.incoming.flush();
        self.outgoing.flush();
    }

    /// Drops what TCP must not see, up to a frame that it may; whether there is one. It may be another than
    /// the next: one that introduces who sends that.
    fn advance(&mut self, now: Instant) -> bool {
        let screen = self.screen.get_mut();
        while let Some((frame, Verified(verified))) = self.incoming.peek() {
            let Some(segment) = Segment::find(frame) else {
                if screen.admits(frame) {
                    return true;
                }
                self.incoming.done();
                continue;
            };
            if !verified && !segment.is_intact(frame) {
                self.damaged += 1;
            } else {
                match screen.passage(&segment, frame) {
                    Passage::Free => return true,
                    Passage::Shut => {}
                    Passage::Opens => {
                        self.introduction = screen.introduction(frame, now);
                        if self.introduction.is_some() {
                            return true;
                        }
                        let gate = self.gates.iter_mut().find(|gate| gate.port == segment.port);
                        match gate.map_or(Admission::In, Gate::ask) {
                            Admission::In => return true,
                            Admission::Waits => return false,
                            Admission::Dropped => {}
                        }
                    }
                }
            }
            self.incoming.done();
        }
        false
    }
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
        if !self.outgoing.has_room() || !self.advance(now) {
            return None;
        }
        let introduction = self.introduction.take();
        Some((
            Received(&mut self.incoming, &self.screen, introduction),
            Sent(&mut self.outgoing, &self.screen),
        ))
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

/// A frame that came.
pub struct Received<'a, I: Incoming>(&'a mut I, &'a RefCell<Screen>, Option<[u8; INTRODUCTION]>);

impl<I: Incoming> phy::RxToken for Received<'_, I> {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        if let Some(introduction) = &self.2 {
            return f(introduction);
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
        let offload = self.0.offload();
        self.0.send(len, |frame| {
            let result = f(frame);
            let Some(segment) = self.1.borrow_mut().send(frame) else { return (result, None) };
            if offload.completes_sent {
                let request = segment.begin_seal(frame);
                return (result, Some(request));
            }
            segment.seal(frame);
            (result, None)
        })
    }
}
