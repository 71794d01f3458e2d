//! What of IPv6 comes in: TCP for the machine's own addresses. All else is answered here, or dropped.
//!
//! smoltcp would read extension headers, believe every advertisement, remember whoever asks, and look for a
//! neighbour before it answers one. Here who asks where the machine is, or whether it is there, is answered on
//! the spot, and nothing is remembered. Of neighbours smoltcp hears what it has asked for, once, and who begins
//! a connection, in frames that are made here: of ICMPv6 it sees no others.

mod made;
mod packet;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use core::net::Ipv6Addr;

use smoltcp::time::{Duration, Instant};

use super::frame::Address;
use made::{ALERT, EVERYBODY, ON_LINK, OVERRIDES, SOLICITED, advertisement, group_ethernet, solicited_node};
#[cfg(test)]
pub(crate) use packet::sum;
pub use packet::{ADDRESSES, BEHIND, Packet, addresses, is_six};
use packet::{EVERY_HOP, ICMP, read_address};

const TCP: u8 = 6;
const ECHO: u8 = 128;
const QUERY: u8 = 130;
const SOLICITATION: u8 = 135;
const ADVERTISEMENT: u8 = 136;
/// With what is between them, whatever is about neighbours and routers.
const ROUTER_SOLICITATION: u8 = 133;
const REDIRECT: u8 = 137;
/// Where in a message its target stands, where its options, and the option with a target's Ethernet address.
const TARGET_AT: usize = 8;
const OPTIONS_AT: usize = 24;
const PLACE: u8 = 2;

/// Questions whose answers are awaited: smoltcp asks one a second.
const ASKED: usize = 8;
/// Echoes, and answers to everybody on the link, in a second.
const ECHOES: u32 = 100;
const SECOND: Duration = Duration::from_secs(1);

/// Content of a segment that is on every path: of packets of 1280 bytes (RFC 8200 §5).
const EVERYWHERE: usize = 1220;

/// The addresses of a machine.
#[derive(Debug, Clone, Copy)]
pub struct Link {
    ethernet: [u8; 6],
    local: Address,
    own: Address,
    bits: u8,
}

impl Link {
    /// Of a machine with an address beside the one of the link.
    pub fn new(ethernet: [u8; 6], (own, bits): (Ipv6Addr, u8)) -> Self {
        Self { ethernet, local: link_local(ethernet).to_bits(), own: own.to_bits(), bits }
    }

    /// The address that is good everywhere.
    pub fn own(&self) -> Ipv6Addr {
        Ipv6Addr::from_bits(self.own)
    }

    /// The address that is good on the link.
    pub fn local(&self) -> Ipv6Addr {
        Ipv6Addr::from_bits(self.local)
    }

    /// Tells the neighbours where the machine is, and switches what it listens to.
    pub fn announcements(&self) -> [Vec<u8>; 3] {
        let own = [self.local, self.own];
        let [local, other] = own.map(|address| self.tell_everybody(address));
        [made::report(self.ethernet, self.local, own), local, other]
    }

    fn tell_everybody(&self, address: Address) -> Vec<u8> {
        let ethernet = [group_ethernet(EVERYBODY), self.ethernet];
        advertisement(ethernet, [address, EVERYBODY], address, OVERRIDES, self.ethernet)
    }

    fn has(&self, address: Address) -> bool {
        address == self.local || address == self.own
    }

    fn reaches(&self, address: Address) -> bool {
        (address ^ self.local) >> 64 == 0 || (address ^ self.own) >> (128 - self.bits) == 0
    }

    /// What tells smoltcp where a neighbour is.
    fn introduction(&self, neighbour: Address, place: [u8; 6]) -> Vec<u8> {
        advertisement([self.ethernet, place], [neighbour, self.local], neighbour, OVERRIDES, place)
    }
}

