//! The server against smoltcp as a client, on a wire in memory and a virtual clock.

mod cookies;
mod endings;
mod framing;
mod handshakes;
mod memory;
mod newcomers;
#[cfg(feature = "ipv6")]
mod six;
mod strangers;
#[cfg(feature = "tls")]
mod tls;

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use loadstone_http::{ChunkedDecoder, Handler, Produce, Request, Response};
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::socket::tcp::{Socket, SocketBuffer, State};
use smoltcp::wire::{EthernetAddress, HardwareAddress, IpAddress, IpCidr};

use super::{Now, Server};
use crate::args::Args;
use crate::net::{Departure, Incoming, Offload, Outgoing, Verified, Wire};

/// One direction of a wire: frames on their way; every n-th is lost.
#[derive(Clone, Default)]
struct Way {
    frames: Rc<RefCell<VecDeque<Vec<u8>>>>,
    sent: usize,
    loss: Option<usize>,
    current: Option<Vec<u8>>,
    /// The last frame, for who listens.
    last: Rc<RefCell<Vec<u8>>>,
}

impl Incoming for Way {
    fn peek(&mut self) -> Option<(&mut [u8], Verified)> {
        if self.current.is_none() {
            self.current = self.frames.borrow_mut().pop_front();
        }
        self.current.as_deref_mut().map(|frame| (frame, Verified(false)))
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
        self.frames.borrow().len() < 64
    }

    fn send<R>(&mut self, bytes: usize, fill: impl FnOnce(&mut [u8]) -> (R, Departure)) -> R {
        let mut frame = alloc::vec![0; bytes];
        let (result, departure) = fill(&mut frame);
        if departure == Departure::Withheld {
            return result;
        }
        self.sent += 1;
        self.last.borrow_mut().clone_from(&frame);
        if self.loss.is_none_or(|every| !self.sent.is_multiple_of(every)) {
            self.frames.borrow_mut().push_back(frame);
        }
        result
    }

    fn flush(&mut self) {}
}

/// A hundred pieces of a thousand bytes, or half of them and then none.
struct Pieces {
    made: u32,
    breaks: bool,
}

impl Produce for Pieces {
    fn produce(&mut self, into: &mut Vec<u8>) -> Result<bool, String> {
        if self.breaks && self.made == 50 {
            return Err("no more".to_string());
        }
        into.resize(1000, b'x');
        self.made += 1;
        Ok(self.made < 100)
    }
}

/// Says what it was asked; `/large` is a hundred kilobytes, `/pieces` too, and `/half` does not get so far.
/// `/heavy` takes a megabyte of the machine's memory for good.
struct Echo {
    spare: Arc<AtomicUsize>,
}

impl Handler for Echo {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        match request.path {
            "/large" => drop(response.text(alloc::vec![b'x'; 100_000])),
            path @ ("/pieces" | "/half") => {
                response.stream("text/plain", Pieces { made: 0, breaks: path == "/half" });
            }
            "/heavy" => {
                let left = self.spare.load(Relaxed).checked_sub(1_000_000);
                self.spare.store(left.expect("the machine has the memory"), Relaxed);
                response.text("heavy");
            }
            "/none" => drop(response.not_found()),
            path => {
                let said = alloc::format!("{path}:{}", String::from_utf8_lossy(request.body));
                response.text(said);
            }
        }
    }
}

/// Timestamps of a test pass the end of their range.
const FIRST_TICK: u32 = u32::MAX - 50;

std::thread_local! {
    /// Milliseconds for timestamps, which each world begins anew.
    static TICKS: Cell<u32> = const { Cell::new(0) };
    /// Whether worlds speak IPv6.
    static SIX: Cell<bool> = const { Cell::new(false) };
}

/// Words that give a machine its address.
fn address_words() -> &'static str {
    if SIX.get() { "ip=10.0.0.1/24 ip6=fd00::1/64" } else { "ip=10.0.0.1/24" }
}

/// Where a client finds it.
fn server_address() -> IpAddress {
    #[cfg(feature = "ipv6")]
    if SIX.get() {
        return IpAddress::v6(0xfd00, 0, 0, 0, 0, 0, 0, 1);
    }
    IpAddress::v4(10, 0, 0, 1)
}

fn ticks() -> u32 {
    TICKS.get()
}

/// A server and its clients.
struct World {
    server: Server<Way, Way>,
    wire: Wire<Way, Way>,
    interface: Interface,
    sockets: SocketSet<'static>,
    now_us: u64,
    spare: Arc<AtomicUsize>,
    next_port: u16,
}

impl World {
    fn new(words: &str, loss: Option<usize>) -> Self {
        Self::with_secret(words, loss, 4)
    }

    fn with_secret(words: &str, loss: Option<usize>, secret: u64) -> Self {
        Self::set_up(words, loss, secret, |_| ())
    }

