//! What frames are held against before smoltcp, or the card, sees them: the part `guard`, or nothing.

use alloc::vec::Vec;

use smoltcp::time::Instant;
use smoltcp::wire::TcpTimestampGenerator;

#[cfg(any(test, feature = "guard"))]
use super::Outgoing;
#[cfg(any(test, feature = "guard"))]
use super::cookies::Cookies;
#[cfg(not(any(test, feature = "guard")))]
use super::frame::SYN;
use super::frame::{Address, Segment};
#[cfg(any(test, feature = "guard"))]
use super::guard::{Guard, Verdict};
#[cfg(any(test, feature = "guard"))]
use super::neighbours::{Introductions, Questions, introduction};
#[cfg(any(test, feature = "guard"))]
use super::opening::{self, Redeemed};
#[cfg(feature = "ipv6")]
use super::six::{Six, is_six};

/// Nothing is redeemed without the part `guard`.
#[cfg(not(any(test, feature = "guard")))]
type Redeemed = core::convert::Infallible;

/// A connection: the address and port of the other side, and the port of ours.
pub type Flow = (Address, u16, u16);

/// A frame of our own making that smoltcp is to see before another.
#[cfg(any(test, feature = "guard"))]
pub(super) type Ahead = Vec<u8>;
/// There is none, and what handles it takes no code.
#[cfg(not(any(test, feature = "guard")))]
#[derive(Debug)]
pub(super) enum Ahead {}

#[cfg(not(any(test, feature = "guard")))]
impl core::ops::Deref for Ahead {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match *self {}
    }
}

/// What becomes of a segment that came.
#[derive(Debug)]
#[cfg_attr(
    feature = "ipv6",
    expect(clippy::large_enum_variant, reason = "there is one at a time, on the stack")
)]
pub(super) enum Passage {
    /// It is of a connection, or needs none.
    Free,
    /// It asks for a connection.
    Opens,
    /// It ends a handshake that smoltcp knows nothing of.
    #[cfg_attr(
        not(any(test, feature = "guard")),
        expect(dead_code, reason = "only the part `guard` has a handshake of its own")
    )]
    Proven(Redeemed),
    /// It is dropped: somebody guesses, or asks again for a connection that has been answered.
    Shut,
}

/// What becomes of a frame of smoltcp's.
#[derive(Debug)]
pub(super) enum Leaving {
    /// It is sent, with its segment, if it has one.
    Sent(Option<Segment>),
    /// It is not sent: the client has had it.
    #[cfg_attr(
        not(any(test, feature = "guard")),
        expect(dead_code, reason = "only the part `guard` has a handshake of its own")
    )]
    Withheld,
}

/// Strangers are kept from what is not theirs.
#[cfg(any(test, feature = "guard"))]
#[derive(Debug)]
pub(super) struct Screen {
    guard: Guard,
    cookies: Cookies,
    questions: Questions,
    introductions: Introductions,
    ticks: TcpTimestampGenerator,
    #[cfg(feature = "ipv6")]
    pub six: Six,
}

#[cfg(any(test, feature = "guard"))]
impl Screen {
    pub fn new(secret: [u64; 2], ticks: TcpTimestampGenerator) -> Self {
        let (questions, introductions) = (Questions::default(), Introductions::default());
        // A digest of one kind is none of the other.
        let cookies = Cookies::new(secret.map(|half| !half));
        Self {
            guard: Guard::new(secret),
            cookies,
            questions,
            introductions,
            ticks,
            #[cfg(feature = "ipv6")]
            six: Six::new(),
        }
    }

    pub fn ticks(&self) -> Option<TcpTimestampGenerator> {
        Some(self.ticks)
    }

    /// A frame that smoltcp is to see before this one, which asks for a connection.
    pub fn introduction(&mut self, segment: &Segment, frame: &[u8], now: Instant) -> Option<Ahead> {
        let [(source, _), _] = segment.ends(frame);
        #[cfg(feature = "ipv6")]
        if is_six(frame) {
            let lacks = self.six.is_near(source) && self.introductions.lack(source, now);
            return if lacks { self.six.introduction(source, frame) } else { None };
        }
        self.introductions.lack(source, now).then(|| introduction(frame))
    }

    /// What becomes of a segment.
    pub fn passage(&self, segment: &Segment, frame: &[u8], now: Instant) -> Passage {
        if self.guard.judge(segment, frame) == Verdict::Drop {
            return Passage::Shut;
        }
        if !(segment.opens || segment.continues()) || self.guard.knows(segment, frame) {
            return Passage::Free;
        }
        if segment.opens {
            return Passage::Opens;
        }
        opening::redeem(&self.cookies, segment, frame, now).map_or(Passage::Free, Passage::Proven)
    }

