//! The files of a page on several connections at once, as browsers fetch them over HTTP/1.1.

mod support;

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use loadstone_engine::Window;
use serde_json::{Value as Json, json};
use support::{Outcome, Reply, Seen, Server, answer, get, operation, page, plan, run};

/// Holds requests until so many of them are held.
#[derive(Clone)]
struct Gate(Arc<(Mutex<usize>, Condvar)>, usize);

impl Gate {
    fn of(count: usize) -> Self {
        Self(Arc::default(), count)
    }

    fn pass(&self) {
        let (lock, all_here) = &*self.0;
        let mut come = lock.lock().unwrap();
        *come += 1;
        let round = (*come - 1) / self.1;
        all_here.notify_all();
        // Long enough for any machine; without the others the request then takes too long for its user.
        let patience = Duration::from_secs(50);
        drop(all_here.wait_timeout_while(come, patience, |come| *come < (round + 1) * self.1).unwrap());
    }
}

fn images(numbers: std::ops::Range<usize>) -> Reply {
    page(&numbers.map(|n| format!("<img src=/{n}.png>")).collect::<String>())
}

fn a_page(path: &str) -> Json {
    operation(path.trim_start_matches('/'), json!([get(path, json!({"page": true}))]))
}

/// A run of so many operations, one user, up to six connections.
fn browsing(port: u16, operations: u64, pages: Json) -> Json {
    let mut plan = plan(port, 60.0, pages);
    plan["browser"]["connections"] = json!(6);
    plan["load"]["operations"] = json!(operations);
    plan["load"]["timeout_s"] = json!(30);
    plan
}

fn sum(outcome: &Outcome, of: fn(&Window) -> u64) -> u64 {
    outcome.windows.iter().map(of).sum()
}

fn connections(seen: &[Seen]) -> usize {
    seen.iter().map(|one| one.connection).collect::<HashSet<_>>().len()
}

#[test]
fn six_are_asked_for_at_once_and_their_connections_stay() {
    let gate = Gate::of(6);
    let server = Server::start(move |request| match request.path.as_str() {
        "/a" => images(0..12),
        "/b" => images(12..30),
        _ => {
            gate.pass();
            answer(200, "", "xy")
        }
    });
    let outcome = run(browsing(server.port, 2, json!([a_page("/a"), a_page("/b")])));
    assert_eq!((outcome.ok(0), outcome.ok(1), outcome.failures()), (1, 1, vec![]));
    let seen = server.requests();
    assert_eq!((seen.len(), connections(&seen)), (32, 6));
    let made = |of| sum(&outcome, of);
    assert_eq!((made(|w| w.connects), made(|w| w.beside), made(|w| w.reconnects)), (6, 5, 0));
    assert_eq!((outcome.counter(0, "images"), outcome.counter(1, "image_bytes")), (12, 36));
    // The files are a part of the step.
    let parts: u64 = outcome.of(0).flat_map(|o| &o.steps).map(|s| s.files.count.len() as u64).sum();
    assert_eq!(parts, 1);
}

#[test]
fn one_connection_has_one_file_at_a_time_in_order() {
    for setting in [json!({"connections": 1}), json!({"pause": {"kind": "fixed", "value_s": 0.001}})] {
        let server = Server::start(|request| match request.path.as_str() {
            "/a" => images(0..5),
            _ => answer(200, "", "xy"),
        });
        let mut plan = browsing(server.port, 1, json!([a_page("/a")]));
        plan["browser"].as_object_mut().unwrap().extend(setting.as_object().unwrap().clone());
        let outcome = run(plan);
        assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
        let paths = ["GET /a", "GET /0.png", "GET /1.png", "GET /2.png", "GET /3.png", "GET /4.png"];
        assert_eq!(server.paths(), paths);
        assert_eq!(connections(&server.requests()), 1);
    }
}

