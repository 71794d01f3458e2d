//! Looks into Ethernet frames, as far as must be known before TCP sees them.

use smoltcp::wire::IpAddress;

use super::checksum;
#[cfg(feature = "ipv6")]
use super::six;

/// Length of an Ethernet header.
pub const ETHERNET: usize = 14;
const TYPE_IPV4: [u8; 2] = [8, 0];
const PROTOCOL_TCP: u8 = 6;
/// Where in a TCP header its checksum stands.
pub const CHECKSUM_AT: u16 = 16;

/// Flags of a segment: it begins a connection, ends it at once, acknowledges.
pub const SYN: u8 = 1 << 1;
/// The same.
pub const RST: u8 = 1 << 2;
/// The same.
pub const ACK: u8 = 1 << 4;
/// Where in a TCP header these stand: what is sent, what is acknowledged, its length, flags.
const SEQUENCE_AT: usize = 4;
const ACKNOWLEDGED_AT: usize = 8;
const HEADER_AT: usize = 12;
const FLAGS_AT: usize = 13;
/// Length of a TCP header without options.
const HEADER: usize = 20;

/// An address, as a number.
#[cfg(not(feature = "ipv6"))]
pub type Address = u32;
/// An address, as a number: one of IPv4 as IPv6 maps it (RFC 4291 §2.5.5.2). No frame may have such a one.
#[cfg(feature = "ipv6")]
pub type Address = u128;

/// Bytes of content that fit into a segment between such addresses.
#[cfg_attr(not(feature = "ipv6"), expect(unused_variables, reason = "they are of one kind"))]
pub fn largest(address: Address) -> u16 {
    #[cfg(feature = "ipv6")]
    if matches!(to_ip(address), IpAddress::Ipv6(_)) {
        return 1440;
    }
    1460
}

/// The same for smoltcp.
pub fn to_ip(address: Address) -> IpAddress {
    #[cfg(feature = "ipv6")]
    {
        let address = core::net::Ipv6Addr::from_bits(address);
        address.to_ipv4_mapped().map_or(IpAddress::Ipv6(address), IpAddress::Ipv4)
    }
    #[cfg(not(feature = "ipv6"))]
    IpAddress::Ipv4(address.into())
}

/// The same from smoltcp.
pub fn from_ip(address: IpAddress) -> Address {
    match address {
        #[cfg(feature = "ipv6")]
        IpAddress::Ipv4(address) => address.to_ipv6_mapped().to_bits(),
        #[cfg(feature = "ipv6")]
        IpAddress::Ipv6(address) => address.to_bits(),
        #[cfg(not(feature = "ipv6"))]
        IpAddress::Ipv4(address) => address.into(),
    }
}

/// A TCP segment in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Where in the frame it begins.
    pub start: usize,
    /// Where it ends: frames are padded.
    pub end: usize,
    /// Port that it is for.
    pub port: u16,
    /// Whether it asks for a connection.
    pub opens: bool,
    /// Its flags.
    pub flags: u8,
    /// Sum of its pseudo-header.
    pseudo: u32,
}

impl Segment {
    /// The segment in `frame`; none when there is none, or only a fragment of one.
    pub fn find(frame: &[u8]) -> Option<Self> {
        #[cfg(feature = "ipv6")]
        if six::is_six(frame) {
            let packet = six::Packet::read(frame).filter(|packet| packet.next == PROTOCOL_TCP)?;
            let (header, total) = (six::BEHIND - ETHERNET, packet.end - ETHERNET);
            return Self::read(&frame[ETHERNET..], header, total, &frame[six::ADDRESSES]);
        }
        let ip = frame.get(ETHERNET..).filter(|_| frame[12..14] == TYPE_IPV4)?;
        if ip.len() < 20 || ip[9] != PROTOCOL_TCP || ip[6] & 0x3f != 0 || ip[7] != 0 {
            return None;
        }
        let header = usize::from(ip[0] & 15) * 4;
        let total = usize::from(u16::from_be_bytes([ip[2], ip[3]]));
        Self::read(ip, header, total, &ip[12..20])
    }

    /// The segment behind so many bytes of a packet.
    #[inline(always)]
    fn read(ip: &[u8], header: usize, total: usize, addresses: &[u8]) -> Option<Self> {
        let segment = ip.get(header..total).filter(|segment| header >= 20 && segment.len() >= HEADER)?;
        let flags = segment[FLAGS_AT];
        Some(Self {
            start: ETHERNET + header,
            end: ETHERNET + total,
            port: u16::from_be_bytes([segment[2], segment[3]]),
            // SYN without ACK or RST.
            opens: flags & (SYN | RST | ACK) == SYN,
            flags,
            pseudo: checksum::sum(addresses) + u32::from(PROTOCOL_TCP) + segment.len() as u32,
        })
    }

    /// Whether it is of a connection, or would be: it acknowledges something, and neither begins nor resets.
    pub fn continues(&self) -> bool {
        self.flags & (SYN | RST | ACK) == ACK
    }

    /// Whether its checksum is right.
    pub fn is_intact(&self, frame: &[u8]) -> bool {
        checksum::is_intact(self.pseudo + checksum::sum(&frame[self.start..self.end]))
    }

    /// Number of its first byte.
    pub fn sequence(&self, frame: &[u8]) -> u32 {
        self.number(frame, SEQUENCE_AT)
    }

    /// Number of the byte that it acknowledges all before.
    pub fn acknowledged(&self, frame: &[u8]) -> u32 {
        self.number(frame, ACKNOWLEDGED_AT)
    }

