//! Who comes gets a connection, with the place of whoever is done or idle if there is none left.

use super::{World, get};

use alloc::vec::Vec;

#[test]
pub(super) fn who_is_idle_makes_way_and_nobody_is_refused() {
    let mut world = World::new("connections=4", None);
    for number in 0..20 {
        let client = world.connect();
        let path = alloc::format!("/{number}");
        assert!(world.ask(client, &get(&path)).ends_with(&alloc::format!("{path}:")));
    }
    assert_eq!(world.server.counters.accepted, 20);
    assert!(world.server.counters.evicted >= 16);
    assert!(world.server.slots.len() <= 4);
}

#[test]
pub(super) fn who_comes_as_another_leaves_is_answered() {
    let mut world = World::new("connections=1", None);
    let mut leaving = world.connect();
    for number in 0..5 {
        let path = alloc::format!("/{number}");
        let request = alloc::format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assert!(world.ask(leaving, &request).ends_with(&alloc::format!("{path}:")), "{path}");
        // The end of one and the beginning of the next come in the same turn.
        world.receive(leaving, 5, |_| false);
        world.socket(leaving).close();
        leaving = world.connect();
    }
    assert_eq!(world.server.counters.accepted, 5);
}

#[test]
pub(super) fn many_ask_at_the_same_instant() {
    let mut world = World::new("", None);
    let clients: Vec<_> = (0..40).map(|_| world.connect()).collect();
    for client in &clients {
        world.send(*client, get("/a").as_bytes());
    }
    for client in clients {
        assert!(world.receive(client, 100, |bytes| !bytes.is_empty()).ends_with(b"/a:"));
    }
    assert!(world.now_us < 500_000, "nobody had to ask twice");
}

#[test]
pub(super) fn who_is_slow_at_a_head_makes_way() {
    let mut world = World::new("connections=8", None);
    for _ in 0..8 {
        let slow = world.connect();
        world.send(slow, b"GET / HT");
    }
    let (from_us, client) = (world.now_us, world.connect());
    assert!(world.ask(client, &get("/a")).ends_with("/a:"));
    assert!(world.now_us < from_us + 8_000_000, "{} ms", (world.now_us - from_us) / 1000);
    assert!(world.server.counters.slow[0] >= 1);
    let quick = world.connect();
    world.send(quick, b"GET /b HT");
    world.receive(quick, 1000, |_| false);
    assert!(world.ask(quick, "TP/1.1\r\nHost: x\r\n\r\n").ends_with("/b:"), "a second is not slow");
}