#[test]
fn files_come_from_every_host_at_once() {
    // Eight together: no host has more than six, so both are asked at the same time.
    let gate = Gate::of(8);
    let other_gate = gate.clone();
    let other = Server::start(move |_| {
        other_gate.pass();
        answer(200, "", "xy")
    });
    let cdn = other.port;
    let server = Server::start(move |request| match request.path.as_str() {
        "/a" => page(
            &(0..8)
                .map(|n| format!("<img src=/{n}.png><img src=http://127.0.0.1:{cdn}/{n}.png>"))
                .collect::<String>(),
        ),
        _ => {
            gate.pass();
            answer(200, "", "xy")
        }
    });
    let mut plan = browsing(server.port, 1, json!([a_page("/a")]));
    plan["target"]["hosts"] = json!({"cdn": {"host": "127.0.0.1", "port": cdn, "authority": format!("127.0.0.1:{cdn}"), "base_path": ""}});
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    assert_eq!((server.requests().len(), other.requests().len()), (9, 8));
    assert!(connections(&server.requests()) <= 6 && connections(&other.requests()) <= 6);
}

#[test]
fn files_are_redirected_each_for_itself() {
    let gate = Gate::of(3);
    let server = Server::start(move |request| match request.path.as_str() {
        "/a" => images(0..3),
        path if path.starts_with("/moved") => {
            gate.pass();
            answer(200, "", "xy")
        }
        path => answer(302, &format!("Location: /moved{path}\r\n"), ""),
    });
    let outcome = run(browsing(server.port, 1, json!([a_page("/a")])));
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    let mut paths = server.paths();
    paths.sort();
    let expected = ["/0.png", "/1.png", "/2.png", "/a", "/moved/0.png", "/moved/1.png", "/moved/2.png"];
    assert_eq!(paths, expected.map(|path| format!("GET {path}")));
}

#[test]
fn a_file_that_is_missing_fails_the_page_by_its_name() {
    let server = Server::start(|request| match request.path.as_str() {
        "/a" => images(0..9),
        "/3.png" => answer(404, "", ""),
        _ => answer(200, "", "xy"),
    });
    let outcome = run(browsing(server.port, 3, json!([a_page("/a")])));
    assert_eq!((outcome.ok(0), outcome.failures()), (0, vec![("status", 3)]));
    assert_eq!(outcome.summary.examples[0].said, "GET /3.png: status 404, expected 200");
}

#[test]
fn a_file_that_never_comes_takes_too_long_while_others_come() {
    let server = Server::start(|request| match request.path.as_str() {
        "/a" => images(0..9),
        "/4.png" => Reply::Silence,
        _ => answer(200, "", "xy"),
    });
    let mut plan = browsing(server.port, 2, json!([a_page("/a")]));
    plan["load"]["timeout_s"] = json!(0.5);
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (0, vec![("timeout", 2)]));
    assert_eq!(outcome.summary.examples[0].said, "GET /4.png: no whole answer in time");
}

#[test]
fn a_connection_that_ends_with_each_answer_is_made_again() {
    let server = Server::start(|request| match request.path.as_str() {
        "/a" => images(0..20),
        _ => Reply::SendAndClose(
            b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nxy".to_vec(),
        ),
    });
    let outcome = run(browsing(server.port, 3, json!([a_page("/a")])));
    assert_eq!(outcome.failures(), vec![]);
    assert_eq!((outcome.ok(0), outcome.counter(0, "images")), (3, 20));
    assert_eq!(sum(&outcome, |w| w.connects) as usize, connections(&server.requests()));
}

#[test]
fn connections_that_the_server_closed_together_are_made_anew() {
    // After the first page all six are closed without a word, as an idle time-out does.
    let server = Server::start(|request| match request.path.as_str() {
        "/a" => images(0..6),
        "/b" => images(6..12),
        path if path < "/6" => {
            Reply::SendAndClose(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nxy".to_vec())
        }
        _ => answer(200, "", "xy"),
    });
    let outcome = run(browsing(server.port, 4, json!([a_page("/a"), a_page("/b")])));
    assert_eq!((outcome.ok(0), outcome.ok(1), outcome.failures()), (2, 2, vec![]));
}

#[test]
fn a_server_that_asks_to_wait_is_waited_for() {
    let asked = Mutex::new(HashSet::new());
    let server = Server::start(move |request| match request.path.as_str() {
        "/a" => images(0..9),
        path if asked.lock().unwrap().insert(path.to_owned()) => answer(503, "Retry-After: 0\r\n", ""),
        _ => answer(200, "", "xy"),
    });
    let mut plan = browsing(server.port, 1, json!([a_page("/a")]));
    plan["session"]["retry_after"] = json!(3);
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    assert_eq!(outcome.counter(0, "images"), 9);
    assert!((1..=9).contains(&sum(&outcome, |w| w.waits)));
}
