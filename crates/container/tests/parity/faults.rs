//! Clients and applications at their worst: the others are served, and a counter tells.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use loadstone_container::{Config, Connector};
use rustix::net::sockopt;

use crate::client::Client;
use crate::{each, each_that_may_block, eventually, start};

const WAIT: &str = "GET /wait HTTP/1.1\r\nHost: test\r\n\r\n";

#[test]
fn slow_heads_and_bodies_hold_no_worker() {
    each(|mut config| {
        config.timeouts.head = Duration::from_millis(400);
        config.timeouts.body = Duration::from_millis(400);
        let (server, _) = start(Config { workers: 1, ..config });
        let mut heads: Vec<_> = (0..100).map(|_| Client::connect(server.address())).collect();
        let mut bodies: Vec<_> = (0..100).map(|_| Client::connect(server.address())).collect();
        heads.iter_mut().for_each(|client| client.send("GET /hello HTTP/1.1\r\nHost"));
        for client in &mut bodies {
            client.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\nab");
        }
        let mut honest = Client::connect(server.address());
        (0..20).for_each(|_| assert_eq!(honest.get("/hello").text(), "hello"));
        for client in heads.iter_mut().chain(&mut bodies) {
            assert_eq!(client.reply().status, 408);
        }
        let counters = server.counters();
        assert_eq!((counters.slow, counters.closed_by_timeout), ([100, 100, 0], 200), "{counters:?}");
    });
}

/// The first request of each is well-behaved: only then do they turn on whoever serves them.
#[test]
fn who_turns_slow_after_an_answer_holds_no_worker() {
    const EACH: usize = 20;
    const KINDS: [&str; 4] = [
        "GET /hello HTTP/1.1\r\nHost",
        "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\nab",
        "GET /stream?100-1000000 HTTP/1.1\r\nHost: test\r\n\r\n",
        "",
    ];
    each(|mut config| {
        // A threaded server keeps who may be idle for long: here for 10 ms when somebody waits for the
        // thread.
        config.timeouts.idle = Duration::from_millis(640);
        let (server, _) = start(Config { workers: 2, ..config });
        let mut slow = Vec::new();
        for kind in KINDS {
            for _ in 0..EACH {
                let mut client = Client::connect(server.address());
                assert_eq!(client.get("/hello").text(), "hello");
                client.try_send(kind);
                slow.push(client);
            }
            for _ in 0..5 {
                assert_eq!(Client::connect(server.address()).get("/hello").text(), "hello");
            }
        }
        assert_eq!(server.counters().slow, [0; 3], "nobody's time was over");
    });
}

#[test]
fn a_flood_of_pipelined_requests_starves_nobody() {
    const FLOOD: usize = 50_000;
    each(|config| {
        let workers = if config.connector == Connector::Threaded { 4 } else { 1 };
        let (server, _) = start(Config { workers, ..config });
        let mut flood = TcpStream::connect(server.address()).unwrap();
        let mut sender = flood.try_clone().unwrap();
        let many = "GET /hello HTTP/1.1\r\nHost: test\r\n\r\n".repeat(FLOOD);
        thread::scope(|scope| {
            // As long as nobody reads the answers the server stops reading the flood, once the buffers are
            // full.
            scope.spawn(move || sender.write_all(many.as_bytes()).unwrap());
            for _ in 0..20 {
                assert_eq!(Client::connect(server.address()).get("/hello").text(), "hello");
            }
            // Whoever floods and reads gets every answer.
            let (mut answers, mut piece) = (0, [0; 64 * 1024]);
            while answers < FLOOD {
                let count = flood.read(&mut piece).unwrap();
                assert!(count > 0, "closed after {answers} answers");
                answers += piece[..count].windows(5).filter(|bytes| bytes == b"hello").count();
                if answers < FLOOD && !piece[..count].ends_with(b"hello") {
                    // An answer may be cut in two: read up to its end.
                    let mut one = [0];
                    let mut tail = piece[count.saturating_sub(4)..count].to_vec();
                    while !tail.ends_with(b"hello") {
                        flood.read_exact(&mut one).unwrap();
                        tail.push(one[0]);
                    }
                    answers += 1;
                }
            }
        });
        assert_eq!(server.counters().requests, FLOOD as u64 + 20);
    });
}

