//! A server on a wire in memory, and what a client says to it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use loadstone_appliance::args::Args;
use loadstone_appliance::net::{Departure, Incoming, Offload, Outgoing, Verified, Wire};
use loadstone_appliance::server::{Now, Server};
use loadstone_http::{Handler, Request, Response};

/// Most connections at a time, each from a port of its own and more beside.
pub const CONNECTIONS: u64 = 4;
pub const PORTS: usize = 8;

/// Frames on their way.
pub type Frames = Rc<RefCell<VecDeque<Vec<u8>>>>;

/// One direction of the wire.
#[derive(Clone, Default)]
pub struct Way {
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
pub struct Client {
    /// The number of its next byte.
    pub next: u32,
    /// What it has heard of the server.
    pub heard: u32,
}

/// A server with such an address, and the frames to it and from it.
pub fn serve(words: &str) -> (Server<Way, Way>, Frames, Frames) {
    let (there, back) = (Way::default(), Way::default());
    let (to, from) = (there.frames.clone(), back.frames.clone());
    let args = Args::parse(&format!("{words} rx=2048 tx=4096")).expect("it is well-formed");
    let now = Now { monotonic_us: 0, unix_s: 0 };
    let mut server = Server::new(Wire::new(there, back, [3, 4], || 0), [2, 0, 0, 0, 0, 1], &args, 1, now);
    server.serve(80, Box::new(Echo), CONNECTIONS as usize, 1 << 20);
    (server, to, from)
}

/// Bytes of a segment, without its checksum.
pub fn tcp(port: usize, client: Client, flags: u8, window: u16, options: &[u8], payload: &[u8]) -> Vec<u8> {
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
    tcp
}

/// What a byte of the input has a client send: which of its segments, or nothing but time.
pub fn says(
    what: u8,
    detail: u8,
    length: u8,
    bytes: &[u8],
    clients: &mut [Client; PORTS],
) -> Option<Vec<u8>> {
    let (port, small) = (usize::from(detail % PORTS as u8), u32::from(detail >> 3));
    let client = &mut clients[port];
    Some(match what {
        // A new connection.
        0 => {
            *client = Client { next: client.next.wrapping_add(1 << 20), heard: 0 };
            let asked = tcp(port, *client, 2, 1000, bytes, &[]);
            client.next = client.next.wrapping_add(1);
            asked
        }
        // The next bytes of one.
        1 | 2 => {
            let next = tcp(port, *client, 0x18, 8000, &[], bytes);
            client.next = client.next.wrapping_add(bytes.len() as u32);
            next
        }
        // Bytes before or behind those, so that they overlap or leave a gap.
        3 => {
            let moved = Client { next: client.next.wrapping_sub(16).wrapping_add(small), ..*client };
            tcp(port, moved, 0x10, 8000, &[], bytes)
        }
        // Any flags, any acknowledgement, any window.
        4 => {
            let moved = Client { heard: client.heard.wrapping_sub(16).wrapping_add(small), ..*client };
            tcp(port, moved, bytes.first().copied().unwrap_or(0), u16::from(length), bytes, &[])
        }
        5 => tcp(port, *client, 0x11, 8000, &[], &[]),
        _ => return None,
    })
}

/// Notes what the server says in a segment, as a client that acknowledges it would.
pub fn hear(tcp: &[u8], clients: &mut [Client; PORTS]) {
    if tcp.len() < 20 {
        return;
    }
    let word = |at: usize| u32::from_be_bytes([tcp[at], tcp[at + 1], tcp[at + 2], tcp[at + 3]]);
    let port = usize::from(u16::from_be_bytes([tcp[2], tcp[3]])).wrapping_sub(40_000);
    let length = tcp.len().saturating_sub(usize::from(tcp[12] >> 4) * 4) as u32;
    if let Some(client) = clients.get_mut(port) {
        let ends = u32::from(tcp[13] & 1 != 0) + u32::from(tcp[13] & 2 != 0);
        client.heard = word(4).wrapping_add(length).wrapping_add(ends);
    }
}
