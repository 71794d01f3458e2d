//! Handshakes while others ask for thousands of connections: they take no memory, and whoever is there has one.

use alloc::vec::Vec;

use smoltcp::iface::SocketHandle;
use smoltcp::socket::tcp::{Socket, State};

use super::strangers::{answered, forge, opening, spoofed};
use super::{World, get, ticks};
use crate::net::frame::{ACK, SYN, Segment};

const LARGE: usize = 100_000;

/// A world in which somebody has asked for more connections than may be half-open.
pub(super) fn crowded(words: &str, loss: Option<usize>) -> World {
    let mut world = World::new(words, None);
    let (client, request) = opening(&mut world);
    world.sockets.remove(client);
    world.wire.keep(core::iter::empty());
    for number in 0..40 {
        forge(&mut world, spoofed(&request, 3 + number, 1024));
        world.step();
    }
    assert!(world.server.wire.cookies_sent > 0);
    (world.wire.outgoing.loss, world.server.wire.outgoing.loss) = (loss, loss);
    world
}

/// Sockets whose clients have asked and not gone on.
fn half_open(world: &World) -> usize {
    let server = &world.server;
    let sockets = server.slots.iter().map(|slot| server.sockets.get::<Socket<'_>>(slot.socket));
    sockets.filter(|socket| socket.state() == State::SynReceived).count()
}

/// A client that has connected by an answer that took no socket, and the end of its handshake.
fn connected(world: &mut World) -> (SocketHandle, Vec<u8>) {
    let client = world.connect();
    let mut end = Vec::new();
    for _ in 0..50 {
        world.step();
        let last = world.wire.outgoing.last.borrow().clone();
        if Segment::find(&last).is_some_and(|it| it.flags & (SYN | ACK) == ACK) && end.is_empty() {
            end = last;
        }
    }
    assert_eq!(world.socket(client).state(), State::Established);
    (client, end)
}

#[test]
pub(super) fn a_flood_that_never_ends_delays_nobody() {
    let mut world = World::new("connections=64", None);
    let (client, request) = opening(&mut world);
    world.sockets.remove(client);
    world.wire.keep(core::iter::empty());
    let mut asked = 0_u32;
    let mut flood = |world: &mut World| {
        for _ in 0..4 {
            asked += 1;
            forge(world, spoofed(&request, 3 + (asked % 250) as u8, 1024 + (asked % 60_000) as u16));
        }
        world.step();
    };
    for _ in 0..1000 {
        flood(&mut world);
    }
    for number in 0..30 {
        let (from_us, client) = (world.now_us, world.connect());
        while !world.socket(client).may_send() && world.now_us < from_us + 5_000_000 {
            flood(&mut world);
        }
        assert!(world.now_us < from_us + 50_000, "{number}: {} ms", (world.now_us - from_us) / 1000);
        world.send(client, get("/b").as_bytes());
        let mut answer = Vec::new();
        while !answer.ends_with(b"/b:") && world.now_us < from_us + 5_000_000 {
            flood(&mut world);
            let socket = world.socket(client);
            while socket.can_recv() {
                socket.recv(|came| (came.len(), answer.extend_from_slice(came))).unwrap();
            }
        }
        assert!(world.now_us < from_us + 100_000, "{number}: {} ms", (world.now_us - from_us) / 1000);
        world.socket(client).close();
    }
    let (sent, taken) = (world.server.wire.cookies_sent, world.server.wire.cookies_taken);
    assert!(taken >= 25 && sent > 4000, "{taken} of {sent}");
    assert!(half_open(&world) <= 16, "{}", half_open(&world));
    assert_eq!(world.server.wire.gates[0].dropped, 0);
    assert!(world.server.slots.len() <= 64);
}

#[test]
pub(super) fn such_a_connection_carries_bytes_both_ways_on_a_wire_that_loses_some() {
    for stamps in [false, true] {
        let mut world = crowded("connections=8 rx=4096 tx=8192", Some(7));
        let client = world.connect_with(200_000);
        if stamps {
            world.socket(client).set_tsval_generator(Some(ticks));
        }
        let body = "y".repeat(3 * LARGE);
        let head = alloc::format!("POST /c HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", body.len());
        world.send(client, head.as_bytes());
        let mut sent = 0;
        while sent < body.len() {
            sent += world.socket(client).send_slice(&body.as_bytes()[sent..]).unwrap();
            world.step();
        }
        let answer = world.receive(client, 120_000, |bytes| bytes.len() > body.len() + 100);
        assert!(answer.ends_with(body.as_bytes()), "{} of {}", answer.len(), body.len());
        assert_eq!(world.server.wire.cookies_taken, 1, "stamps: {stamps}");
        assert_eq!(world.socket(client).timestamp_enabled(), stamps);
    }
}

#[test]
pub(super) fn who_is_answered_by_a_socket_speaks_of_no_timestamps() {
    let mut world = World::new("", None);
    let client = world.connect();
    world.socket(client).set_tsval_generator(Some(ticks));
    assert!(world.ask(client, &get("/a")).ends_with("/a:"));
    assert!(!world.socket(client).timestamp_enabled());
}

#[test]
pub(super) fn who_has_no_number_of_ours_has_no_connection() {
    let mut world = crowded("connections=8", None);
    let (client, end) = connected(&mut world);
    world.socket(client).abort();
    world.receive(client, 300, |_| false);
    let (before, taken) = (half_open(&world), world.server.wire.cookies_taken);
    let segment = Segment::find(&end).unwrap();
    // Another acknowledgement, another first number of theirs, another port.
    let change = |at: usize, bit: u8| {
        let mut frame = end.clone();
        frame[segment.start + at] ^= bit;
        frame[segment.start + 16..][..2].fill(0);
        segment.seal(&mut frame);
        frame
    };
    for frame in [change(8, 1), change(10, 0x80), change(11, 8), change(4, 1), change(7, 4), change(1, 2)] {
        forge(&mut world, frame);
        world.step();
    }
    assert_eq!(world.server.wire.cookies_taken, taken);
    assert_eq!(half_open(&world), before);
    // As it was, it is right again: there is no connection, and it is not old.
    forge(&mut world, end);
    world.step();
    assert_eq!(world.server.wire.cookies_taken, taken + 1);
}

#[test]
pub(super) fn the_end_of_a_handshake_twice_makes_one_connection() {
    let mut world = crowded("connections=8", None);
    let (client, end) = connected(&mut world);
    let accepted = world.server.counters.accepted;
    for _ in 0..3 {
        forge(&mut world, end.clone());
        world.step();
    }
    assert!(world.ask(client, &get("/a")).ends_with("/a:"));
    assert_eq!((world.server.counters.accepted, world.server.wire.cookies_taken), (accepted, 1));
}

#[test]
pub(super) fn a_number_of_long_ago_makes_no_connection() {
    let mut world = crowded("connections=8", None);
    let (client, end) = connected(&mut world);
    world.socket(client).abort();
    world.receive(client, 100, |_| false);
    world.now_us += 64_000_000;
    forge(&mut world, end);
    world.receive(client, 20, |_| false);
    assert_eq!(world.server.wire.cookies_taken, 1);
    let again = world.connect();
    assert!(world.ask(again, &get("/a")).ends_with("/a:"));
}

#[test]
pub(super) fn who_comes_with_a_number_while_every_socket_is_taken_has_one_soon() {
    let mut world = World::new("connections=2", None);
    let (client, request) = opening(&mut world);
    world.sockets.remove(client);
    world.wire.keep(core::iter::empty());
    for number in 0..6 {
        forge(&mut world, spoofed(&request, 3 + number, 1024));
    }
    world.step();
    let client = world.connect();
    let from_us = world.now_us;
    assert!(world.ask(client, &get("/a")).ends_with("/a:"));
    assert!(world.now_us < from_us + 4_000_000, "{} ms", (world.now_us - from_us) / 1000);
}

#[test]
pub(super) fn when_the_flood_is_over_sockets_answer_again() {
    let mut world = crowded("connections=8", None);
    // Who is half-open has twenty seconds.
    let client = answered(&mut world);
    world.receive(client, 21_000, |_| false);
    let sent = world.server.wire.cookies_sent;
    let client = world.connect();
    assert!(world.ask(client, &get("/a")).ends_with("/a:"));
    assert_eq!(world.server.wire.cookies_sent, sent);
}

#[test]
pub(super) fn who_comes_at_the_end_has_no_answer() {
    let mut world = crowded("connections=8", None);
    let sent = world.server.wire.cookies_sent;
    world.server.drain();
    let client = world.connect();
    world.receive(client, 1500, |_| false);
    assert_eq!((world.socket(client).state(), world.server.wire.cookies_sent), (State::SynSent, sent));
}
