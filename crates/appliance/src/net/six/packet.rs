//! Reads packets of IPv6, as far as must be known before smoltcp sees them.

use core::ops::Range;

use crate::net::checksum;
use crate::net::frame::{Address, ETHERNET};

const TYPE: [u8; 2] = [0x86, 0xdd];
/// Where in a frame the addresses stand, and what is behind the header. Nobody who sends something of use has
/// more headers.
pub const ADDRESSES: Range<usize> = 22..54;
/// The same.
pub const BEHIND: usize = 54;

/// Next headers: options for every router on the way, ICMPv6.
pub const EVERY_HOP: u8 = 0;
/// The same.
pub const ICMP: u8 = 58;

/// Whether a frame is one of IPv6.
pub fn is_six(frame: &[u8]) -> bool {
    frame.get(12..ETHERNET) == Some(&TYPE)
}

/// The addresses in a frame that has them, of who sends it and of whom it is for.
pub fn addresses(frame: &[u8]) -> [Address; 2] {
    [22, 38].map(|at| read_address(&frame[at..at + 16]))
}

/// An address of 16 bytes; longer ones are cut.
pub fn read_address(bytes: &[u8]) -> Address {
    bytes.iter().take(16).fold(0, |address, byte| address << 8 | Address::from(*byte))
}

/// A packet in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packet {
    /// What is behind its header.
    pub next: u8,
    /// Over how many routers it may still go.
    pub hops: u8,
    /// Who sends it.
    pub source: Address,
    /// Whom it is for.
    pub target: Address,
    /// Where in the frame it ends: frames are padded.
    pub end: usize,
}

impl Packet {
    /// The packet in `frame`; none when there is none, or not all of it.
    pub fn read(frame: &[u8]) -> Option<Self> {
        let ip = frame.get(ETHERNET..BEHIND).filter(|ip| is_six(frame) && ip[0] >> 4 == 6)?;
        let end = BEHIND + usize::from(u16::from_be_bytes([ip[4], ip[5]]));
        let [source, target] = addresses(frame);
        (end <= frame.len()).then_some(Self { next: ip[6], hops: ip[7], source, target, end })
    }

    /// The ICMPv6 message that begins there; none when it is damaged, or has no room for a type.
    pub fn message<'a>(&self, frame: &'a [u8], at: usize) -> Option<&'a [u8]> {
        let message = frame.get(at..self.end).filter(|message| message.len() >= 4)?;
        checksum::is_intact(sum(&frame[ADDRESSES], message)).then_some(message)
    }
}

/// Sum of an ICMPv6 message with its pseudo-header (RFC 8200 §8.1).
pub fn sum(addresses: &[u8], message: &[u8]) -> u32 {
    checksum::sum(addresses) + message.len() as u32 + u32::from(ICMP) + checksum::sum(message)
}
