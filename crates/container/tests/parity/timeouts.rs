//! Clients that take too long. The time-outs under test are short, all others long.

use std::time::{Duration, Instant};

use loadstone_container::Config;

use crate::app::BIG;
use crate::client::Client;
use crate::{each, eventually, start};

const SHORT: Duration = Duration::from_millis(60);

fn short(mut config: Config, change: impl Fn(&mut loadstone_container::Timeouts)) -> Config {
    change(&mut config.timeouts);
    config
}

#[test]
fn a_slow_head_ends_with_408() {
    each(|config| {
        let (server, _) = start(short(config, |timeouts| timeouts.head = SHORT));
        // The server's clock for the head begins as soon as it has the connection.
        let began = Instant::now();
        let mut slow = Client::connect(server.address());
        slow.send("GET /hello HTTP/1.1\r\nHo");
        // A byte now and then must not gain it time: it would go on for ever.
        while server.counters().responses[3] == 0 {
            assert!(began.elapsed() < Duration::from_secs(60));
            slow.try_send("x");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(began.elapsed() >= SHORT);
        assert_eq!(slow.reply().status, 408);
        assert_eq!(server.counters().closed_by_timeout, 1);
    });
}

#[test]
fn a_silent_client_is_closed_in_silence() {
    each(|config| {
        let (server, _) = start(short(config.clone(), |timeouts| timeouts.head = SHORT));
        Client::connect(server.address()).assert_closed();
        assert_eq!((server.counters().closed_by_timeout, server.counters().closed_idle), (1, 0));

        let (server, _) = start(short(config, |timeouts| timeouts.idle = SHORT));
        let mut client = Client::connect(server.address());
        client.get("/hello");
        client.assert_closed();
        assert_eq!((server.counters().closed_by_timeout, server.counters().closed_idle), (0, 1));
    });
}

#[test]
fn a_stalled_body_ends_with_408_and_a_slow_one_does_not() {
    each(|config| {
        let (server, _) = start(short(config, |timeouts| timeouts.body = 12 * SHORT));
        let mut slow = Client::connect(server.address());
        slow.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 20\r\n\r\n");
        for digit in (0..10).cycle().take(20) {
            std::thread::sleep(SHORT / 2);
            slow.send(digit.to_string());
        }
        assert_eq!(slow.reply().text(), "01234567890123456789");
        slow.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\n01");
        assert_eq!(slow.reply().status, 408);
        slow.assert_closed();
    });
}

#[test]
fn a_stalled_reader_is_cut() {
    each(|config| {
        let (server, _) = start(short(config, |timeouts| timeouts.write = SHORT));
        let mut client = Client::connect(server.address());
        client.send("GET /big HTTP/1.1\r\nHost: test\r\n\r\n");
        eventually("the reader is cut", || server.counters().closed_by_timeout == 1);
        eventually("its connection is gone", || server.counters().open_connections == 0);
        assert!(server.counters().bytes_out < BIG as u64);
    });
}

#[test]
fn slow_readers_hold_no_worker() {
    each(|config| {
        let (server, _) = start(Config { workers: 1, ..config });
        let mut slow: Vec<_> = (0..4).map(|_| Client::connect(server.address())).collect();
        for client in &mut slow {
            client.send("GET /big HTTP/1.1\r\nHost: test\r\n\r\nGET /hello HTTP/1.1\r\nHost: test\r\n\r\n");
        }
        eventually("all have their response begun", || server.counters().responses[1] == 4);
        assert_eq!(Client::connect(server.address()).get("/hello").text(), "hello");
        for client in &mut slow {
            let reply = client.reply();
            assert!(reply.body.len() == BIG && reply.body.iter().all(|&byte| byte == b'x'));
            assert_eq!(client.reply().text(), "hello");
        }
    });
}
