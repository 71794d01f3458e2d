//! The handshake that the machine has in smoltcp's place: the answer to who asks for a connection, and the
//! question that smoltcp is shown when it is known that somebody is there.

use alloc::vec::Vec;

use smoltcp::phy::{Checksum, ChecksumCapabilities};
use smoltcp::time::Instant;
use smoltcp::wire::{
    EthernetAddress, EthernetFrame, IpProtocol, IpRepr, TcpControl, TcpPacket, TcpRepr, TcpSeqNumber,
    TcpTimestampGenerator, TcpTimestampRepr,
};

use super::Outgoing;
use super::cookies::{Cookies, Terms};
use super::frame::{Address, ETHERNET, Segment, largest, to_ip};
use super::screen::Flow;
use super::wire::seal;

/// What everybody takes who says nothing about it (RFC 9293 §3.7.1).
const UNSAID: u16 = 536;
const HOPS: u8 = 64;

/// A segment without content in a frame that is to be made.
#[derive(Debug)]
pub struct Made {
    from: EthernetAddress,
    to: EthernetAddress,
    ip: IpRepr,
    tcp: TcpRepr<'static>,
}

impl Made {
    fn new(ethernet: [EthernetAddress; 2], ends: [Address; 2], tcp: TcpRepr<'static>) -> Self {
        let [source, target] = ends.map(to_ip);
        let ip = IpRepr::new(source, target, IpProtocol::Tcp, tcp.buffer_len(), HOPS);
        Self { from: ethernet[0], to: ethernet[1], ip, tcp }
    }

    /// Sends it.
    pub fn send<O: Outgoing>(&self, outgoing: &mut O) {
        let completes = outgoing.offload().completes_sent;
        outgoing.send(self.bytes(), |frame| {
            self.write(frame);
            ((), seal(frame, Segment::find(frame), completes))
        });
    }

    fn bytes(&self) -> usize {
        ETHERNET + self.ip.buffer_len()
    }

    /// Writes it, without TCP's checksum.
    fn write(&self, bytes: &mut [u8]) {
        let mut frame = EthernetFrame::new_unchecked(bytes);
        frame.set_src_addr(self.from);
        frame.set_dst_addr(self.to);
        frame.set_ethertype(match self.ip {
            IpRepr::Ipv4(_) => smoltcp::wire::EthernetProtocol::Ipv4,
            #[cfg(feature = "ipv6")]
            IpRepr::Ipv6(_) => smoltcp::wire::EthernetProtocol::Ipv6,
        });
        let sums = sums();
        self.ip.emit(frame.payload_mut(), &sums);
        let header = self.ip.header_len();
        let mut packet = TcpPacket::new_unchecked(&mut frame.payload_mut()[header..]);
        self.tcp.emit(&mut packet, &self.ip.src_addr(), &self.ip.dst_addr(), &sums);
    }

    /// The frame, for smoltcp.
    pub fn frame(&self) -> Vec<u8> {
        let mut frame = alloc::vec![0; self.bytes()];
        self.write(&mut frame);
        frame
    }
}

/// Answers who asks, and remembers nothing of it. `receives`: bytes that a socket takes without being read;
/// `most`: bytes of a segment that surely reach who asks.
pub fn answer(
    cookies: &mut Cookies,
    segment: &Segment,
    frame: &[u8],
    [receives, most]: [usize; 2],
    ticks: TcpTimestampGenerator,
    now: Instant,
) -> Option<Made> {
    let asked = read(segment, frame)?;
    let [(theirs, port), (ours, to)] = segment.ends(frame);
    let size = asked.max_seg_size.filter(|size| *size > 0).unwrap_or(UNSAID);
    let size = size.min(u16::try_from(most).unwrap_or(u16::MAX));
    let first = segment.sequence(frame);
    let number = cookies.issue((theirs, port, to), ours, first, size, now);
    let terms = Terms { scale: asked.window_scale, selective: asked.sack_permitted };
    let stamp = asked.timestamp.map(|theirs| TcpTimestampRepr::new(terms.stamp(ticks()), theirs.tsval));
    let told = stamp.is_some();
    let tcp = TcpRepr {
        seq_number: TcpSeqNumber(number as i32),
        ack_number: Some(TcpSeqNumber(first.wrapping_add(1) as i32)),
        window_len: u16::try_from(receives).unwrap_or(u16::MAX),
        // What is not told comes back with nothing.
        window_scale: terms.scale.filter(|_| told).map(|_| shift(receives)),
        sack_permitted: terms.selective && told,
        max_seg_size: Some(largest(ours)),
        timestamp: stamp,
        ..opening(to, port)
    };
    let [us, them] = ethernet(frame);
    Some(Made::new([us, them], [ours, theirs], tcp))
}

