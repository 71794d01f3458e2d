//! Memory is charged before it is spent: whatever clients do, none is spent that is not there.

use core::sync::atomic::Ordering::Relaxed;

use alloc::vec::Vec;

use smoltcp::socket::tcp::Socket;

use super::{World, get};

#[test]
pub(super) fn without_memory_requests_are_refused() {
    let mut world = World::new("", None);
    let client = world.connect();
    assert!(world.ask(client, &get("/a")).ends_with("/a:"));
    world.spare.store(0, Relaxed);
    let answer = world.ask(client, &get("/a"));
    assert!(answer.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{answer}");
    assert!(answer.contains("Retry-After: 1\r\n") && answer.contains("Connection: close\r\n"));
    world.spare.store(4 << 20, Relaxed);
    let client = world.connect();
    let large = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n";
    assert!(world.ask(client, large).starts_with("HTTP/1.1 413 "), "an eighth of the memory is the most");
}

#[test]
pub(super) fn buffers_are_as_long_as_there_is_memory_for() {
    let mut world = World::new("connections=16", None);
    let longest = |world: &World| {
        let sockets =
            world.server.slots.iter().map(|slot| world.server.sockets.get::<Socket<'_>>(slot.socket));
        sockets.map(Socket::send_capacity).max()
    };
    world.step();
    assert_eq!(longest(&world), Some(16 * 1024));
    let mut rich = World::new("connections=16", None);
    rich.spare.store(48 << 20, Relaxed);
    rich.step();
    assert_eq!(longest(&rich), Some(192 * 1024));
}

#[test]
pub(super) fn answers_of_one_turn_share_what_there_is() {
    let mut world = World::new("", None);
    let clients: Vec<_> = (0..12).map(|_| world.connect()).collect();
    world.receive(clients[0], 10, |_| false);
    for client in &clients {
        world.send(*client, get("/heavy").as_bytes());
    }
    let heard: Vec<_> = clients
        .iter()
        .map(|client| world.receive(*client, 100, |bytes| !bytes.is_empty())[9..12].to_vec())
        .collect();
    let served = heard.iter().filter(|status| *status == b"200").count();
    let refused = heard.iter().filter(|status| *status == b"503").count();
    assert!(served > 0 && refused > 0 && served + refused == 12, "{served} {refused}");
}

#[test]
pub(super) fn content_that_is_made_waits_for_memory_and_comes_whole() {
    let mut world = World::new("tx=8192", None);
    let client = world.connect();
    world.send(client, get("/pieces").as_bytes());
    let first = world.receive(client, 5, |bytes| bytes.len() > 2000);
    world.spare.store(0, Relaxed);
    let little = world.receive(client, 1000, |_| false);
    assert!(first.len() + little.len() < 60_000, "{} {}", first.len(), little.len());
    world.spare.store(1 << 20, Relaxed);
    let rest = world.receive(client, 1000, |bytes| bytes.ends_with(b"\r\n0\r\n\r\n"));
    assert!(first.len() + little.len() + rest.len() > 100_000 && rest.ends_with(b"\r\n0\r\n\r\n"));
}

#[test]
pub(super) fn a_body_that_grows_is_refused_before_there_is_no_room() {
    let mut world = World::new("", None);
    let client = world.connect();
    world.send(client, b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n");
    world.spare.store(300_000, Relaxed);
    let mut heard = Vec::new();
    for _ in 0..200 {
        let socket = world.socket(client);
        let _ = socket.send_slice(&[b'x'; 4096]);
        heard.extend(world.receive(client, 1, |_| false));
    }
    assert!(heard.starts_with(b"HTTP/1.1 503 "), "{}", heard.len());
}