/// 100,000 clients that come and go: at once, in the middle of a request, after an answer.
#[test]
#[ignore = "long: 100,000 connections to each connector"]
fn a_churn_of_connections_leaves_nothing_behind() {
    const EACH: usize = 25_000;
    each(|config| {
        let (server, _) = start(config);
        let address = server.address();
        thread::scope(|scope| {
            for kind in 0..4 {
                scope.spawn(move || {
                    for round in 0..EACH {
                        let mut stream = TcpStream::connect(address).unwrap();
                        // Closing resets: an orderly end would hold the port for a minute.
                        sockopt::set_socket_linger(&stream, Some(Duration::ZERO)).unwrap();
                        if (kind + round) % 4 == 1 {
                            stream.write_all(b"GET /hello HT").unwrap();
                        } else if (kind + round) % 4 > 1 {
                            stream.write_all(b"GET /hello HTTP/1.1\r\nHost: test\r\n\r\n").unwrap();
                        }
                        if (kind + round) % 4 == 3 {
                            assert!(stream.read(&mut [0; 1024]).unwrap() > 0);
                        }
                    }
                });
            }
        });
        eventually("all are gone", || server.counters().open_connections == 0);
        assert_eq!(Client::connect(address).get("/hello").text(), "hello");
        let counters = server.counters();
        // One that was reset in the backlog may never have been seen.
        assert!((1..=4 * EACH as u64 + 1).contains(&counters.accepted), "{counters:?}");
        assert!(counters.responses[1] > EACH as u64, "{counters:?}");
        assert_eq!(counters.closed_by_timeout, 0);
        eventually("nobody waits", || {
            let counters = server.counters();
            (counters.newcomers, counters.queue_depth) == (0, 0)
        });
    });
}

#[test]
fn a_worker_that_blocks_for_ever_costs_no_other() {
    each_that_may_block(|mut config| {
        config.timeouts.stuck = Duration::from_millis(50);
        let (server, app) = start(Config { workers: 2, ..config });
        let mut blocked = Client::connect(server.address());
        blocked.send(WAIT);
        eventually("it counts as stuck", || server.counters().workers_stuck == 1);
        let mut other = Client::connect(server.address());
        (0..50).for_each(|_| assert_eq!(other.get("/hello").text(), "hello"));
        // Nobody waits for it at the end: the gate is still closed.
        assert!(!server.drain(Duration::ZERO));
        drop(server);
        app.gate.open();
    });
}

#[test]
fn a_pool_that_adapts_replaces_workers_that_block_for_ever() {
    each(|mut config| {
        if config.connector != Connector::Hybrid {
            return;
        }
        config.timeouts.stuck = Duration::from_millis(50);
        let (server, app) = start(Config { workers: 0, auto: true, ..config });
        let first = server.counters().workers;
        let mut blocked: Vec<_> = (0..first).map(|_| Client::connect(server.address())).collect();
        blocked.iter_mut().for_each(|client| client.send(WAIT));
        eventually("all are at the gate", || app.gate.waiting() as u64 == first);
        assert_eq!(Client::connect(server.address()).get("/hello").text(), "hello", "by one of the others");
        let counters = server.counters();
        assert_eq!((counters.workers_stuck, counters.workers), (first, 2 * first), "{counters:?}");
        app.gate.open();
        blocked.iter_mut().for_each(|client| assert_eq!(client.reply().text(), "waited"));
        eventually("those who are not needed end", || server.counters().workers == first);
    });
}
