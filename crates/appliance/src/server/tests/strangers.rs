//! What somebody who is no party to a connection, or only asks for one, can do: nothing.

use alloc::vec::Vec;

use smoltcp::iface::SocketHandle;
use smoltcp::socket::tcp::State;

use super::{SIX, World, get};
use crate::net::checksum;
use crate::net::frame::{ACK, RST, SYN, Segment};

/// Puts a frame before the server.
pub(super) fn forge(world: &mut World, frame: Vec<u8>) {
    world.wire.outgoing.frames.borrow_mut().push_back(frame);
}

/// The last frame of a client that has an answer, with other flags and numbers: what a stranger sends who
/// has guessed the ports.
fn forged(world: &World, flags: u8, beyond: u32) -> Vec<u8> {
    let mut frame = world.wire.outgoing.last.borrow().clone();
    let segment = Segment::find(&frame).unwrap();
    segment.set_flags(&mut frame, flags);
    let number = segment.sequence(&frame).wrapping_add(beyond);
    segment.set_sequence(&mut frame, number);
    frame[segment.start + 16..][..2].fill(0);
    segment.seal(&mut frame);
    frame
}

pub(super) fn answered(world: &mut World) -> SocketHandle {
    let client = world.connect();
    assert!(world.ask(client, &get("/a")).ends_with("/a:"));
    world.receive(client, 100, |_| false);
    client
}

#[test]
pub(super) fn a_guessed_reset_is_challenged_and_only_the_exact_one_ends() {
    for (flags, beyond) in [(RST, 1), (RST | ACK, 4000), (SYN, 0), (SYN, 100)] {
        let mut world = World::new("", None);
        let client = answered(&mut world);
        let (frame, before) = (forged(&world, flags, beyond), world.server.wire.outgoing.sent);
        for _ in 0..5 {
            forge(&mut world, frame.clone());
            world.step();
        }
        let challenges = world.server.wire.outgoing.sent - before;
        assert_eq!(challenges, 1, "{flags} {beyond}: one a second");
        assert!(world.ask(client, &get("/b")).ends_with("/b:"), "{flags} {beyond}");
    }
    let mut world = World::new("", None);
    answered(&mut world);
    let frame = forged(&world, RST, 0);
    forge(&mut world, frame);
    world.step();
    world.step();
    assert_eq!(world.server.counters.open_connections, 0);
}

#[test]
pub(super) fn a_client_that_has_lost_its_connection_gets_another_at_the_same_port() {
    let mut world = World::new("", None);
    let client = answered(&mut world);
    // It starts anew and knows nothing of before.
    world.sockets.remove(client);
    world.wire.keep(core::iter::empty());
    world.next_port -= 1;
    let client = world.connect();
    assert!(world.ask(client, &get("/b")).ends_with("/b:"));
}

/// The first numbers of connections, as everybody on the way sees them.
fn first_numbers(secret: u64) -> Vec<u32> {
    let mut world = World::with_secret("", None, secret);
    let mut numbers = Vec::new();
    for _ in 0..8 {
        let client = world.connect();
        while world.socket(client).state() == State::SynSent {
            world.step();
            let frame = world.server.wire.outgoing.last.borrow().clone();
            if let Some(segment) = Segment::find(&frame).filter(|segment| segment.flags & SYN != 0) {
                numbers.push(segment.sequence(&frame));
            }
        }
    }
    numbers.dedup();
    numbers
}

#[test]
pub(super) fn the_numbers_of_one_connection_say_nothing_about_those_of_another() {
    let (one, other) = (first_numbers(1), first_numbers(2));
    assert_eq!((one.len(), other.len()), (8, 8));
    // smoltcp draws the same for both.
    let mut moved: Vec<u32> = one.iter().zip(&other).map(|(one, other)| one.wrapping_sub(*other)).collect();
    moved.sort_unstable();
    moved.dedup();
    assert_eq!(moved.len(), 8, "each is moved by a secret of its own");
}

#[test]
fn an_answer_that_nobody_asked_for_tells_nothing() {
    let mut world = World::new("", None);
    let client = answered(&mut world);
    let mut frame = alloc::vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 9, 8, 6, 0, 1, 8, 0, 6, 4, 0, 2];
    frame.extend([2, 0, 0, 0, 0, 9, 10, 0, 0, 2, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1]);
    forge(&mut world, frame);
    world.step();
    assert!(world.ask(client, &get("/b")).ends_with("/b:"));
    assert!(world.now_us < 1_000_000, "nothing had to be sent twice");
}

/// A request for a connection as a client sends it.
pub(super) fn opening(world: &mut World) -> (SocketHandle, Vec<u8>) {
    answered(world);
    let (client, before) = (world.connect(), world.wire.outgoing.sent);
    while world.wire.outgoing.sent == before {
        let now = world.now();
        world.interface.poll(now.instant(), &mut world.wire, &mut world.sockets);
    }
    let request = world.wire.outgoing.last.borrow().clone();
    (client, request)
}

/// The same from a neighbour that there is not.
pub(super) fn spoofed(request: &[u8], neighbour: u8, port: u16) -> Vec<u8> {
    let mut frame = request.to_vec();
    let at = Segment::find(&frame).unwrap().start;
    frame[at..at + 2].copy_from_slice(&port.to_be_bytes());
    if SIX.get() {
        frame[37] = neighbour;
    } else {
        frame[29] = neighbour;
        frame[24..26].fill(0);
        let sum = checksum::finish(checksum::sum(&frame[14..34]));
        frame[24..26].copy_from_slice(&sum.to_be_bytes());
    }
    let segment = Segment::find(&frame).unwrap();
    frame[at + 16..][..2].fill(0);
    segment.seal(&mut frame);
    frame
}

#[test]
pub(super) fn many_neighbours_are_answered_at_once() {
    let mut world = World::new("", None);
    let (_, request) = opening(&mut world);
    for number in 0..60 {
        let frame = spoofed(&request, 10 + number, 50_000);
        forge(&mut world, frame);
    }
    let mut answers = 0;
    for _ in 0..20 {
        let now = world.now();
        world.server.poll(now, &|| 4 << 20, &mut || false);
        world.now_us += 1000;
        let mut frames = world.wire.incoming.frames.borrow_mut();
        answers += frames
            .drain(..)
            .filter(|frame| Segment::find(frame).is_some_and(|it| it.flags & SYN != 0))
            .count();
    }
    assert!(answers >= 60, "{answers}");
}

#[test]
pub(super) fn who_asks_for_thousands_of_connections_silences_nobody() {
    let mut world = World::new("connections=64", None);
    let (mut client, request) = opening(&mut world);
    for number in 0..4000_u16 {
        let frame = spoofed(&request, 3 + (number % 250) as u8, 1024 + number);
        forge(&mut world, frame);
        if number % 4 == 3 {
            world.step();
        }
    }
    world.sockets.remove(client);
    client = world.connect();
    let from_us = world.now_us;
    assert!(world.ask(client, &get("/b")).ends_with("/b:"));
    assert!(world.now_us < from_us + 4_000_000, "{} ms", (world.now_us - from_us) / 1000);
}
