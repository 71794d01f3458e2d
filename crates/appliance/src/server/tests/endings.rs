//! How connections end: nobody loses a byte of an answer, and patience is what the documentation says.

use alloc::vec::Vec;

use smoltcp::iface::SocketHandle;
use smoltcp::socket::tcp::State;

use super::{World, get};

const LAST: &[u8] = b"GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/// Reads so many bytes each millisecond, for so many milliseconds or until the end.
fn read_slowly(world: &mut World, client: SocketHandle, bytes_a_ms: usize, ms: usize) -> Vec<u8> {
    let mut read = Vec::new();
    for _ in 0..ms {
        world.step();
        let socket = world.socket(client);
        let mut buffer = alloc::vec![0; bytes_a_ms];
        match socket.recv_slice(&mut buffer) {
            Ok(count) => read.extend_from_slice(&buffer[..count]),
            Err(_) => break,
        }
    }
    read
}

#[test]
pub(super) fn an_idle_connection_is_closed_after_its_time_and_counted() {
    let mut world = World::new("", None);
    let client = world.connect();
    assert!(world.ask(client, &get("/a")).ends_with("/a:"));
    world.receive(client, 59_000, |_| false);
    assert_eq!((world.socket(client).state(), world.server.counters.closed_idle), (State::Established, 0));
    world.receive(client, 2_000, |_| false);
    assert_eq!((world.socket(client).state(), world.server.counters.closed_idle), (State::CloseWait, 1));
}

#[test]
pub(super) fn a_slow_reader_gets_every_byte_before_the_end() {
    let mut world = World::new("", None);
    let client = world.connect_with(4096);
    world.send(client, LAST);
    let read = read_slowly(&mut world, client, 5, 60_000);
    assert!(read.len() > 100_000, "{} bytes, {:?}", read.len(), world.socket(client).state());
    assert_eq!(world.socket(client).state(), State::CloseWait);
}

#[test]
pub(super) fn who_has_all_and_reads_it_late_sees_no_reset() {
    let mut world = World::new("", None);
    let client = world.connect_with(256 * 1024);
    world.send(client, LAST);
    for _ in 0..5000 {
        world.step();
    }
    assert_eq!(world.server.counters.open_connections, 0, "the server has forgotten it");
    assert_eq!(world.socket(client).state(), State::CloseWait);
    assert!(world.socket(client).recv_queue() > 100_000);
    world.socket(client).close();
    world.receive(client, 100, |_| false);
    assert!(!world.socket(client).is_open());
}

#[test]
pub(super) fn who_stops_reading_is_dropped_and_counted() {
    for request in [LAST, get("/large").as_bytes()] {
        let mut world = World::new("", None);
        let client = world.connect_with(4096);
        world.send(client, request);
        for _ in 0..19_000 {
            world.step();
        }
        assert_eq!(world.server.counters.slow, [0; 3]);
        for _ in 0..3_000 {
            world.step();
        }
        assert_eq!((world.server.counters.slow, world.server.counters.open_connections), ([0, 0, 1], 0));
    }
}

#[test]
pub(super) fn an_old_client_reads_content_of_unknown_length_until_the_connection_ends() {
    let mut world = World::new("tx=8192", None);
    let client = world.connect();
    world.send(client, b"GET /pieces HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    let bytes = world.receive(client, 1000, |_| false);
    assert!(!bytes.windows(7).any(|seven| seven == b"chunked"));
    assert!(bytes.len() > 100_000 && bytes[bytes.len() - 100_000..].iter().all(|byte| *byte == b'x'));
    assert!(!world.socket(client).may_recv(), "the connection's end is the content's");
}

#[test]
pub(super) fn content_that_breaks_off_ends_with_a_reset() {
    let mut world = World::new("tx=8192", None);
    let client = world.connect();
    world.send(client, get("/half").as_bytes());
    let bytes = world.receive(client, 1000, |_| false);
    assert!(bytes.starts_with(b"HTTP/1.1 200 OK\r\n") && !bytes.ends_with(b"0\r\n\r\n"));
    assert_eq!(world.socket(client).state(), State::Closed);
    let client = world.connect();
    assert!(world.ask(client, &get("/a")).ends_with("/a:"));
}
