//! Anything on the wire of an appliance: frames of any bytes, and TCP segments that are nearly right, so that
//! they get as far as the server behind TCP. Nothing panics, rounds end, and connections stay within their
//! bound.
#![no_main]

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use libfuzzer_sys::fuzz_target;
use loadstone_appliance::args::Args;
use loadstone_appliance::net::{Departure, Incoming, Offload, Outgoing, Verified, Wire, checksum};
use loadstone_appliance::server::{Now, Server};
use loadstone_http::{Handler, Request, Response};

/// Most connections at a time, each from a port of its own and more beside.
const CONNECTIONS: u64 = 4;
const PORTS: usize = 8;

type Frames = Rc<RefCell<VecDeque<Vec<u8>>>>;

#[derive(Clone, Default)]
struct Way {
    frames: Frames,
    current: Option<Vec<u8>>,
}

impl Incoming for Way {
    /// Checksums count as verified: guessing them would be all that the fuzzer does.
    fn peek(&mut self) -> Option<(&mut [u8], Verified)> {
        if self.current.is_none() {
            self.current = self.frames.borrow_mut().pop_front();
        }
        self.current.as_deref_mut().map(|frame| (frame, Verified(true)))
    }

    fn done(&mut self) {
        self.current = None;
    }

    fn flush(&mut self) {}
}

impl Outgoing for Way {
    fn offload(&self) -> Offload {
        Offload::default()
    }

    fn has_room(&mut self) -> bool {
        self.frames.borrow().len() < 256
    }

    fn send<R>(&mut self, bytes: usize, fill: impl FnOnce(&mut [u8]) -> (R, Departure)) -> R {
        let mut frame = vec![0; bytes];
        let (result, departure) = fill(&mut frame);
        if departure == Departure::Withheld {
            return result;
        }
        self.frames.borrow_mut().push_back(frame);
        result
    }

    fn flush(&mut self) {}
}

struct Echo;

impl Handler for Echo {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        if request.path.len() > 3 {
            response.text(vec![b'x'; 20_000]);
        } else {
            response.text(request.body.to_vec());
        }
    }
}

/// What a client knows of a connection.
#[derive(Clone, Copy, Default)]
struct Client {
    next: u32,
    heard: u32,
}

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

fn segment(port: usize, client: Client, flags: u8, window: u16, options: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut options = options[..options.len().min(40)].to_vec();
    options.resize(options.len().next_multiple_of(4), 0);
    let mut tcp = (40_000 + port as u16).to_be_bytes().to_vec();
    tcp.extend(80_u16.to_be_bytes());
    tcp.extend(client.next.to_be_bytes());
    tcp.extend(client.heard.to_be_bytes());
    tcp.extend([((5 + options.len() / 4) << 4) as u8, flags]);
    tcp.extend(window.to_be_bytes());
    tcp.extend([0, 0, 0, 0]);
    tcp.extend(options);
    tcp.extend(payload);
    ip_frame(6, &tcp)
}

/// Reads what the server says, as a client that acknowledges it would.
fn hear(frame: &[u8], clients: &mut [Client; PORTS]) {
    if frame.len() < 54 || frame[12..14] != [8, 0] || frame[23] != 6 {
        return;
    }
    let word = |at: usize| u32::from_be_bytes([frame[at], frame[at + 1], frame[at + 2], frame[at + 3]]);
    let port = usize::from(u16::from_be_bytes([frame[36], frame[37]])).wrapping_sub(40_000);
    let total = usize::from(u16::from_be_bytes([frame[16], frame[17]]));
    let length = total.saturating_sub(20 + usize::from(frame[46] >> 4) * 4) as u32;
    if let Some(client) = clients.get_mut(port) {
        let ends = u32::from(frame[47] & 1 != 0) + u32::from(frame[47] & 2 != 0);
        client.heard = word(38).wrapping_add(length).wrapping_add(ends);
    }
}

fuzz_target!(|data: &[u8]| {
    let (there, back) = (Way::default(), Way::default());
    let (to, from) = (there.frames.clone(), back.frames.clone());
    let args = Args::parse("ip=10.0.0.1/24 rx=2048 tx=4096").expect("it is well-formed");
    let mut now = Now { monotonic_us: 0, unix_s: 0 };
    let mut server = Server::new(Wire::new(there, back, [3, 4], || 0), [2, 0, 0, 0, 0, 1], &args, 1, now);
    server.serve(80, Box::new(Echo), CONNECTIONS as usize, 1 << 20);
    let mut clients = [Client::default(); PORTS];
    let mut rest = data;
    while let [what, detail, length, following @ ..] = rest {
        let (bytes, behind) = following.split_at(usize::from(*length).min(following.len()));
        rest = behind;
        let (port, small) = (usize::from(detail % PORTS as u8), u32::from(detail >> 3));
        let client = &mut clients[port];
        let frame = match what % 9 {
            0 => bytes.to_vec(),
            1 => ip_frame(*detail, bytes),
            // A new connection.
            2 => {
                *client = Client { next: client.next.wrapping_add(1 << 20), heard: 0 };
                let frame = segment(port, *client, 2, 1000, bytes, &[]);
                client.next = client.next.wrapping_add(1);
                frame
            }
            // The next bytes of one.
            3 | 4 => {
                let frame = segment(port, *client, 0x18, 8000, &[], bytes);
                client.next = client.next.wrapping_add(bytes.len() as u32);
                frame
            }
            // Bytes before or behind those, so that they overlap or leave a gap.
            5 => {
                let moved = Client { next: client.next.wrapping_sub(16).wrapping_add(small), ..*client };
                segment(port, moved, 0x10, 8000, &[], bytes)
            }
            // Any flags, any acknowledgement, any window.
            6 => {
                let moved = Client { heard: client.heard.wrapping_sub(16).wrapping_add(small), ..*client };
                segment(port, moved, bytes.first().copied().unwrap_or(0), u16::from(*length), bytes, &[])
            }
            7 => segment(port, *client, 0x11, 8000, &[], &[]),
            _ => {
                now.monotonic_us += u64::from(*detail) * 50_000;
                Vec::new()
            }
        };
        to.borrow_mut().push_back(frame);
        server.poll(now, &|| if *what < 200 { 1 << 20 } else { 0 }, &mut || false);
        assert!(server.counters.open_connections <= CONNECTIONS);
        for frame in from.borrow_mut().drain(..) {
            hear(&frame, &mut clients);
        }
        now.monotonic_us += 1000;
    }
});
