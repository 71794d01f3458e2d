//! Content whose length nobody knows when it begins.

use std::io::Read;
use std::sync::atomic::Ordering;
use std::time::Duration;

use loadstone_container::Config;
use loadstone_http::Method;

use crate::client::Client;
use crate::{each, eventually, start};

fn get(path: &str, fields: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: test\r\n{fields}\r\n")
}

/// Behind the head.
fn body(message: &[u8]) -> &[u8] {
    let end = message.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    &message[end + 4..]
}

#[test]
fn it_arrives_whole_and_the_connection_goes_on() {
    each(|config| {
        let (server, _) = start(config);
        let mut client = Client::connect(server.address());
        for (pieces, bytes) in [(0, 1), (1, 0), (1, 1), (3, 0), (1000, 7), (40, 200_000)] {
            client.send(get(&format!("/stream?{pieces}-{bytes}"), ""));
            client.send(get("/hello", ""));
            let reply = client.reply();
            assert!(reply.fields.contains("Transfer-Encoding: chunked\r\n") && reply.keep_alive);
            assert!(!reply.fields.contains("Content-Length"));
            assert!(reply.body == vec![b'x'; pieces * bytes], "{pieces} of {bytes}");
            assert_eq!(client.reply().text(), "hello");
        }
        client.send("HEAD /stream?9-9 HTTP/1.1\r\nHost: test\r\n\r\n");
        assert!(client.reply_to(Method::Head).fields.contains("Transfer-Encoding: chunked\r\n"));
        assert_eq!(client.get("/hello").text(), "hello");
    });
}

#[test]
fn before_http_1_1_the_connection_ends_it() {
    each(|config| {
        let (server, _) = start(config);
        let mut client = Client::connect(server.address());
        client.send("GET /stream?40-100000 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        let (message, in_order) = client.rest_and_end();
        assert!(in_order && body(&message) == vec![b'x'; 4_000_000]);
        let head = String::from_utf8_lossy(&message[..message.len() - 4_000_000]).into_owned();
        assert!(head.contains("Connection: close\r\n") && !head.contains("Transfer-Encoding"), "{head}");
    });
}

#[test]
fn no_more_is_made_than_the_client_takes() {
    each(|config| {
        let (server, app) = start(Config { workers: 1, ..config });
        let mut slow = Client::connect(server.address());
        slow.send("GET /stream?1000-100000 HTTP/1.0\r\n\r\n");
        let made = || app.streamed.load(Ordering::SeqCst);
        eventually("it has begun", || made() > 0);
        // Its reader holds nobody, and what it does not take is not made: the system's buffers are smaller by
        // far.
        for _ in 0..20 {
            assert_eq!(Client::connect(server.address()).get("/hello").text(), "hello");
        }
        assert!(made() < 50_000_000, "{}", made());
        let (message, in_order) = slow.rest_and_end();
        assert!(in_order && body(&message).len() == 100_000_000);
    });
}

#[test]
fn content_that_fails_is_taken_for_whole_by_nobody() {
    each(|config| {
        let (server, _) = start(config);
        for end in ["error", "panic"] {
            for version in ["1.1", "1.0"] {
                let mut client = Client::connect(server.address());
                client.send(format!("GET /stream?3-1000-{end} HTTP/{version}\r\nHost: test\r\n\r\n"));
                let (message, in_order) = client.rest_and_end();
                assert!(!in_order && !message.ends_with(b"0\r\n\r\n"), "{end} {version}");
            }
            assert_eq!(Client::connect(server.address()).get("/hello").text(), "hello");
        }
        eventually("the connections are gone", || server.counters().open_connections == 0);
        assert_eq!(server.counters().worker_panics, 2);
    });
}

#[test]
fn who_does_not_read_it_is_cut() {
    each(|mut config| {
        config.timeouts.write = Duration::from_millis(50);
        let (server, _) = start(config);
        let mut client = Client::connect(server.address());
        client.send("GET /stream?2000-100000 HTTP/1.0\r\n\r\n");
        eventually("it is over", || {
            server.counters().slow[2] == 1 && server.counters().open_connections == 0
        });
        assert!(!client.rest_and_end().1);
    });
}

#[test]
fn it_is_compressed_for_those_who_take_it_so() {
    each(|config| {
        let (server, _) = start(Config { compress: Some(6), ..config });
        let mut client = Client::connect(server.address());
        for (pieces, bytes) in [(0, 0), (1, 1), (5, 3000), (30, 100_000)] {
            client.send(get(&format!("/stream?{pieces}-{bytes}"), "Accept-Encoding: gzip\r\n"));
            let reply = client.reply();
            assert!(reply.fields.contains("Content-Encoding: gzip\r\n"), "{}", reply.fields);
            let mut plain = Vec::new();
            flate2::read::GzDecoder::new(reply.body.as_slice()).read_to_end(&mut plain).unwrap();
            assert!(plain == vec![b'x'; pieces * bytes], "{pieces} of {bytes}");
        }
    });
}

#[test]
fn a_server_that_ends_lets_it_end_first() {
    each(|config| {
        let (server, app) = start(config);
        let mut client = Client::connect(server.address());
        client.send(get("/stream?3-1000-gate", ""));
        eventually("it stands at the gate", || app.gate.waiting() == 1);
        assert!(!server.drain(Duration::ZERO));
        app.gate.open();
        assert_eq!(client.reply().body.len(), 3000);
        assert!(server.drain(Duration::from_secs(10)));
    });
}