/// The address that is good on the link, from that of the card (RFC 4291 §2.5.1).
fn link_local([a, b, c, d, e, f]: [u8; 6]) -> Ipv6Addr {
    Ipv6Addr::from([0xfe, 0x80, 0, 0, 0, 0, 0, 0, a ^ 2, b, c, 0xff, 0xfe, d, e, f])
}

/// What becomes of a frame.
#[derive(Debug, PartialEq, Eq)]
pub enum Entry {
    /// It comes in: TCP for the machine, or no IPv6.
    In,
    /// It goes no further.
    Dropped,
    /// The same, and this is sent.
    Answered(Vec<u8>),
    /// The same, and smoltcp sees this.
    Told(Vec<u8>),
}

/// Why frames were dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Not for the machine, or with headers or messages that it has no use for.
    pub packets: u64,
    /// About neighbours or routers: not asked for, from elsewhere, of nobody here.
    pub neighbours: u64,
    /// Echoes beyond those of a second.
    pub echoes: u64,
}

/// Decides about frames of IPv6.
#[derive(Debug)]
pub struct Six {
    /// None: the machine has no address, and nothing comes in.
    link: Option<Link>,
    asked: [Address; ASKED],
    next: usize,
    /// Answers in the second that ends there.
    answers: u32,
    until: Instant,
    /// What was dropped.
    pub dropped: Dropped,
}

enum Why {
    Packet,
    Neighbour,
    Echo,
}

impl Six {
    /// Of a machine that has no address yet.
    pub fn new() -> Self {
        let dropped = Dropped::default();
        Self { link: None, asked: [0; ASKED], next: 0, answers: 0, until: Instant::ZERO, dropped }
    }

    /// Has packets come in for these addresses.
    pub fn set_link(&mut self, link: Link) {
        self.link = Some(link);
    }

    /// Notes the question about a neighbour in a frame that is sent, if it is one.
    pub fn sent(&mut self, frame: &[u8]) {
        let Some(packet) = Packet::read(frame).filter(|packet| packet.next == ICMP) else { return };
        let message = &frame[BEHIND..packet.end];
        if message.len() >= OPTIONS_AT && message[0] == SOLICITATION {
            self.asked[self.next % ASKED] = read_address(&message[TARGET_AT..]);
            self.next += 1;
        }
    }

    /// What becomes of a frame that came.
    pub fn judge(&mut self, frame: &[u8], now: Instant) -> Entry {
        if !is_six(frame) {
            return Entry::In;
        }
        self.read(frame, now).unwrap_or_else(|why| {
            let dropped = &mut self.dropped;
            *match why {
                Why::Packet => &mut dropped.packets,
                Why::Neighbour => &mut dropped.neighbours,
                Why::Echo => &mut dropped.echoes,
            } += 1;
            Entry::Dropped
        })
    }

    fn read(&mut self, frame: &[u8], now: Instant) -> Result<Entry, Why> {
        let link = self.link.ok_or(Why::Packet)?;
        let packet = Packet::read(frame).filter(|_| frame[6] & 1 == 0).ok_or(Why::Packet)?;
        let somebody = is_somebody(packet.source) && !link.has(packet.source);
        let to_us = frame[..6] == link.ethernet && link.has(packet.target);
        match packet.next {
            TCP if to_us && somebody => return Ok(Entry::In),
            ICMP => {}
            EVERY_HOP if is_query(&packet, frame) => {
                self.count(now)?;
                return Ok(Entry::Answered(made::report(link.ethernet, link.local, [link.local, link.own])));
            }
            _ => return Err(Why::Packet),
        }
        let message = packet.message(frame, BEHIND).ok_or(Why::Packet)?;
        let from_link = packet.hops == ON_LINK && message[1] == 0 && message.len() >= OPTIONS_AT;
        match message[0] {
            ECHO if to_us && somebody && message.len() >= 8 => {
                self.count(now)?;
                Ok(Entry::Answered(made::echo(frame, &packet)))
            }
            SOLICITATION if from_link => self.solicited(&link, &packet, frame, somebody, now),
            ADVERTISEMENT if from_link && to_us && somebody => {
                let target = read_address(&message[TARGET_AT..]);
                let asked = self.asked.iter_mut().find(|asked| **asked == target && target != 0);
                let (asked, place) = asked.zip(place(&message[OPTIONS_AT..])).ok_or(Why::Neighbour)?;
                *asked = 0;
                Ok(Entry::Told(link.introduction(target, place)))
            }
            ROUTER_SOLICITATION..=REDIRECT => Err(Why::Neighbour),
            _ => Err(Why::Packet),
        }
    }