    /// Answers who asks, and remembers nothing of it; whether it could be read.
    pub fn answer<O: Outgoing>(
        &mut self,
        segment: &Segment,
        frame: &[u8],
        receives: usize,
        now: Instant,
        outgoing: &mut O,
    ) -> bool {
        let most = self.most(segment, frame);
        let answer = opening::answer(&mut self.cookies, segment, frame, [receives, most], self.ticks, now);
        answer.map(|answer| answer.send(outgoing)).is_some()
    }

    /// Bytes of content that surely reach who sends a segment.
    #[cfg(feature = "ipv6")]
    fn most(&self, segment: &Segment, frame: &[u8]) -> usize {
        let [(source, _), _] = segment.ends(frame);
        if is_six(frame) { self.six.most(source) } else { usize::MAX }
    }

    /// The same: over IPv4 routers cut packets where they must.
    #[cfg(not(feature = "ipv6"))]
    fn most(&self, _: &Segment, _: &[u8]) -> usize {
        usize::MAX
    }

    /// What smoltcp is to be asked before it sees the end of a handshake.
    pub fn question(&mut self, passage: Passage) -> Option<Ahead> {
        let Passage::Proven(Redeemed { flow, number, question }) = passage else { return None };
        self.guard.expect(flow, number);
        Some(question.frame())
    }

    pub fn expects(&self) -> bool {
        self.guard.expects()
    }

    pub fn give_up(&mut self) {
        self.guard.give_up();
    }

    /// Whether a frame without a segment may be seen.
    pub fn admits(&mut self, frame: &[u8]) -> bool {
        self.questions.admits(frame)
    }

    /// Turns a frame that came into what smoltcp is to see.
    pub fn take(&mut self, frame: &mut [u8]) {
        let Some(segment) = Segment::find(frame) else { return };
        self.guard.take(&segment, frame);
        if segment.opens {
            let most = self.most(&segment, frame);
            opening::simplify(&segment, frame, most);
        }
    }

    /// Turns a frame of smoltcp's into what is sent.
    pub fn send(&mut self, frame: &mut [u8]) -> Leaving {
        let segment = Segment::find(frame);
        match &segment {
            Some(segment) if !self.guard.send(segment, frame) => return Leaving::Withheld,
            Some(_) => {}
            None => {
                self.questions.sent(frame);
                #[cfg(feature = "ipv6")]
                self.six.sent(frame);
            }
        }
        Leaving::Sent(segment)
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
    pub fn new(_: [u64; 2], _: TcpTimestampGenerator) -> Self {
        Self { opening: Vec::new() }
    }

    pub fn ticks(&self) -> Option<TcpTimestampGenerator> {
        None
    }

    pub fn introduction(&mut self, _: &Segment, _: &[u8], _: Instant) -> Option<Ahead> {
        None
    }

    pub fn passage(&self, segment: &Segment, frame: &[u8], _: Instant) -> Passage {
        let [(remote, theirs), (_, port)] = segment.ends(frame);
        match segment.opens {
            true if self.opening.contains(&(remote, theirs, port)) => Passage::Shut,
            true => Passage::Opens,
            false => Passage::Free,
        }
    }

    pub fn answer<O>(&mut self, _: &Segment, _: &[u8], _: usize, _: Instant, _: &mut O) -> bool {
        false
    }

    pub fn question(&mut self, _: Passage) -> Option<Ahead> {
        None
    }

    pub fn expects(&self) -> bool {
        false
    }

    pub fn give_up(&mut self) {}

    pub fn admits(&mut self, _: &[u8]) -> bool {
        true
    }

    pub fn take(&mut self, _: &mut [u8]) {}

    pub fn send(&mut self, frame: &mut [u8]) -> Leaving {
        let Some(segment) = Segment::find(frame) else { return Leaving::Sent(None) };
        let [(_, port), (remote, theirs)] = segment.ends(frame);
        let flow = (remote, theirs, port);
        self.opening.retain(|known| *known != flow);
        if segment.flags & SYN != 0 {
            self.opening.push(flow);
        }
        Leaving::Sent(Some(segment))
    }

    /// Forgets all connections but these.
    pub fn keep(&mut self, flows: impl Iterator<Item = Flow>) {
        let alive: Vec<Flow> = flows.collect();
        self.opening.retain(|known| alive.contains(known));
    }
}
