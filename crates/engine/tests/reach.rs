//! Ways to a server: a Unix socket, and the local addresses that users connect from.

mod support;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::time::Duration;

use loadstone_engine::Run;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, listen, socket};
use serde_json::{Value as Json, json};
use support::{Server, finish, get, operation, page, plan, run};

fn of_one(port: u16, operations: u32) -> Json {
    let mut plan = plan(port, 600.0, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["load"]["operations"] = json!(operations);
    plan["load"]["timeout_s"] = json!(300);
    plan
}

fn on_socket(path: &Path, operations: u32) -> Json {
    let mut plan = of_one(80, operations);
    plan["target"]["socket"] = json!(path);
    plan["target"]["authority"] = json!("app.example");
    plan
}

fn path_of(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("loadstone-{}-{name}.sock", std::process::id()));
    drop(std::fs::remove_file(&path));
    path
}

/// Answers every request on every connection; the first request goes to `seen`.
fn serve(listener: UnixListener) -> std::sync::mpsc::Receiver<String> {
    let (sender, seen) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, sender) = (stream.unwrap(), sender.clone());
            std::thread::spawn(move || {
                let mut buffer = [0; 4_096];
                while let Ok(length @ 1..) = stream.read(&mut buffer) {
                    drop(sender.send(String::from_utf8_lossy(&buffer[..length]).into_owned()));
                    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
                }
            });
        }
    });
    seen
}

#[test]
fn a_server_on_a_unix_socket_is_asked_by_the_name_of_its_host() {
    let path = path_of("served");
    let seen = serve(UnixListener::bind(&path).unwrap());
    let outcome = run(on_socket(&path, 5));
    assert_eq!((outcome.ok(0), outcome.failures()), (5, vec![]));
    let request = seen.recv().unwrap();
    assert!(request.starts_with("GET / HTTP/1.1\r\nHost: app.example\r\n"), "{request}");
    assert_eq!(outcome.windows.iter().map(|w| w.connects).sum::<u64>(), 1);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_socket_that_is_not_there_is_an_unreachable_server() {
    let outcome = run(on_socket(&path_of("missing"), 1));
    assert_eq!((outcome.summary.outcome.as_str(), outcome.failures()), ("unreachable", vec![("refused", 1)]));
    assert_eq!(outcome.summary.examples[0].said, "GET /: no connection: there is no such socket");
}

#[test]
fn users_wait_for_room_in_the_queue_of_a_socket() {
    let path = path_of("full");
    let server = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    bind(&server, &SocketAddrUnix::new(&path).unwrap()).unwrap();
    listen(&server, 1).unwrap();
    let mut plan = on_socket(&path, 20);
    plan["load"]["users"] = json!(20);
    let run = Run::start(serde_json::from_value(plan).unwrap()).unwrap();
    // Nobody takes the first two connections in; the others knock.
    std::thread::sleep(Duration::from_millis(200));
    let _seen = serve(UnixListener::from(server));
    let outcome = finish(&run);
    assert_eq!((outcome.ok(0), outcome.failures()), (20, vec![]));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_full_queue_is_a_timeout_in_the_end() {
    let path = path_of("never");
    let server = socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
    bind(&server, &SocketAddrUnix::new(&path).unwrap()).unwrap();
    listen(&server, 0).unwrap();
    let mut plan = on_socket(&path, 3);
    plan["load"]["users"] = json!(3);
    plan["load"]["timeout_s"] = json!(0.3);
    let outcome = run(plan);
    assert_eq!(outcome.failures(), [("timeout", 3)]);
    std::fs::remove_file(path).unwrap();
}

/// Answers every request; where its clients come from.
fn peers_of(listener: TcpListener) -> std::sync::mpsc::Receiver<String> {
    let (sender, peers) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            sender.send(stream.peer_addr().unwrap().ip().to_string()).unwrap();
            std::thread::spawn(move || {
                while let Ok(1..) = stream.read(&mut [0; 4_096]) {
                    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
                }
            });
        }
    });
    peers
}

#[test]
fn users_come_from_the_addresses_that_are_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut plan = of_one(listener.local_addr().unwrap().port(), 6);
    let peers = peers_of(listener);
    plan["load"]["users"] = json!(6);
    plan["target"]["from"] = json!(["127.0.0.77", "127.0.0.78", "127.0.0.79"]);
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (6, vec![]));
    let mut came: Vec<String> = peers.try_iter().collect();
    came.sort();
    let expected = ["127.0.0.77", "127.0.0.78", "127.0.0.79"].map(|one| [one; 2]).concat();
    assert_eq!(came, expected);
}

#[test]
fn a_server_of_ipv6_is_reached_from_addresses_of_ipv6() {
    let Ok(listener) = TcpListener::bind("[::1]:0") else {
        println!("not judged: this machine has no IPv6");
        return;
    };
    let mut plan = of_one(listener.local_addr().unwrap().port(), 2);
    let peers = peers_of(listener);
    plan["target"]["host"] = json!("::1");
    plan["target"]["from"] = json!(["127.0.0.1", "::1"]);
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (2, vec![]));
    assert_eq!(peers.try_iter().collect::<Vec<_>>(), ["::1"]);
}

#[test]
fn addresses_that_lead_nowhere_are_refused() {
    let server = Server::start(|_| page(""));
    let why = |from: Json, slice: Json| {
        let mut plan = of_one(server.port, 6);
        plan["load"]["users"] = json!(6);
        plan["target"]["from"] = from;
        plan["slice"] = slice;
        Run::start(serde_json::from_value(plan).unwrap()).map(drop)
    };
    let (alone, one_of_two) = (json!({"index": 0, "of": 1}), json!({"index": 0, "of": 2}));
    let foreign = json!(["127.0.0.1", "192.0.2.7"]);
    let said = why(foreign.clone(), alone.clone()).unwrap_err();
    assert_eq!(said, "target.from: 192.0.2.7 is not an address of this machine");
    assert_eq!(why(foreign, one_of_two), Ok(()), "another agent may have it");
    let said = why(json!(["::1"]), alone).unwrap_err();
    assert!(
        said == "target.from: none of these addresses is of IPv4, and `127.0.0.1` is" || said.contains("::1"),
        "{said}"
    );
}