    /// Sets the number of its first byte.
    pub fn set_sequence(&self, frame: &mut [u8], number: u32) {
        self.set_number(frame, SEQUENCE_AT, number);
    }

    /// Sets what it acknowledges.
    pub fn set_acknowledged(&self, frame: &mut [u8], number: u32) {
        self.set_number(frame, ACKNOWLEDGED_AT, number);
    }

    /// Sets its flags.
    pub fn set_flags(&self, frame: &mut [u8], flags: u8) {
        frame[self.start + FLAGS_AT] = flags;
    }

    fn number(&self, frame: &[u8], at: usize) -> u32 {
        let at = self.start + at;
        u32::from_be_bytes([frame[at], frame[at + 1], frame[at + 2], frame[at + 3]])
    }

    fn set_number(&self, frame: &mut [u8], at: usize, number: u32) {
        frame[self.start + at..][..4].copy_from_slice(&number.to_be_bytes());
    }

    /// The options behind its header.
    pub fn options<'a>(&self, frame: &'a mut [u8]) -> &'a mut [u8] {
        let header = usize::from(frame[self.start + HEADER_AT] >> 4) * 4;
        frame.get_mut(self.start + HEADER..(self.start + header).min(self.end)).unwrap_or_default()
    }

    /// The addresses in the IP header and the ports, of who sends it and of whom it is for.
    pub fn ends(&self, frame: &[u8]) -> [(Address, u16); 2] {
        let address = |at: usize| {
            let address = u32::from_be_bytes([frame[at], frame[at + 1], frame[at + 2], frame[at + 3]]);
            from_ip(IpAddress::Ipv4(address.into()))
        };
        let port = |at: usize| u16::from_be_bytes([frame[at], frame[at + 1]]);
        #[cfg(feature = "ipv6")]
        if six::is_six(frame) {
            let [source, target] = six::addresses(frame);
            return [(source, port(self.start)), (target, port(self.start + 2))];
        }
        [(address(ETHERNET + 12), port(self.start)), (address(ETHERNET + 16), port(self.start + 2))]
    }

    /// Writes its checksum, which must be 0 so far.
    pub fn seal(&self, frame: &mut [u8]) {
        let sum = checksum::finish(self.pseudo + checksum::sum(&frame[self.start..self.end]));
        self.put(frame, sum);
    }

    /// Begins its checksum for a card that completes it; returns what such a card must know.
    pub fn begin_seal(&self, frame: &mut [u8]) -> (u16, u16) {
        self.put(frame, checksum::partial(self.pseudo));
        (self.start as u16, CHECKSUM_AT)
    }

    fn put(&self, frame: &mut [u8], sum: u16) {
        let at = self.start + usize::from(CHECKSUM_AT);
        frame[at..at + 2].copy_from_slice(&sum.to_be_bytes());
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// A frame that asks for a connection, with a payload behind it.
    pub(crate) fn opening(port: u16, payload: &[u8]) -> Vec<u8> {
        let mut frame = alloc::vec![0; 14];
        frame[12] = 8;
        let total = (40 + payload.len()) as u16;
        frame.extend([0x45, 0]);
        frame.extend(total.to_be_bytes());
        frame.extend([0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 2, 2, 10, 0, 2, 15]);
        frame.extend([0x30, 0x39]);
        frame.extend(port.to_be_bytes());
        frame.extend([0, 0, 0, 1, 0, 0, 0, 0, 0x50, 2, 0x10, 0, 0, 0, 0, 0]);
        frame.extend(payload);
        frame
    }

    #[test]
    fn a_connection_is_asked_for() {
        let mut frame = opening(80, b"");
        let segment = Segment::find(&frame).unwrap();
        assert_eq!((segment.start, segment.end, segment.port, segment.opens), (34, 54, 80, true));
        frame[47] = 0x12;
        assert!(!Segment::find(&frame).unwrap().opens, "an answer asks for nothing");
        for (at, value) in [(12, 9), (14, 0x4f), (20, 0x20), (21, 1), (23, 17), (16, 0xff), (17, 30)] {
            let mut other = opening(80, b"");
            other[at] = value;
            assert_eq!(Segment::find(&other), None, "byte {at}");
        }
    }

    proptest! {
        #[test]
        fn damage_is_noticed(payload in prop::collection::vec(any::<u8>(), 0..100), at in 0_usize..40, bit in 0..8) {
            let mut frame = opening(80, &payload);
            let segment = Segment::find(&frame).unwrap();
            segment.seal(&mut frame);
            frame.extend([1, 2, 3]);
            prop_assert!(segment.is_intact(&frame), "padding does not count");
            let at = segment.start + at % (segment.end - segment.start);
            frame[at] ^= 1_u8 << bit;
            prop_assert!(!segment.is_intact(&frame));
        }

        #[test]
        fn a_card_that_goes_on_gets_the_same_sum(payload in prop::collection::vec(any::<u8>(), 0..100)) {
            let (mut ours, mut cards) = (opening(80, &payload), opening(80, &payload));
            let segment = Segment::find(&ours).unwrap();
            segment.seal(&mut ours);
            let (from, at) = segment.begin_seal(&mut cards);
            let sum = checksum::finish(checksum::sum(&cards[usize::from(from)..segment.end]));
            let at = usize::from(from + at);
            cards[at..at + 2].copy_from_slice(&sum.to_be_bytes());
            prop_assert_eq!(ours, cards);
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let mut frame = opening(80, b"");
            frame.splice(14..14, bytes.iter().copied());
            for frame in [&frame, &bytes] {
                if let Some(segment) = Segment::find(frame) {
                    segment.is_intact(frame);
                }
            }
        }
    }
}
