//! Few open files: fewer connections, no spinning, no lost client.
//! A test binary of its own, because the limit is the process's and cannot be raised again.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use loadstone_container::{Config, Connector, Server};
use loadstone_http::{Handler, Request, Response, Service};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const HARD: u64 = 400;

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

struct Hello {
    /// Files that it says to keep open.
    open_files: usize,
}

impl Service for Hello {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        Ok(Box::new(Hello { ..*self }))
    }

    fn open_files(&self) -> usize {
        self.open_files
    }
}

impl Handler for Hello {
    fn handle(&mut self, _request: &Request<'_>, response: &mut Response) {
        response.text("hello");
    }
}

fn start(connector: Connector, max_connections: usize) -> Server {
    start_with(connector, max_connections, Hello { open_files: 0 })
}

fn start_with(connector: Connector, max_connections: usize, service: Hello) -> Server {
    let limit = Rlimit { current: Some(100), maximum: Some(HARD) };
    setrlimit(Resource::Nofile, limit).unwrap();
    let address = "127.0.0.1:0".parse().unwrap();
    Server::start(
        Config { address, connector, max_connections, workers: 2, ..Config::default() },
        Arc::new(service),
    )
    .unwrap()
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

fn hello(stream: &mut TcpStream) {
    stream.write_all(b"GET / HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
    let mut reply = [0; 512];
    let count = stream.read(&mut reply).unwrap();
    assert!(reply[..count].ends_with(b"hello"));
}

#[test]
fn the_soft_limit_is_raised_and_connections_fit_below_it() {
    let _guard = ONE_AT_A_TIME.lock();
    for connector in Connector::ALL {
        let server = start(connector, 10_000);
        assert_eq!(getrlimit(Resource::Nofile).current, Some(HARD));
        let most = server.max_connections();
        assert!((200..HARD as usize - 40).contains(&most), "{most}");
        assert_eq!(start(connector, 50).max_connections(), 50);
        drop(server);
        let keeper = start_with(connector, 10_000, Hello { open_files: 100 });
        assert!((most - 120..=most - 80).contains(&keeper.max_connections()), "{most}");
    }
}

#[test]
fn a_server_without_files_waits_for_one() {
    let _guard = ONE_AT_A_TIME.lock();
    for connector in Connector::ALL {
        let server = start(connector, 100);
        let mut first = connect(server.address());
        hello(&mut first);
        let mut outside = connect(server.address());
        let mut held = Vec::new();
        // `outside` may be accepted before the files are gone; whoever comes after it is not.
        let late = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        while let Ok(file) = File::open("/dev/null") {
            held.push(file);
        }
        // The last file goes to the client's own side.
        held.pop();
        let mut waiting = connect(server.address());
        waiting.write_all(b"GET / HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
        for _ in 0..200 {
            hello(&mut first);
        }
        let pauses = server.counters().pauses;
        assert!((1..20).contains(&pauses), "{pauses} attempts to accept without a file");
        drop((held, late));
        let mut reply = [0; 512];
        assert!(waiting.read(&mut reply).unwrap() > 0, "accepted when files were there again");
        hello(&mut outside);
    }
}
