//! The traced run of one user: what was sent, answered, taken and decided, in order.

mod support;

use std::time::Duration;

use loadstone_engine::{Exchange, Run};
use loadstone_workload::Plan;
use serde_json::{Value as Json, json};
use support::{Seen, Server, answer, get, operation, page, plan};

fn traced(server: &Server, count: u32, operations: Json) -> Vec<Exchange> {
    let mut plan = plan(server.port, 30.0, operations);
    plan["session"]["max_operations"] = json!(2);
    plan["load"]["operations"] = json!(count);
    plan["load"]["timeout_s"] = json!(0.2);
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
    assert!(all[0].took_s >= 0.2, "{all:?}");
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = Server { port: gone, seen: server.seen };
    let all = traced(&nobody, 1, json!([operation("Home", json!([get("/", json!({}))]))]));
    assert_eq!((all[0].cause, &all[0].request[..]), (Some("refused"), ""));
}

#[test]
fn several_users_are_refused() {
    let mut plan = plan(1, 1.0, json!([operation("Home", json!([get("/", json!({}))]))]));
    plan["load"]["users"] = json!(2);
    assert!(Run::traced(serde_json::from_value::<Plan>(plan).unwrap()).unwrap_err().contains("one user"));
}
