//! Frames of ICMPv6 that the machine makes.

use alloc::vec::Vec;

use super::packet::{ADDRESSES, BEHIND, EVERY_HOP, ICMP, Packet, sum};
use crate::net::checksum;
use crate::net::frame::Address;

/// Who never left the link has so many hops left (RFC 4861 §3.1).
pub const ON_LINK: u8 = 255;
const HOPS: u8 = 64;
const ECHO_REPLY: u8 = 129;
const ADVERTISEMENT: u8 = 136;
const REPORT: u8 = 143;
/// Flags of an advertisement: it was asked for, it may replace what is known.
pub const SOLICITED: u8 = 0x40;
/// The same.
pub const OVERRIDES: u8 = 0x20;
/// Everybody on the link, and those who see to it that groups are forwarded.
pub const EVERYBODY: Address = 0xff02 << 112 | 1;
const LISTENERS: Address = 0xff02 << 112 | 0x16;
/// The options of who says which groups it is in: routers, look at it (RFC 2711), and two bytes to fill.
pub const ALERT: [u8; 8] = [ICMP, 0, 5, 2, 0, 0, 1, 0];

/// The group of those who may have an address (RFC 4291 §2.7.1).
pub fn solicited_node(address: Address) -> Address {
    0xff02 << 112 | 0x1_ff00_0000 | address & 0xff_ffff
}

/// The Ethernet address of a group (RFC 2464 §7).
pub fn group_ethernet(group: Address) -> [u8; 6] {
    let [.., a, b, c, d] = group.to_be_bytes();
    [0x33, 0x33, a, b, c, d]
}

/// Says where `target` is: at `place`. `ethernet`: to whom and from where the frame goes; `ends`: from which
/// address to which.
pub fn advertisement(
    ethernet: [[u8; 6]; 2],
    ends: [Address; 2],
    target: Address,
    flags: u8,
    place: [u8; 6],
) -> Vec<u8> {
    let mut message = [0; 32];
    (message[0], message[4]) = (ADVERTISEMENT, flags);
    message[8..24].copy_from_slice(&target.to_be_bytes());
    (message[24], message[25]) = (2, 1);
    message[26..].copy_from_slice(&place);
    packet(ethernet, ends, ON_LINK, &[], &mut message)
}

/// Says that the machine is in the groups of its addresses (RFC 3810 §5.2), so that switches forward what goes
/// to them.
pub fn report(ethernet: [u8; 6], from: Address, of: [Address; 2]) -> Vec<u8> {
    const EXCLUDES_NOBODY: u8 = 2;
    let mut message = [0; 48];
    (message[0], message[7]) = (REPORT, of.len() as u8);
    for (record, address) in message[8..].chunks_exact_mut(20).zip(of) {
        record[0] = EXCLUDES_NOBODY;
        record[4..].copy_from_slice(&solicited_node(address).to_be_bytes());
    }
    packet([group_ethernet(LISTENERS), ethernet], [from, LISTENERS], 1, &ALERT, &mut message)
}

/// The answer to an echo request, back to where it came from.
pub fn echo(frame: &[u8], packet: &Packet) -> Vec<u8> {
    let mut message = frame[BEHIND..packet.end].to_vec();
    message[0] = ECHO_REPLY;
    let ethernet = [&frame[6..12], &frame[..6]].map(|six| [six[0], six[1], six[2], six[3], six[4], six[5]]);
    self::packet(ethernet, [packet.target, packet.source], HOPS, &[], &mut message)
}

/// A frame with a message; `before`: options of every hop, if any.
fn packet(
    ethernet: [[u8; 6]; 2],
    ends: [Address; 2],
    hops: u8,
    before: &[u8],
    message: &mut [u8],
) -> Vec<u8> {
    let mut frame = Vec::with_capacity(BEHIND + before.len() + message.len());
    ethernet.iter().for_each(|address| frame.extend_from_slice(address));
    let [high, low] = ((before.len() + message.len()) as u16).to_be_bytes();
    let next = if before.is_empty() { ICMP } else { EVERY_HOP };
    frame.extend_from_slice(&[0x86, 0xdd, 0x60, 0, 0, 0, high, low, next, hops]);
    ends.iter().for_each(|address| frame.extend_from_slice(&address.to_be_bytes()));
    frame.extend_from_slice(before);
    message[2..4].fill(0);
    let sum = checksum::finish(sum(&frame[ADDRESSES], message));
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    frame.extend_from_slice(message);
    frame
}
