//! Pages: their files come on the same connection, several at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value as Json, json};

use crate::one;
use crate::server::{Reply, Server, answer, goaway, ok, page, reset};
use crate::support::{get, run};

fn a_page() -> Json {
    get("/page", json!({"page": true}))
}

fn images(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|number| format!("/{number}.png"))
}

#[test]
fn all_files_are_asked_for_at_once() {
    // None is answered before all were asked for: one after the other, this would never end.
    let server = Server::start(|request| match request.path() {
        "/page" => Reply::Send(page(request, images(30))),
        _ => Reply::Together(30, ok(request)),
    });
    let outcome = run(one(server.port, 1, a_page()));
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    assert_eq!((server.connections(), server.most_at_once()), (1, 30));
    let of = |name| outcome.counter(0, name);
    assert_eq!((of("requests"), of("images"), of("image_bytes")), (31, 30, 60));
    // The files are a part of the step that fills its time.
    let parts: u64 = outcome.of(0).flat_map(|o| &o.steps).map(|s| s.files.count.len() as u64).sum();
    assert_eq!(parts, 1);
}

#[test]
fn no_more_are_open_than_the_server_allows() {
    let server = Server::with(&[(3, 4)], |request| match request.path() {
        "/page" => Reply::Send(page(request, images(12))),
        _ => Reply::Together(4, ok(request)),
    });
    let outcome = run(one(server.port, 1, a_page()));
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    assert_eq!((server.connections(), server.most_at_once()), (1, 4));
}

#[test]
fn files_are_redirected_each_for_itself() {
    let server = Server::start(|request| match request.path() {
        "/page" => Reply::Send(page(request, images(3))),
        path if path.starts_with("/moved") => Reply::Together(3, ok(request)),
        path => {
            let moved = format!("/moved{path}");
            Reply::Send(answer(request, 301, &[("location", &moved)], ""))
        }
    });
    let outcome = run(one(server.port, 1, a_page()));
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    let mut paths: Vec<_> = server.requests().iter().map(|one| one.path().to_owned()).collect();
    paths.sort();
    assert_eq!(paths[3..], ["/moved/0.png", "/moved/1.png", "/moved/2.png", "/page"]);
}

#[test]
fn a_file_that_is_missing_fails_the_page_and_the_connection_stays() {
    let server = Server::start(|request| match request.path() {
        "/page" => Reply::Send(page(request, images(5))),
        "/3.png" => Reply::Send(answer(request, 404, &[], "")),
        _ => Reply::Together(99, ok(request)),
    });
    let outcome = run(one(server.port, 2, a_page()));
    assert_eq!((outcome.ok(0), outcome.failures()), (0, vec![("status", 2)]));
    assert_eq!(outcome.summary.examples[0].said, "GET /3.png: status 404, expected 200");
    assert_eq!(server.connections(), 1);
    // What is not wanted any more was cancelled.
    let http2 = outcome.summary.http2.unwrap();
    let cancelled = http2.given_up.iter().find(|one| one.code == "CANCEL").unwrap();
    assert_eq!((&cancelled.by[..], &cancelled.frame[..]), ("engine", "RST_STREAM"));
}

#[test]
fn files_that_a_leaving_server_did_not_take_are_asked_for_again() {
    // Of five files it takes two, on the first connection.
    let server = Server::start(|request| match (request.path(), request.connection) {
        ("/page", _) => Reply::Send(page(request, images(5))),
        (_, 0) if request.nth == 5 => {
            Reply::Together(5, [ok(&of(request, 3)), ok(&of(request, 5)), goaway(5, 0)].concat())
        }
        (_, 0) => Reply::Together(5, Vec::new()),
        _ => Reply::Together(3, ok(request)),
    });
    let outcome = run(one(server.port, 1, a_page()));
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    assert_eq!((server.connections(), server.requests().len()), (2, 9));
    assert_eq!(outcome.counter(0, "images"), 5);
}

/// The request as if it had come on another stream.
fn of(request: &crate::server::Seen, stream: u32) -> crate::server::Seen {
    crate::server::Seen { stream, ..request.clone() }
}

#[test]
fn a_file_is_refused_three_times_and_no_more() {
    let refusing = |times: usize| {
        let refused = AtomicUsize::new(0);
        let server = Server::start(move |request| match request.path() {
            "/page" => Reply::Send(page(request, images(3))),
            "/1.png" if refused.fetch_add(1, Ordering::SeqCst) < times => Reply::Send(reset(request, 7)),
            _ => Reply::Send(ok(request)),
        });
        run(one(server.port, 1, a_page()))
    };
    let thrice = refusing(3);
    assert_eq!((thrice.ok(0), thrice.failures(), thrice.counter(0, "images")), (1, vec![], 3));
    let ever = refusing(4);
    assert_eq!((ever.ok(0), ever.failures()), (0, vec![("http2", 1)]));
    assert!(ever.summary.examples[0].said.contains("REFUSED_STREAM"));
}

#[test]
fn a_server_may_put_files_off() {
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |request| match request.path() {
        "/page" => Reply::Send(page(request, images(4))),
        "/2.png" if asked.fetch_add(1, Ordering::SeqCst) == 0 => {
            Reply::Send(answer(request, 503, &[("retry-after", "0")], ""))
        }
        _ => Reply::Send(ok(request)),
    });
    let mut plan = one(server.port, 1, a_page());
    plan["session"]["retry_after"] = json!(2);
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    assert_eq!(outcome.counter(0, "images"), 4);
}

#[test]
fn with_a_pause_between_files_they_come_one_by_one() {
    let server = Server::start(|request| match request.path() {
        "/page" => Reply::Send(page(request, images(4))),
        _ => Reply::Send(ok(request)),
    });
    let mut plan = one(server.port, 1, a_page());
    plan["browser"]["pause"] = json!({"kind": "fixed", "value_s": 0.001});
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    assert_eq!(server.most_at_once(), 1);
}

#[test]
fn files_come_from_named_hosts_each_on_a_connection_of_its_own() {
    let moved = Server::start(ok_all);
    let at = format!("http://127.0.0.1:{}/there", moved.port);
    let cdn = Server::start(move |request| match request.path() {
        "/moved" => Reply::Send(answer(request, 301, &[("location", &at)], "")),
        _ => Reply::Together(2, ok(request)),
    });
    let port = cdn.port;
    let site = Server::start(move |request| match request.path() {
        "/page" => {
            let there = |path: &str| format!("http://127.0.0.1:{port}/{path}");
            let files = ["/0.png".into(), there("a"), "/1.png".into(), there("b"), there("moved")];
            Reply::Send(page(request, files.into_iter()))
        }
        _ => Reply::Together(2, ok(request)),
    });
    let mut plan = one(site.port, 1, a_page());
    for (name, port) in [("cdn", cdn.port), ("moved", moved.port)] {
        let authority = format!("127.0.0.1:{port}");
        plan["target"]["hosts"][name] =
            json!({"host": "127.0.0.1", "port": port, "authority": authority, "base_path": ""});
    }
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    assert_eq!((site.connections(), cdn.connections(), moved.connections()), (1, 1, 1));
    assert_eq!(moved.requests()[0].path(), "/there");
    assert_eq!(moved.requests()[0].field(":authority"), Some(format!("127.0.0.1:{}", moved.port).as_str()));
    assert_eq!(outcome.counter(0, "images"), 5);
}

fn ok_all(request: &crate::server::Seen) -> Reply {
    Reply::Send(ok(request))
}
