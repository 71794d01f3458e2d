//! Every cause of failure, what is no failure, and how runs end.

mod support;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use loadstone_engine::Run;
use serde_json::json;
use support::{Outcome, Reply, Seen, Server, answer, get, operation, page, plan, run};

/// A busy machine is slow, too: only where a time-out is wanted it is short.
const SHORT_S: f64 = 0.1;
const LONG_S: f64 = 60.0;

fn run_one(
    script: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    step: serde_json::Value,
    timeout_s: f64,
) -> (Server, Outcome) {
    let server = Server::start(script);
    let mut plan = plan(server.port, 1.0, json!([operation("op", json!([step]))]));
    plan["load"]["timeout_s"] = json!(timeout_s);
    let outcome = run(plan);
    (server, outcome)
}

fn fails(
    cause: &str,
    said: &str,
    script: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    step: serde_json::Value,
) {
    let (_, outcome) = run_one(script, step, if cause == "timeout" { SHORT_S } else { LONG_S });
    let failures = outcome.failures();
    assert!(failures.len() == 1 && failures[0].0 == cause, "{cause}: {failures:?}");
    assert_eq!(outcome.ok(0), 0);
    assert!(outcome.summary.examples[0].said.contains(said), "{:?}", outcome.summary.examples);
    assert_eq!(outcome.summary.outcome, "complete");
}

#[test]
fn causes_are_told_apart() {
    fails("status", "GET /x: status 500, expected 200", |_| answer(500, "", ""), get("/x", json!({})));
    fails("reset", "reset by the server", |_| Reply::Reset, get("/", json!({})));
    let half = || b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf".to_vec();
    fails("closed", "before the whole answer", move |_| Reply::SendAndClose(half()), get("/", json!({})));
    fails("closed", "before the whole answer", |_| Reply::SendAndClose(Vec::new()), get("/", json!({})));
    fails("timeout", "no whole answer in time", |_| Reply::Silence, get("/", json!({})));
}

#[test]
fn wrong_bodies_are_found() {
    let marker = |said: &str, body: &'static str, expect: serde_json::Value| {
        let mut expect = expect;
        expect["status"] = json!([200]);
        fails("marker", said, move |_| answer(200, "", body), get("/", json!({"expect": expect})));
    };
    marker("does not hold `Welcome`", "Goodbye", json!({"contains": ["Welcome"]}));
    marker("holds `Error`", "an Error", json!({"lacks": ["Error"]}));
    marker("has 3 bytes, expected at least 4", "abc", json!({"min_bytes": 4}));
    fails(
        "marker",
        "head is malformed",
        |_| Reply::Send(vec![b"SMTP 1\r\n\r\n".to_vec()]),
        get("/", json!({})),
    );
}

#[test]
fn json_headers_and_lengths_are_checked() {
    const BODY: &str = r#"{"ok": true, "data": {"id": 7, "name": "lamp", "tags": []}}"#;
    let step = |expect: serde_json::Value| {
        let mut expect = expect;
        expect["status"] = json!([200]);
        get("/", json!({"expect": expect}))
    };
    let server = |_: &Seen| answer(200, "Content-Type: application/json; charset=utf-8\r\n", BODY);
    let is = |text: &str| json!({"kind": "is", "text": text});
    let exists = |wanted: bool| json!({"kind": "exists", "wanted": wanted});
    let length = |min: u64, max: u64| json!({"kind": "length", "min": min, "max": max});
    let right = json!({
        "json": [["$.ok", is("true")], ["$.data.id", is("7.0")], ["$.data.name", is("lamp")],
                 ["$.error", exists(false)], ["$.data", exists(true)], ["$.data.tags", length(0, 0)]],
        "headers": [["content-type", is("application/json")], ["X-Error", exists(false)]],
        "max_bytes": 100,
    });
    let (_, outcome) = run_one(server, step(right), LONG_S);
    assert!(outcome.ok(0) > 0 && outcome.failures().is_empty(), "{:?}", outcome.summary.examples);
    let cases = [
        ("`$.data.id` is `7`, expected `8`", json!({"json": [["$.data.id", is("8")]]})),
        ("`$.data` is `{\"id\": 7", json!({"json": [["$.data", exists(false)]]})),
        ("`$.data.no` leads to nothing", json!({"json": [["$.data.no", is("1")]]})),
        (
            "`$.data.tags` has a length of 0, expected at least 1",
            json!({"json": [["$.data.tags", length(1, u64::MAX)]]}),
        ),
        ("`$.ok` has no length", json!({"json": [["$.ok", length(1, 2)]]})),
        (
            "the header `content-type` is `application/json",
            json!({"headers": [["content-type", is("html")]]}),
        ),
        ("no header `X-Error`", json!({"headers": [["X-Error", exists(true)]]})),
        ("expected at most 9", json!({"max_bytes": 9})),
    ];
    for (said, expect) in cases {
        fails("marker", said, server, step(expect));
    }
    let html = json!({"json": [["$.error", exists(false)]]});
    fails("marker", "the body is not JSON", |_| answer(200, "", "<html>"), step(html));
}

