//! Where an event loop holds them, a thousand idle connections cost no worker and at most 4 KiB of memory
//! each.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loadstone_container::{Config, Connector, Server};
use loadstone_http::{Handler, Request, Response, Service};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const CONNECTIONS: usize = 1000;

/// Counts the bytes that are allocated.
struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged; `realloc` is the trait's own, which
// calls these two.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `memory` came from `alloc` above with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Echo;

impl Service for Echo {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        Ok(Box::new(Echo))
    }
}

impl Handler for Echo {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        response.text(format!("{}\n", request.body.len()));
    }
}

fn post(stream: &mut TcpStream, body: &[u8]) {
    let head = format!("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
    let mut reply = [0; 512];
    let count = stream.read(&mut reply).unwrap();
    assert!(reply.starts_with(b"HTTP/1.1 200 OK") && reply[..count].ends_with(b"\n"));
}

#[test]
fn a_thousand_idle_connections_cost_little() {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }).unwrap();
    for connector in [Connector::Hybrid, Connector::Event] {
        let address = "127.0.0.1:0".parse().unwrap();
        let config = Config { address, connector, workers: 2, ..Config::default() };
        let server = Server::start(config, Arc::new(Echo)).unwrap();
        let body = vec![b'x'; 20_000];
        let mut active = TcpStream::connect(server.address()).unwrap();
        post(&mut active, &body);
        let before = LIVE.load(Ordering::Relaxed);
        let mut streams = Vec::with_capacity(CONNECTIONS);
        for _ in 0..CONNECTIONS {
            let mut stream = TcpStream::connect(server.address()).unwrap();
            // A body grows the buffers, which must not stay.
            post(&mut stream, &body);
            streams.push(stream);
        }
        // What comes back to the event loop shrinks there.
        post(&mut active, b"");
        let each = (LIVE.load(Ordering::Relaxed) - before) / CONNECTIONS;
        assert!(each <= 4096, "{} bytes for each idle connection", each);
        assert_eq!(server.counters().open_connections, CONNECTIONS as u64 + 1);
        streams.iter_mut().for_each(|stream| post(stream, b"still here"));
    }
}