/// What a segment brings back that ends a handshake.
#[derive(Debug)]
pub struct Redeemed {
    /// Whose it is.
    pub flow: Flow,
    /// Our first number, as the client knows it.
    pub number: u32,
    /// The question that smoltcp is to see.
    pub question: Made,
}

/// Reads a segment of no connection that there is; none if it brings back no number of ours.
pub fn redeem(cookies: &Cookies, segment: &Segment, frame: &[u8], now: Instant) -> Option<Redeemed> {
    let [(theirs, port), (ours, to)] = segment.ends(frame);
    let number = segment.acknowledged(frame).wrapping_sub(1);
    let first = segment.sequence(frame).wrapping_sub(1);
    let flow = (theirs, port, to);
    let size = cookies.redeem(flow, ours, first, number, now)?;
    let brought = read(segment, frame)?;
    let terms = brought.timestamp.map(|stamp| Terms::read(stamp.tsecr));
    let tcp = TcpRepr {
        seq_number: TcpSeqNumber(first as i32),
        window_len: brought.window_len,
        window_scale: terms.and_then(|terms| terms.scale),
        sack_permitted: terms.is_some_and(|terms| terms.selective),
        max_seg_size: Some(size),
        timestamp: brought.timestamp,
        ..opening(port, to)
    };
    let [us, them] = ethernet(frame);
    Some(Redeemed { flow, number, question: Made::new([them, us], [theirs, ours], tcp) })
}

/// Makes who asks speak of no timestamps, which cost twelve bytes of each segment: only handshakes that nobody
/// remembers need them. And of no larger segments than of `most` bytes.
pub fn simplify(segment: &Segment, frame: &mut [u8], most: usize) {
    const END: u8 = 0;
    const NOTHING: u8 = 1;
    const SIZE: u8 = 2;
    const STAMP: u8 = 8;
    let options = segment.options(frame);
    let mut at = 0;
    while let Some(kind) = options.get(at).copied().filter(|kind| *kind != END) {
        let length =
            if kind == NOTHING { 1 } else { options.get(at + 1).map_or(0, |length| usize::from(*length)) };
        let Some(option) = options.get_mut(at..at + length).filter(|option| !option.is_empty()) else {
            return;
        };
        if kind == STAMP {
            option.fill(NOTHING);
        }
        if kind == SIZE
            && let [_, _, high, low] = option
        {
            let size = usize::from(u16::from_be_bytes([*high, *low])).min(most);
            [*high, *low] = (size as u16).to_be_bytes();
        }
        at += length;
    }
}

/// By how much smoltcp scales the windows of a socket with such a buffer.
fn shift(receives: usize) -> u8 {
    (usize::BITS - receives.leading_zeros()).saturating_sub(16) as u8
}

fn read<'a>(segment: &Segment, frame: &'a [u8]) -> Option<TcpRepr<'a>> {
    let [(theirs, _), (ours, _)] = segment.ends(frame);
    let packet = TcpPacket::new_checked(&frame[segment.start..segment.end]).ok()?;
    TcpRepr::parse(&packet, &to_ip(theirs), &to_ip(ours), &sums()).ok()
}

fn opening(from: u16, to: u16) -> TcpRepr<'static> {
    TcpRepr {
        src_port: from,
        dst_port: to,
        control: TcpControl::Syn,
        seq_number: TcpSeqNumber(0),
        ack_number: None,
        window_len: 0,
        window_scale: None,
        max_seg_size: None,
        sack_permitted: false,
        sack_ranges: [None; 3],
        timestamp: None,
        payload: &[],
    }
}

/// The Ethernet addresses of whom a frame is for, and of who sends it.
fn ethernet(frame: &[u8]) -> [EthernetAddress; 2] {
    [EthernetAddress::from_bytes(&frame[..6]), EthernetAddress::from_bytes(&frame[6..12])]
}