#[test]
fn what_a_step_must_find_and_how_soon() {
    let extract = json!([{"name": "id", "from": {"kind": "json", "path": "$.id"}, "required": true}]);
    let step = get("/", json!({"extract": extract}));
    fails("extract", "GET /: `id` was not found in the answer", |_| answer(200, "", "{}"), step);
    let late = |_: &Seen| {
        std::thread::sleep(Duration::from_millis(40));
        answer(200, "", "")
    };
    let soon = json!({"expect": {"status": [200], "within_s": 0.03}});
    fails("slow", "expected within 0.03 s", late, get("/", soon));
}

#[test]
fn cookies_are_taken_from_the_browser() {
    let server = Server::start(|seen: &Seen| match seen.path.as_str() {
        "/" => answer(303, "Set-Cookie: a=1\r\nSet-Cookie: csrf=t0k\r\nLocation: /in\r\n", ""),
        _ => answer(200, "", ""),
    });
    let extract = json!([{"name": "csrf", "from": {"kind": "cookie", "cookie": "csrf"}, "required": true}]);
    let steps = json!([get("/", json!({"extract": extract})), get("/x/{csrf}", json!({}))]);
    let outcome = run(plan(server.port, 0.6, json!([operation("op", steps)])));
    assert!(outcome.ok(0) > 0 && outcome.failures().is_empty(), "{:?}", outcome.summary.examples);
    assert!(server.paths().contains(&"GET /x/t0k".to_owned()));
}

#[test]
fn a_page_may_leave_out_its_last_end_tags() {
    // HTML lets a page do so; who knows that a site does not puts the tag into `expect.contains`.
    let open = |_: &Seen| answer(200, "Content-Type: text/html\r\n", "<!doctype html><html><p>all there is");
    let (_, outcome) = run_one(open, get("/", json!({"page": true})), LONG_S);
    assert_eq!(outcome.failures(), []);
}

#[test]
fn a_mix_goes_on_after_a_failure() {
    let server = Server::start(|r| if r.path == "/a" { answer(500, "", "") } else { page("") });
    let operations =
        json!([operation("a", json!([get("/a", json!({}))])), operation("b", json!([get("/b", json!({}))]))]);
    let outcome = run(plan(server.port, 1.0, operations));
    assert!(outcome.ok(1) > 0 && outcome.failures()[0].1.abs_diff(outcome.ok(1)) <= 1);
    let [example] = &outcome.summary.examples[..] else { panic!("one of each kind") };
    assert_eq!((example.operation.as_str(), example.of.as_str()), ("a", "status"));
    assert_eq!(example.said, "GET /a: status 500, expected 200");
    assert!((0.0..0.5).contains(&example.at_s), "{example:?}");
}

#[test]
fn a_server_that_closes_idle_connections_causes_no_failure() {
    // The answer promises keep-alive, the close follows: sometimes it is seen while idle, sometimes by the
    // next request.
    let closing = |_: &Seen| Reply::SendAndClose(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec());
    let server = Server::start(closing);
    let mut plan = plan(server.port, 0.5, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["load"]["users"] = json!(4);
    plan["pacing"]["law"]["value_s"] = json!(0.001);
    let outcome = run(plan);
    assert_eq!(outcome.failures(), []);
    assert!(outcome.ok(0) > 4);
    let connects: u64 = outcome.windows.iter().map(|w| w.connects).sum();
    assert!(connects.abs_diff(outcome.ok(0)) <= 4, "{connects} connections for {} operations", outcome.ok(0));
}

#[test]
fn a_broken_request_is_not_sent_a_third_time() {
    // First answers, then nothing but closed connections: one silent repetition, then a failure.
    let server = Server::start(|r| {
        if r.connection == 0 && r.nth == 0 { page("") } else { Reply::SendAndClose(Vec::new()) }
    });
    let outcome = run(plan(server.port, 1.0, json!([operation("op", json!([get("/", json!({}))]))])));
    assert_eq!(outcome.failures()[0].0, "closed");
    let seen: Vec<_> = server.requests().iter().map(|r| (r.connection, r.nth)).take(3).collect();
    assert_eq!(seen, [(0, 0), (0, 1), (1, 0)]);
}

#[test]
fn nobody_listens() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let began = Instant::now();
    let outcome = run(plan(port, 60.0, json!([operation("op", json!([get("/", json!({}))]))])));
    assert_eq!(outcome.summary.outcome, "unreachable");
    assert!(began.elapsed() < Duration::from_secs(40), "it ends long before the plan does");
    assert!(
        outcome.summary.examples[0].said.ends_with("connection refused"),
        "{:?}",
        outcome.summary.examples
    );
    let refused = outcome.failures()[0];
    assert!(refused.0 == "refused" && refused.1 < 60, "a refused user backs off: {refused:?}");
}

