//! Anything on the wire of an appliance: frames of any bytes, and TCP segments that are nearly right, so that
//! they get as far as the server behind TCP. Nothing panics, rounds end, and connections stay within their
//! bound.
#![no_main]

mod wire;

use libfuzzer_sys::fuzz_target;
use loadstone_appliance::net::checksum;
use loadstone_appliance::server::Now;
use wire::{CONNECTIONS, Client, PORTS, hear, says, serve};

fn ip_frame(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
    let mut ip = vec![0x45, 0];
    ip.extend(((20 + payload.len()) as u16).to_be_bytes());
    ip.extend([0, 0, 0x40, 0, 64, protocol, 0, 0, 10, 0, 0, 2, 10, 0, 0, 1]);
    let sum = checksum::finish(checksum::sum(&ip));
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    frame.extend(ip);
    frame.extend(payload);
    frame
}

fuzz_target!(|data: &[u8]| {
    let (mut server, to, from) = serve("ip=10.0.0.1/24");
    let mut now = Now { monotonic_us: 0, unix_s: 0 };
    let mut clients = [Client::default(); PORTS];
    let mut rest = data;
    while let [what, detail, length, following @ ..] = rest {
        let (bytes, behind) = following.split_at(usize::from(*length).min(following.len()));
        rest = behind;
        let frame = match what % 9 {
            0 => bytes.to_vec(),
            1 => ip_frame(*detail, bytes),
            other => match says(other - 2, *detail, *length, bytes, &mut clients) {
                Some(tcp) => ip_frame(6, &tcp),
                None => {
                    now.monotonic_us += u64::from(*detail) * 50_000;
                    Vec::new()
                }
            },
        };
        to.borrow_mut().push_back(frame);
        server.poll(now, &|| if *what < 200 { 1 << 20 } else { 0 }, &mut || false);
        assert!(server.counters.open_connections <= CONNECTIONS);
        for frame in from.borrow_mut().drain(..) {
            if frame.len() >= 54 && frame[12..14] == [8, 0] && frame[23] == 6 {
                let total = usize::from(u16::from_be_bytes([frame[16], frame[17]]));
                hear(&frame[34..14 + total], &mut clients);
            }
        }
        now.monotonic_us += 1000;
    }
});
