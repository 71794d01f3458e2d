//! Many connections, few workers.

use std::thread;
use std::time::Duration;

use loadstone_container::{Admission, Config};

use crate::client::Client;
use crate::{each, each_that_may_block, eventually, start};

const WAIT: &str = "GET /wait HTTP/1.1\r\nHost: test\r\n\r\n";

#[test]
fn a_full_queue_stops_accepting_until_there_is_room() {
    each_that_may_block(|config| {
        let admission = Some(Admission::Queue);
        let (server, app) = start(Config { workers: 1, queue: 2, admission, ..config });
        let mut clients: Vec<_> = (0..3).map(|_| Client::connect(server.address())).collect();
        for client in &mut clients {
            client.send(WAIT);
        }
        eventually("one is served and two wait", || {
            app.gate.waiting() == 1 && server.counters().queue_depth == 2 && server.counters().pauses > 0
        });
        // The kernel completes these connections; the server does not take them.
        let mut outside: Vec<_> = (0..5).map(|_| Client::connect(server.address())).collect();
        for client in &mut outside {
            client.send(WAIT);
        }
        assert_eq!((server.counters().accepted, server.counters().workers_busy), (3, 1));
        app.gate.open();
        for client in clients.iter_mut().chain(&mut outside) {
            assert_eq!(client.reply().text(), "waited");
        }
        let counters = server.counters();
        assert_eq!((counters.accepted, counters.queue_depth), (8, 0), "{counters:?}");
    });
}

#[test]
fn connections_are_bounded() {
    each(|mut config| {
        // Long enough for nobody to be closed for the third before the test is over.
        config.timeouts.idle = Duration::from_secs(6400);
        let (server, _) = start(Config { max_connections: 2, ..config });
        let mut first = Client::connect(server.address());
        let mut second = Client::connect(server.address());
        first.get("/hello");
        second.get("/hello");
        let mut third = Client::connect(server.address());
        third.send("GET /hello HTTP/1.1\r\nHost: test\r\n\r\n");
        assert_eq!(first.get("/hello").text(), "hello");
        assert_eq!(server.counters().accepted, 2);
        drop(second);
        assert_eq!(third.reply().text(), "hello");
        assert_eq!(server.counters().accepted, 3);
    });
}

#[test]
fn who_keeps_every_place_without_use_makes_room() {
    each(|mut config| {
        config.timeouts.head = Duration::from_secs(600);
        let (server, _) = start(Config { max_connections: 8, ..config });
        let mut silent: Vec<_> = (0..12).map(|_| Client::connect(server.address())).collect();
        silent.iter_mut().take(4).for_each(|client| client.send("GET /hel"));
        for _ in 0..3 {
            assert_eq!(Client::connect(server.address()).get("/hello").text(), "hello");
        }
        assert!(server.counters().slow[0] > 0, "some were closed long before their time");
    });
}

#[test]
fn every_answer_goes_to_its_request() {
    each(|config| {
        let (server, _) = start(Config { workers: config.workers * 2, queue: 4, ..config });
        let address = server.address();
        thread::scope(|scope| {
            for client_id in 0..16 {
                scope.spawn(move || {
                    for round in 0..20 {
                        let mut client = Client::connect(address);
                        for request in 0..10 {
                            let query = format!("{client_id}-{round}-{request}");
                            assert_eq!(client.get(&format!("/query?{query}")).text(), query);
                        }
                    }
                });
            }
        });
        let counters = server.counters();
        assert_eq!((counters.accepted, counters.requests, counters.responses[1]), (320, 3200, 3200));
    });
}

#[test]
fn slow_uploads_share_a_bounded_memory() {
    each(|config| {
        let (server, _) = start(Config { request_memory: 1 << 20, ..config });
        let head = "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 400000\r\n\r\n";
        let half = vec![b'x'; 200_000];
        let mut slow: Vec<_> = (0..20).map(|_| Client::connect(server.address())).collect();
        for client in &mut slow {
            client.try_send(head);
            client.try_send(&half);
        }
        eventually("most do not fit", || server.counters().responses[4] >= 12);
        for client in &mut slow {
            client.try_send(&half);
        }
        let served = slow.iter_mut().map(Client::reply).filter(|reply| match reply.status {
            200 => reply.body.len() == 400_000,
            status => {
                assert_eq!(status, 503);
                false
            }
        });
        assert!((1..=8).contains(&served.count()));
        // What they held is free again, and small requests never lacked anything.
        eventually("there is room for another", || {
            let mut client = Client::connect(server.address());
            client.try_send([head.as_bytes(), &half, &half].concat());
            client.reply().status == 200
        });
    });
}
