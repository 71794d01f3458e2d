//! Anything on the wire of an appliance with IPv6: frames of any bytes, packets with any next header, messages of
//! ICMPv6 with their checksum right, answers to what it has asked, and TCP segments that are nearly right.
//! Nothing panics, rounds end, connections stay within their bound, and what is sent is well-formed.
#![no_main]

mod wire;

use libfuzzer_sys::fuzz_target;
use loadstone_appliance::net::checksum;
use loadstone_appliance::server::Now;
use wire::{CONNECTIONS, Client, PORTS, hear, says, serve};

const ICMP: u8 = 58;
/// Who sends and whom for: a neighbour, somebody far, nobody; the machine, all, those who may have its address.
const SOURCES: [[u8; 16]; 4] = [
    [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
    [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
    [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2],
    [0; 16],
];
const TARGETS: [[u8; 16]; 4] = [
    [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe, 0, 0, 1],
    [0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    [0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 1],
];

fn packet(kind: u8, next: u8, hops: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x86, 0xdd, 0x60, 0, 0, 0];
    frame.extend((payload.len() as u16).to_be_bytes());
    frame.extend([next, hops]);
    frame.extend(SOURCES[usize::from(kind & 3)]);
    frame.extend(TARGETS[usize::from(kind >> 2 & 3)]);
    frame.extend(payload);
    frame
}

/// A message, made right where its checksum stands.
fn message(kind: u8, next: u8, hops: u8, before: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= 4 {
        bytes[2..4].fill(0);
        // The pseudo-header has the addresses, whatever else a packet has.
        let addresses = &packet(kind, next, hops, &[])[22..54];
        let sum = checksum::sum(addresses) + u32::from(ICMP) + bytes.len() as u32 + checksum::sum(&bytes);
        bytes[2..4].copy_from_slice(&checksum::finish(sum).to_be_bytes());
    }
    packet(kind, next, hops, &[before, &bytes].concat())
}

/// About an address: one of the machine's, what it asked for last, or any.
fn about(kind: u8, detail: u8, asked: &[u8], options: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind, 0, 0, 0, detail, 0, 0, 0];
    match detail % 3 {
        0 => bytes.extend(asked),
        1 => bytes.extend(TARGETS[usize::from(detail >> 4 & 1)]),
        _ => {}
    }
    bytes.extend(options);
    bytes
}

fuzz_target!(|data: &[u8]| {
    let (mut server, to, from) = serve("ip=10.0.0.1/24 ip6=fd00::1/64 gw6=fe80::2");
    let mut now = Now { monotonic_us: 0, unix_s: 0 };
    let mut clients = [Client::default(); PORTS];
    let mut asked = [0; 16];
    let mut rest = data;
    from.borrow_mut().clear();
    while let [what, detail, length, following @ ..] = rest {
        let (bytes, behind) = following.split_at(usize::from(*length).min(following.len()));
        rest = behind;
        let kind = detail >> 4;
        let frame = match what % 13 {
            0 => bytes.to_vec(),
            1 => packet(kind, *length, *detail, bytes),
            2 => message(kind, ICMP, 255, &[], bytes),
            3 => message(kind, 0, 1, &[ICMP, 0, 5, 2, 0, 0, 1, 0], bytes),
            4 => message(kind, ICMP, 255, &[], &about(135, *detail, &asked, bytes)),
            5 => message(kind & 3, ICMP, 255, &[], &about(136, *detail, &asked, bytes)),
            other => match says(other - 6, *detail, *length, bytes, &mut clients) {
                Some(tcp) => packet(u8::from(*what & 128 != 0), 6, 64, &tcp),
                None => {
                    now.monotonic_us += u64::from(*detail) * 50_000;
                    Vec::new()
                }
            },
        };
        to.borrow_mut().push_back(frame);
        server.poll(now, &|| if *what < 200 { 1 << 20 } else { 0 }, &mut || false);
        assert!(server.counters.open_connections <= CONNECTIONS);
        for frame in from.borrow_mut().drain(..).filter(|frame| frame[12..14] == [0x86, 0xdd]) {
            assert_eq!(usize::from(u16::from_be_bytes([frame[18], frame[19]])) + 54, frame.len());
            assert!(frame.len() <= 1514);
            match (frame[20], frame[54], frame[21]) {
                (6, ..) => hear(&frame[54..], &mut clients),
                (ICMP, 135, 255) => asked.copy_from_slice(&frame[62..78]),
                (ICMP, 129, 64) | (ICMP, 136, 255) | (0, ICMP, 1) => {}
                other => panic!("nobody sends {other:?}"),
            }
        }
        now.monotonic_us += 1000;
    }
});