#[test]
fn a_host_of_several_addresses_may_listen_on_one() {
    // Most systems know localhost as ::1 first; the server listens on 127.0.0.1 only.
    let server = Server::start(|_| page(""));
    let mut plan = plan(server.port, 1.0, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["target"]["host"] = json!("localhost");
    plan["load"]["users"] = json!(3);
    let outcome = run(plan);
    assert_eq!((outcome.failures(), outcome.summary.outcome.as_str()), (vec![], "complete"));
    assert!(outcome.ok(0) > 0);
}

#[test]
fn a_stopped_run_keeps_its_windows() {
    let server = Server::start(|_| page(""));
    let plan = plan(server.port, 60.0, json!([operation("op", json!([get("/", json!({}))]))]));
    let run = Run::start(serde_json::from_value(plan).unwrap()).unwrap();
    let first = run.next(Duration::from_secs(60)).unwrap();
    assert!(run.summary().is_none());
    run.stop();
    let outcome = finish_from(&run, first);
    assert_eq!(outcome.summary.outcome, "stopped");
    assert!((1.0..40.0).contains(&outcome.summary.ended_s));
    assert!(outcome.ok(0) > 0);
}

fn finish_from(run: &Run, first: loadstone_engine::Window) -> Outcome {
    assert_eq!(first.second, 0);
    let mut windows = vec![first];
    while run.summary().is_none() {
        windows.extend(run.next(Duration::from_millis(50)));
    }
    Outcome { windows, summary: run.summary().unwrap() }
}

#[test]
fn a_run_without_a_reader_is_not_held_up() {
    let server = Server::start(|_| page(""));
    let mut plan = plan(server.port, 1.2, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["load"]["threads"] = json!(2);
    plan["load"]["users"] = json!(3);
    let run = Run::start(serde_json::from_value(plan).unwrap()).unwrap();
    std::thread::sleep(Duration::from_millis(1_400));
    let first = run.next(Duration::MAX).unwrap();
    let outcome = finish_from(&run, first);
    assert_eq!(
        (outcome.summary.outcome.as_str(), outcome.summary.threads, outcome.windows.len()),
        ("complete", 2, 2)
    );
    assert_eq!(outcome.windows[0].users, 3);
}

#[test]
fn a_connection_closed_long_after_the_request_is_a_failure() {
    // What arrives on a used connection and is not answered for long has been at the server: no race with its
    // closing.
    let server = Server::start(|r| {
        if r.nth == 0 {
            return page("");
        }
        std::thread::sleep(Duration::from_millis(1_200));
        Reply::SendAndClose(Vec::new())
    });
    let mut plan = plan(server.port, 1.6, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["pacing"]["law"]["value_s"] = json!(0.1);
    let outcome = run(plan);
    assert_eq!(outcome.failures(), [("closed", 1)]);
}

#[test]
fn an_answer_in_the_middle_of_an_upload_counts() {
    // The server refuses the body unread, answers and resets: the answer tells more than the reset.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4_096]);
            let _ =
                stream.write_all(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    let file = json!({"kind": "file", "name": "f", "filename": "f", "content_type": "image/png", "bytes": 30_000_000});
    let body = json!({"kind": "multipart", "parts": [file]});
    let step = json!({"method": "POST", "path": "/", "body": body});
    let outcome = run(plan(port, 0.3, json!([operation("op", json!([step]))])));
    let failures = outcome.failures();
    assert!(matches!(failures[..], [("status", 2..)]), "{failures:?} {:?}", outcome.summary.examples);
}
