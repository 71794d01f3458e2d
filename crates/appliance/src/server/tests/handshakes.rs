//! Handshakes on a wire that loses frames: whoever has an answer has a connection.

use alloc::vec::Vec;

use smoltcp::iface::SocketHandle;
use smoltcp::socket::tcp::State;

use super::{World, get};

/// The server's turn; what it sends is lost.
fn unheard(world: &mut World) {
    let (now, spare) = (world.now(), 4 << 20);
    world.server.poll(now, &|| spare, &mut || false);
    world.wire.incoming.frames.borrow_mut().clear();
    world.now_us += 1000;
}

/// The clients' turn; the frames that they send, which are on their way.
fn on_their_way(world: &mut World) -> Vec<Vec<u8>> {
    let now = world.now();
    world.interface.poll(now.instant(), &mut world.wire, &mut world.sockets);
    world.wire.outgoing.frames.borrow_mut().drain(..).collect()
}

fn arrive(world: &mut World, frames: Vec<Vec<u8>>) {
    world.wire.outgoing.frames.borrow_mut().extend(frames);
}

/// A client whose question arrives, and what it was; the answer is lost.
fn asks_in_vain(world: &mut World) -> (SocketHandle, Vec<Vec<u8>>) {
    let client = world.connect();
    let asked = on_their_way(world);
    arrive(world, asked.clone());
    unheard(world);
    (client, asked)
}

/// A world whose machines know each other: somebody was there and has gone.
fn acquainted(words: &str) -> World {
    let mut world = World::new(words, None);
    let before = world.connect();
    assert!(world.ask(before, &get("/a")).ends_with("/a:"));
    world.socket(before).close();
    world.receive(before, 100, |_| false);
    world
}

#[test]
pub(super) fn who_asks_again_because_the_answer_was_lost_has_one_connection() {
    let mut world = acquainted("");
    let before: Vec<_> = (0..20).map(|_| world.connect()).collect();
    for client in &before {
        assert!(world.ask(*client, &get("/a")).ends_with("/a:"));
    }
    let (client, asked) = asks_in_vain(&mut world);
    // They leave, and sockets listen in their places, before that of the client.
    before.iter().for_each(|client| world.socket(*client).close());
    world.receive(client, 100, |_| false);
    let next = world.connect();
    assert!(world.ask(next, &get("/a")).ends_with("/a:"));
    arrive(&mut world, asked);
    unheard(&mut world);
    assert!(world.ask(client, &get("/b")).ends_with("/b:"));
    assert_eq!(world.server.counters.accepted, 23);
}

#[test]
pub(super) fn who_got_the_second_answer_keeps_the_socket_that_others_want() {
    let mut world = acquainted("connections=1");
    let (client, _) = asks_in_vain(&mut world);
    // smoltcp answers again after a second.
    let mut going_on = Vec::new();
    let until_us = world.now_us + 1_500_000;
    while world.socket(client).state() != State::Established && world.now_us < until_us {
        world.step();
        going_on.extend(on_their_way(&mut world));
    }
    // Its end of the handshake takes a while, and others ask meanwhile.
    let (_, _) = asks_in_vain(&mut world);
    unheard(&mut world);
    arrive(&mut world, going_on);
    assert!(world.ask(client, &get("/a")).ends_with("/a:"));
}