    /// `prepare` has the server before it serves.
    fn set_up(
        words: &str,
        loss: Option<usize>,
        secret: u64,
        prepare: impl FnOnce(&mut Server<Way, Way>),
    ) -> Self {
        let (there, back) = (Way { loss, ..Way::default() }, Way { loss, ..Way::default() });
        let now = Now { monotonic_us: 0, unix_s: 784_111_777 };
        let args = Args::parse(&alloc::format!("{} {words}", address_words())).unwrap();
        TICKS.set(FIRST_TICK);
        let mut server = Server::new(
            Wire::new(there.clone(), back.clone(), [3, secret], ticks),
            [2, 0, 0, 0, 0, 1],
            &args,
            7,
            now,
        );
        prepare(&mut server);
        let spare = Arc::new(AtomicUsize::new(4 << 20));
        server.serve(80, Box::new(Echo { spare: Arc::clone(&spare) }), args.connections, 8 << 20);
        let mut wire = Wire::new(back, there, [5, 6], ticks);
        let config = Config::new(HardwareAddress::Ethernet(EthernetAddress([2, 0, 0, 0, 0, 2])));
        let mut interface = Interface::new(config, &mut wire, now.instant());
        interface.update_ip_addrs(|addresses| {
            addresses.push(IpCidr::new(IpAddress::v4(10, 0, 0, 2), 24)).unwrap();
        });
        #[cfg(feature = "ipv6")]
        if SIX.get() {
            six::speak(&mut interface, &mut wire);
        }
        let sockets = SocketSet::new(Vec::new());
        Self { server, wire, interface, sockets, now_us: 0, spare, next_port: 40_000 }
    }

    fn connect(&mut self) -> SocketHandle {
        self.connect_with(32 * 1024)
    }

    /// A client that takes so many bytes that it does not read.
    fn connect_with(&mut self, bytes: usize) -> SocketHandle {
        let buffer = |bytes| SocketBuffer::new(alloc::vec![0; bytes]);
        let mut socket = Socket::new(buffer(bytes), buffer(32 * 1024));
        self.next_port += 1;
        let address = (server_address(), 80);
        socket.connect(self.interface.context(), address, self.next_port).unwrap();
        self.sockets.add(socket)
    }

    fn socket(&mut self, client: SocketHandle) -> &mut Socket<'static> {
        self.sockets.get_mut(client)
    }

    fn send(&mut self, client: SocketHandle, bytes: &[u8]) {
        let until_us = self.now_us + 30_000_000;
        while !self.socket(client).may_send() && self.now_us < until_us {
            self.step();
        }
        let sent = self.socket(client).send_slice(bytes);
        assert_eq!(sent.ok(), Some(bytes.len()), "the socket is open and has room");
    }

    fn now(&self) -> Now {
        Now { monotonic_us: self.now_us, unix_s: 784_111_777 + self.now_us / 1_000_000 }
    }

    /// A millisecond.
    fn step(&mut self) {
        let now = self.now();
        let spare = &self.spare;
        self.server.poll(now, &|| spare.load(Relaxed), &mut || false);
        self.interface.poll(now.instant(), &mut self.wire, &mut self.sockets);
        self.now_us += 1000;
        TICKS.set(TICKS.get().wrapping_add(1));
    }

    /// What comes to a client within so many milliseconds, or until `enough`.
    fn receive(&mut self, client: SocketHandle, ms: usize, enough: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..ms {
            self.step();
            let socket = self.socket(client);
            while socket.can_recv() {
                socket.recv(|came| (came.len(), bytes.extend_from_slice(came))).unwrap();
            }
            if enough(&bytes) {
                break;
            }
        }
        bytes
    }

    fn ask(&mut self, client: SocketHandle, request: &str) -> String {
        self.send(client, request.as_bytes());
        let whole = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).to_string();
            text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
                let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
                length.is_none_or(|length| body.len() >= length.parse().unwrap())
            })
        };
        String::from_utf8(self.receive(client, 60_000, whole)).unwrap()
    }
}

fn get(path: &str) -> String {
    alloc::format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n")
}