/// TCP's checksums are done elsewhere.
fn sums() -> ChecksumCapabilities {
    let mut sums = ChecksumCapabilities::default();
    sums.tcp = Checksum::None;
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::frame::from_ip;
    use proptest::prelude::*;

    fn ticks() -> u32 {
        77_000
    }

    fn address([a, b, c, d]: [u8; 4]) -> Address {
        from_ip(smoltcp::wire::IpAddress::v4(a, b, c, d))
    }

    /// A segment of a client in a frame, with its checksum.
    fn sent(tcp: TcpRepr<'static>) -> (Segment, Vec<u8>) {
        let ethernet = [[2, 0, 0, 0, 0, 2], [2, 0, 0, 0, 0, 1]].map(EthernetAddress);
        let mut frame = Made::new(ethernet, [[10, 0, 0, 2], [10, 0, 0, 1]].map(address), tcp).frame();
        let segment = Segment::find(&frame).unwrap();
        segment.seal(&mut frame);
        (segment, frame)
    }

    proptest! {
        #[test]
        fn what_a_client_says_comes_back_with_the_end_of_its_handshake(
            first: u32,
            size in prop::option::of(prop::sample::select(&[536_u16, 1220, 1452, 1460][..])),
            scale in prop::option::of(0_u8..15),
            selective: bool,
            stamp in prop::option::of(any::<u32>()),
        ) {
            let (mut cookies, now) = (Cookies::new([1, 2]), Instant::from_secs(9));
            let stamped = |echo| stamp.map(|stamp| TcpTimestampRepr::new(stamp, echo));
            let asks = TcpRepr {
                seq_number: TcpSeqNumber(first as i32),
                window_scale: scale,
                max_seg_size: size,
                sack_permitted: selective,
                timestamp: stamped(0),
                ..opening(40_000, 80)
            };
            let (segment, frame) = sent(asks);
            let made = answer(&mut cookies, &segment, &frame, [100_000, usize::MAX], ticks, now).unwrap();
            prop_assert_eq!(made.frame().len(), made.bytes());
            let told = made.tcp;
            prop_assert_eq!(told.ack_number, Some(TcpSeqNumber(first.wrapping_add(1) as i32)));
            prop_assert_eq!(told.window_scale, scale.and(stamp).map(|_| 1));
            prop_assert_eq!(told.timestamp.map(|it| it.tsecr), stamp);
            let ends = TcpRepr {
                control: TcpControl::None,
                seq_number: TcpSeqNumber(first.wrapping_add(1) as i32),
                ack_number: Some(told.seq_number + 1),
                window_len: 1234,
                timestamp: stamped(told.timestamp.map_or(0, |it| it.tsval)),
                ..opening(40_000, 80)
            };
            let (segment, frame) = sent(ends);
            let redeemed = redeem(&cookies, &segment, &frame, now).unwrap();
            prop_assert_eq!(TcpSeqNumber(redeemed.number as i32), told.seq_number);
            let asked = TcpRepr {
                window_len: 1234,
                window_scale: scale.filter(|_| stamp.is_some()),
                max_seg_size: Some(size.unwrap_or(UNSAID)),
                sack_permitted: selective && stamp.is_some(),
                timestamp: ends.timestamp,
                ..asks
            };
            prop_assert_eq!(redeemed.question.tcp, asked);
            let question = redeemed.question.frame();
            prop_assert!(Segment::find(&question).is_some_and(|it| it.opens));
        }

        #[test]
        fn any_options_are_survived(options in prop::collection::vec(any::<u8>(), 0..40), stamp: bool) {
            let (segment, mut frame) = sent(opening(40_000, 80));
            let mut options = options;
            if stamp {
                options.splice(0..0, [1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8]);
            }
            options.truncate(40);
            options.resize(options.len().next_multiple_of(4), 0);
            frame.extend(&options);
            frame[segment.start + 12] = (5 + options.len() as u8 / 4) << 4;
            frame[16..18].copy_from_slice(&(40 + options.len() as u16).to_be_bytes());
            let segment = Segment::find(&frame).unwrap();
            let (mut cookies, now) = (Cookies::new([1, 2]), Instant::from_secs(9));
            answer(&mut cookies, &segment, &frame, [8192, usize::MAX], ticks, now);
            let before = read(&segment, &frame).map(|it| TcpRepr { timestamp: None, payload: &[], ..it });
            let mut without = frame.clone();
            simplify(&segment, &mut without, usize::MAX);
            if let Some(before) = before {
                prop_assert_eq!(read(&segment, &without), Some(before));
            }
        }
    }
}