    /// Somebody asks where an address is, or whether anybody has it: in the name of none, before it takes it.
    fn solicited(
        &mut self,
        link: &Link,
        packet: &Packet,
        frame: &[u8],
        somebody: bool,
        now: Instant,
    ) -> Result<Entry, Why> {
        let target = read_address(&frame[BEHIND + TARGET_AT..]);
        let to_group = packet.target == solicited_node(target);
        if !link.has(target) || !(to_group || packet.target == target) {
            return Err(Why::Neighbour);
        }
        if somebody {
            let (there, flags) = (ethernet(&frame[6..]), SOLICITED | OVERRIDES);
            let ends = [target, packet.source];
            let answer = advertisement([there, link.ethernet], ends, target, flags, link.ethernet);
            return Ok(Entry::Answered(answer));
        }
        if packet.source != 0 || !to_group {
            return Err(Why::Neighbour);
        }
        self.count(now)?;
        Ok(Entry::Answered(link.tell_everybody(target)))
    }

    /// Counts an answer towards those of this second.
    fn count(&mut self, now: Instant) -> Result<(), Why> {
        if now >= self.until {
            (self.answers, self.until) = (0, now + SECOND);
        }
        self.answers += 1;
        if self.answers > ECHOES { Err(Why::Echo) } else { Ok(()) }
    }

    /// Whether who sends a frame can be a neighbour.
    pub fn is_near(&self, source: Address) -> bool {
        self.link.is_some_and(|link| link.reaches(source))
    }

    /// What tells smoltcp where the neighbour is that sends a frame.
    pub fn introduction(&self, source: Address, frame: &[u8]) -> Option<Vec<u8>> {
        Some(self.link?.introduction(source, ethernet(&frame[6..])))
    }

    /// Bytes of content that surely reach who sends a segment: what routers say of the path is not believed.
    pub fn most(&self, source: Address) -> usize {
        if self.is_near(source) { usize::MAX } else { EVERYWHERE }
    }
}

/// Whether an address can be that of somebody else: not none, this machine, IPv4's or a group.
fn is_somebody(address: Address) -> bool {
    address >> 64 != 0 && address >> 120 != 0xff
}

/// Whether a router asks who listens to what.
fn is_query(packet: &Packet, frame: &[u8]) -> bool {
    let from_link = packet.hops == 1 && packet.source >> 118 == 0xfe80 >> 6;
    let at = BEHIND + ALERT.len();
    from_link
        // The last two bytes fill the option, one way or the other.
        && frame.get(BEHIND..at - 2) == Some(&ALERT[..6])
        && packet.message(frame, at).is_some_and(|message| message.len() >= 24 && message[0] == QUERY)
}

/// The Ethernet address among the options of an advertisement.
fn place(mut options: &[u8]) -> Option<[u8; 6]> {
    while let [kind, length, ..] = *options {
        let (option, rest) = options.split_at_checked(usize::from(length) * 8).filter(|_| length > 0)?;
        if kind == PLACE {
            let place = ethernet(option.get(2..8).filter(|_| length == 1)?);
            return Some(place).filter(|place| place[0] & 1 == 0 && *place != [0; 6]);
        }
        options = rest;
    }
    None
}

/// The Ethernet address that bytes begin with.
fn ethernet(bytes: &[u8]) -> [u8; 6] {
    [bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5]]
}