#[test]
fn a_connection_serves_one_request_after_the_other() {
    let mut world = World::new("", None);
    let client = world.connect();
    let expected = "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 3\r\n\
        Content-Type: text/plain; charset=utf-8\r\n\r\n/a:";
    assert_eq!(world.ask(client, &get("/a")), expected);
    let chunked = "POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
    assert!(world.ask(client, chunked).ends_with("/b:hi"));
    assert!(world.ask(client, &get("/none")).starts_with("HTTP/1.1 404 Not Found\r\n"));
    assert_eq!(world.server.counters.accepted, 1);
    let answer = world.ask(client, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert!(answer.contains("Connection: close\r\n"), "{answer}");
    world.receive(client, 100, |_| false);
    assert_eq!(world.socket(client).state(), State::CloseWait);
}

#[test]
fn an_answer_that_is_late_does_not_wait_for_others() {
    for late in [false, true] {
        let mut world = World::new("", None);
        for client in [world.connect(), world.connect()] {
            world.send(client, &get("/a").into_bytes());
        }
        let now = world.now();
        world.interface.poll(now.instant(), &mut world.wire, &mut world.sockets);
        let frames = Rc::clone(&world.wire.incoming.frames);
        let mut sent = Vec::new();
        let mut is_late = || {
            sent.push(frames.borrow().len());
            late
        };
        world.server.poll(now, &|| 4 << 20, &mut is_late);
        assert_eq!((world.server.counters.requests, sent.len()), (2, 2));
        assert_eq!(sent[1] > sent[0], late, "{sent:?}");
    }
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let mut world = World::new("", None);
    let client = world.connect();
    let requests: String = (0..40).map(|number| get(&alloc::format!("/{number}"))).collect();
    world.send(client, requests.as_bytes());
    let bytes = world.receive(client, 1000, |bytes| bytes.ends_with(b"/39:"));
    let text = String::from_utf8(bytes).unwrap();
    let bodies = text.split("\r\n\r\n").skip(1).map(|part| part.split(':').next().unwrap());
    assert_eq!(bodies.collect::<Vec<_>>(), (0..40).map(|n| alloc::format!("/{n}")).collect::<Vec<_>>());
}

#[test]
fn bytes_arrive_whole_on_a_wire_that_loses_some() {
    let mut world = World::new("rx=4096 tx=8192", Some(7));
    let client = world.connect();
    let answer = world.ask(client, &get("/large"));
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    assert_eq!((body.len(), body.bytes().all(|byte| byte == b'x')), (100_000, true));
}

#[test]
fn content_of_unknown_length_comes_in_chunks_and_the_connection_stays() {
    let mut world = World::new("rx=4096 tx=8192", Some(7));
    let client = world.connect();
    for _ in 0..2 {
        world.send(client, get("/pieces").as_bytes());
        let bytes = world.receive(client, 60_000, |bytes| bytes.ends_with(b"\r\n0\r\n\r\n"));
        let at = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        let head = String::from_utf8_lossy(&bytes[..at]);
        assert!(
            head.contains("Transfer-Encoding: chunked\r\n") && !head.contains("Content-Length"),
            "{head}"
        );
        let (mut decoder, mut read) = (ChunkedDecoder::new(), Vec::new());
        decoder.decode(&bytes[at..], |data| read.extend_from_slice(data)).unwrap();
        assert_eq!((decoder.is_done(), read.len()), (true, 100_000));
        assert!(read.iter().all(|byte| *byte == b'x'));
    }
    let head = world.ask(client, "HEAD /pieces HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(head.ends_with("\r\n\r\n"), "{head}");
}

#[test]
fn a_client_that_waits_is_told_to_go_on() {
    let mut world = World::new("", None);
    let client = world.connect();
    let head = "POST /c HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
    assert_eq!(world.ask(client, head), "HTTP/1.1 100 Continue\r\n\r\n");
    assert!(world.ask(client, "ok").ends_with("/c:ok"));
}

#[test]
fn slow_clients_hear_that_they_are() {
    let mut world = World::new("", None);
    let (slow, silent) = (world.connect(), world.connect());
    world.send(slow, b"GET / HT");
    let answer = String::from_utf8(world.receive(slow, 12_000, |bytes| !bytes.is_empty())).unwrap();
    assert!(answer.starts_with("HTTP/1.1 408 Request Timeout\r\n"), "{answer}");
    assert!(world.now_us > 9_000_000);
    world.receive(silent, 3000, |_| false);
    assert!(!world.socket(silent).may_recv(), "closed without a word");
    assert_eq!(world.server.counters.slow, [2, 0, 0]);
}

#[test]
fn an_end_waits_for_answers_and_not_for_the_idle() {
    let mut world = World::new("tx=2048", None);
    let (idle, busy) = (world.connect(), world.connect());
    world.ask(idle, &get("/a"));
    world.send(busy, get("/large").as_bytes());
    world.receive(busy, 3, |_| false);
    world.server.drain();
    let rest = world.receive(busy, 2000, |bytes| bytes.len() > 100_000);
    assert!(rest.len() > 60_000, "{}", rest.len());
    world.socket(busy).close();
    world.socket(idle).close();
    world.receive(busy, 1000, |_| false);
    assert!(world.server.is_drained());
    let late = world.connect();
    world.receive(late, 100, |_| false);
    assert!(!world.socket(late).may_send(), "nobody listens any more");
}
