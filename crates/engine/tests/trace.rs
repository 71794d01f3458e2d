//! The traced run of one user: what was sent, answered, taken and decided, in order.

mod support;

use std::time::Duration;

use loadstone_engine::{Exchange, Run};
use loadstone_workload::Plan;
use serde_json::{Value as Json, json};
use support::{Seen, Server, answer, get, operation, page, plan};

fn traced(server: &Server, count: u32, operations: Json) -> Vec<Exchange> {
    traced_within(server, 0.2, count, operations)
}

fn traced_within(server: &Server, timeout_s: f64, count: u32, operations: Json) -> Vec<Exchange> {
    let mut plan = plan(server.port, 30.0, operations);
    plan["session"]["max_operations"] = json!(2);
    plan["load"]["operations"] = json!(count);
    plan["load"]["timeout_s"] = json!(timeout_s);
    let run = Run::traced(serde_json::from_value::<Plan>(plan).unwrap()).unwrap();
    while run.summary().is_none() {
        run.next(Duration::from_millis(20));
    }
    let all = run.exchanges();
    assert!(run.exchanges().is_empty(), "each is handed out once");
    all
}

fn shop(request: &Seen) -> support::Reply {
    match request.path.as_str() {
        "/" => {
            page("<a href=\"/item/7\"><a href=\"/item/9\"><input name=token value=t1><img src=\"/a.png\">")
        }
        "/buy" => answer(303, "Location: /thanks\r\n", ""),
        "/thanks" => answer(500, "X-Why: stock\r\n", "sold out"),
        "/slow" => support::Reply::Silence,
        _ => answer(200, "", "picture"),
    }
}

#[test]
fn everything_that_passed_is_told_in_order() {
    let server = Server::start(shop);
    let extract = json!([
        {"name": "items", "from": {"kind": "links", "pattern": "/item/{int}"}},
        {"name": "gone", "from": {"kind": "hidden", "field": "none"}},
        {"name": "token", "from": {"kind": "hidden", "field": "token"}},
    ]);
    let upload = json!({"method": "POST", "path": "/buy", "headers": [["X-Token", "{token}"]],
        "body": {"kind": "multipart", "parts": [
            {"kind": "file", "name": "f", "filename": "a.bin", "content_type": "x/y", "bytes": 4000}]}});
    let operations = json!([
        operation("Home", json!([get("/", json!({"page": true, "set": ["seen"], "extract": extract}))])),
        operation("Buy", json!([upload])),
    ]);
    let all = traced(&server, 3, operations);
    let told: Vec<_> =
        all.iter().map(|e| (&e.operation[..], (e.session, e.number), e.file, e.status, e.outcome)).collect();
    assert_eq!(
        told,
        [
            ("Home", (1, 1), false, Some(200), "files"),
            ("Home", (1, 1), true, Some(200), "done"),
            ("Buy", (1, 2), false, Some(303), "redirect"),
            ("Buy", (1, 2), false, Some(500), "failed"),
            ("Home", (2, 1), false, Some(200), "files"),
            ("Home", (2, 1), true, Some(200), "done"),
        ]
    );
    let home = &all[0];
    assert!(home.request.starts_with("GET / HTTP/1.1\r\n") && home.body.contains("name=token"));
    assert_eq!(home.remembered.lists["items"], ["7", "9"]);
    assert_eq!((&home.remembered.values["token"][..], &home.not_found[..]), ("t1", &[1][..]));
    assert_eq!(home.remembered.flags, ["seen"]);
    assert!(all[1].request.starts_with("GET /a.png ") && all[1].body_bytes == 7);
    assert!(all[2].request.contains("X-Token: t1\r\n") && all[2].request.contains("[4000 bytes]"));
    let failed = &all[3];
    assert_eq!((failed.cause, failed.said.as_deref()), (Some("status"), Some("status 500, expected 200")));
    assert!(failed.head.contains("X-Why: stock") && failed.body == "sold out");
}

#[test]
fn a_request_without_an_answer_is_told_too() {
    let server = Server::start(shop);
    let all = traced(&server, 1, json!([operation("Slow", json!([get("/slow", json!({}))]))]));
    assert_eq!((all.len(), all[0].status, all[0].cause), (1, None, Some("timeout")));
    // The time-out has connecting in it, too.
    assert!(all[0].took_s >= 0.1 && all[0].first_byte_s.is_none(), "{all:?}");
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = Server { port: gone, seen: server.seen };
    let all = traced(&nobody, 1, json!([operation("Home", json!([get("/", json!({}))]))]));
    assert_eq!((all[0].cause, &all[0].request[..]), (Some("refused"), ""));
}

/// Each exchange has its own, files of pages too; also one whose answer never came whole.
#[test]
fn the_first_byte_of_each_answer_is_told() {
    let html = "<img src=/a.png>";
    let server = Server::start(move |request| match request.path.as_str() {
        "/" => support::slowly(30, 60, "Content-Type: text/html\r\n", html),
        "/a.png" => support::slowly(50, 20, "", "picture"),
        _ => support::Reply::Slowly(vec![(0, b"HTTP/1.1 200 OK\r\nConte".to_vec()), (60_000, Vec::new())]),
    });
    let home = json!([operation("Home", json!([get("/", json!({"page": true}))]))]);
    let all = traced_within(&server, 30.0, 1, home);
    let [home, picture] = &all[..] else { panic!("{all:?}") };
    for (exchange, head_s, body_s) in [(home, 0.03, 0.06), (picture, 0.05, 0.02)] {
        let first_s = exchange.first_byte_s.unwrap();
        assert!((head_s..=exchange.took_s).contains(&first_s), "{exchange:?}");
        assert!(exchange.took_s >= head_s + body_s, "{exchange:?}");
    }
    let all = traced_within(&server, 1.0, 1, json!([operation("Cut", json!([get("/cut", json!({}))]))]));
    let [cut] = &all[..] else { panic!("{all:?}") };
    assert_eq!((cut.status, cut.cause), (None, Some("timeout")));
    assert!(cut.first_byte_s.unwrap() <= cut.took_s, "{cut:?}");
}

#[test]
fn several_users_are_refused() {
    let mut plan = plan(1, 1.0, json!([operation("Home", json!([get("/", json!({}))]))]));
    plan["load"]["users"] = json!(2);
    assert!(Run::traced(serde_json::from_value::<Plan>(plan).unwrap()).unwrap_err().contains("one user"));
}
