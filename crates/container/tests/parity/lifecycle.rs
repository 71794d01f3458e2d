//! Start, panic, drain, drop.

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use loadstone_container::{Config, Server, StartError};
use loadstone_http::{Handler, Service};

use crate::client::Client;
use crate::{each, each_that_may_block, eventually, start};

/// Half as long as a connection may be idle.
const PLENTY: Duration = Duration::from_secs(30);
const WAIT: &str = "GET /wait HTTP/1.1\r\nHost: test\r\n\r\n";

struct Broken;

impl Service for Broken {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        Err("no database".into())
    }
}

#[test]
fn a_start_that_fails_says_why() {
    each(|config| {
        let failed = Server::start(config.clone(), Arc::new(Broken)).unwrap_err();
        assert_eq!(failed.to_string(), "the application cannot start: no database");
        let (server, _) = start(config.clone());
        let taken = Config { address: server.address(), ..config };
        let failed = Server::start(taken, Arc::new(crate::app::App::default())).unwrap_err();
        assert!(matches!(failed, StartError::Listen(address, _) if address == server.address()), "{failed}");
    });
}

#[test]
fn a_panic_costs_one_request() {
    each(|config| {
        let (server, app) = start(Config { workers: 1, ..config });
        let mut client = Client::connect(server.address());
        for _ in 0..3 {
            let reply = client.get("/panic");
            assert_eq!((reply.status, reply.fields.contains("X-Half")), (500, false));
            assert_eq!(client.get("/hello").text(), "hello");
        }
        assert_eq!(server.counters().worker_panics, 3);
        assert_eq!(*app.handlers.lock().unwrap(), 4);
    });
}

#[test]
fn an_application_that_cannot_come_back_costs_no_worker() {
    each(|config| {
        let (server, app) = start(Config { workers: 1, ..config });
        let mut client = Client::connect(server.address());
        assert_eq!(client.get("/panic").status, 500);
        app.broken.store(true, Ordering::SeqCst);
        assert_eq!([client.get("/hello").status, client.get("/hello").status], [503, 503]);
        app.broken.store(false, Ordering::SeqCst);
        assert_eq!(client.get("/hello").text(), "hello");
    });
}

#[test]
fn drain_does_not_wait_for_idle_connections() {
    each(|config| {
        // A connection comes back from its worker at any moment around the drain.
        for round in 0..200 {
            let (server, _) = start(config.clone());
            let mut client = Client::connect(server.address());
            client.send("GET /hello HTTP/1.1\r\nHost: test\r\n\r\n");
            (0..round * 40).for_each(|_| std::hint::spin_loop());
            let began = std::time::Instant::now();
            server.drain(Duration::ZERO);
            client.reply();
            client.assert_closed();
            drop(client);
            assert!(server.drain(PLENTY));
            assert!(began.elapsed() < PLENTY, "round {round}: {:?}", began.elapsed());
        }
    });
}

#[test]
fn drain_answers_what_has_begun() {
    each_that_may_block(|config| {
        let (server, app) = start(Config { workers: 1, queue: 8, ..config });
        let mut idle = Client::connect(server.address());
        idle.get("/hello");
        let mut served = Client::connect(server.address());
        served.send(WAIT);
        eventually("a request is served", || app.gate.waiting() == 1);
        let mut queued = Client::connect(server.address());
        queued.send(WAIT);
        let mut arriving = Client::connect(server.address());
        arriving.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\n\r\na");
        eventually("all are accepted", || server.counters().accepted == 4);

        assert!(!server.drain(Duration::from_millis(1)), "a request is at the gate");
        idle.assert_closed();
        eventually("nothing is accepted", || TcpStream::connect(server.address()).is_err());
        app.gate.open();
        arriving.send("b");
        for (client, text) in [(&mut served, "waited"), (&mut queued, "waited"), (&mut arriving, "ab")] {
            let reply = client.reply();
            assert_eq!((reply.text(), reply.keep_alive), (text, false));
            client.assert_closed();
        }
        drop((served, queued, arriving));
        assert!(server.drain(PLENTY));
        assert_eq!(server.counters().open_connections, 0);
    });
}

#[test]
fn drain_loses_no_request_that_was_sent() {
    each(|config| {
        let (server, _) = start(config);
        let mut clients: Vec<_> = (0..200).map(|_| Client::connect(server.address())).collect();
        for client in &mut clients {
            client.send("GET /hello HTTP/1.1\r\nHost: test\r\n\r\n");
        }
        server.drain(Duration::ZERO);
        for client in &mut clients {
            assert_eq!(client.reply().text(), "hello");
        }
        drop(clients);
        assert!(server.drain(PLENTY));
    });
}

#[test]
fn dropping_cuts_connections_and_ends_threads() {
    each(|config| {
        let (server, app) = start(config);
        let mut idle = Client::connect(server.address());
        idle.get("/hello");
        let address = server.address();
        drop(server);
        assert!(idle.is_cut());
        assert!(TcpStream::connect(address).is_err());
        // Every thread has let go of the application.
        assert_eq!(Arc::strong_count(&app), 1);
    });
}
