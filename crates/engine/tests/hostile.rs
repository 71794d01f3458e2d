//! Answers that are made to hold the engine up: work is bounded, and what was left out is counted.

mod support;

use std::time::Duration;

use loadstone_engine::{MOST_REFERENCE_BYTES, MOST_REFERENCES};
use serde_json::json;
use support::{Outcome, Reply, Seen, Server, answer, get, operation, plan, run};

/// One operation that fetches `/dir/page` with what it refers to, however long this machine takes.
fn open_page(path: &str, page: String) -> (usize, Outcome) {
    let at = path.to_string();
    let server = Server::start(
        move |r: &Seen| {
            if r.path == at { answer(200, "", &page) } else { answer(200, "", "") }
        },
    );
    let mut plan =
        plan(server.port, 600.0, json!([operation("op", json!([get(path, json!({"page": true}))]))]));
    plan["load"]["operations"] = json!(1);
    plan["load"]["timeout_s"] = json!(300);
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (1, Vec::new()));
    (server.requests().len() - 1, outcome)
}

#[test]
fn a_page_of_a_million_references_is_read_as_far_as_the_limit() {
    let page: String = (0..1_000_000).map(|i| format!("<img src=/{i}>")).collect();
    let (fetched, outcome) = open_page("/", page);
    assert_eq!(fetched, MOST_REFERENCES);
    assert_eq!(outcome.counter(0, "images"), MOST_REFERENCES as u64);
    assert_eq!(outcome.counter(0, "references_left_out"), 1_000_000 - MOST_REFERENCES as u64);
}

#[test]
fn a_reference_that_is_repeated_is_looked_at_as_often_as_others() {
    let (fetched, outcome) = open_page("/", "<img src=a>".repeat(100_000));
    assert_eq!((fetched, outcome.counter(0, "image_refs")), (1, 1));
    assert_eq!(outcome.counter(0, "references_left_out"), 100_000 - MOST_REFERENCES as u64);
}

#[test]
fn references_of_a_page_that_lies_deep_are_limited_by_their_bytes() {
    let directory = format!("/{}/", "d".repeat(20_000));
    let page: String = (0..1_000).map(|i| format!("<img src={i:03}>")).collect();
    let (fetched, outcome) = open_page(&format!("{directory}page"), page);
    let most = MOST_REFERENCE_BYTES / (directory.len() + 3);
    assert_eq!((fetched, outcome.counter(0, "references_left_out")), (most, 1_000 - most as u64));
}

#[test]
fn a_page_within_the_limits_is_fetched_whole() {
    let page: String = (0..MOST_REFERENCES).map(|i| format!("<img src=/{i}>")).collect();
    let (fetched, outcome) = open_page("/", page);
    assert_eq!((fetched, outcome.counter(0, "references_left_out")), (MOST_REFERENCES, 0));
}

/// How many connections a run of a few requests took.
fn connections(bytes: &'static [u8]) -> (usize, Outcome) {
    let server = Server::start(|_| Reply::Send(vec![bytes.to_vec()]));
    let mut plan = plan(server.port, 60.0, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["load"]["operations"] = json!(5);
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (5, Vec::new()));
    (server.requests().iter().map(|r| r.connection).max().unwrap() + 1, outcome)
}

#[test]
fn an_answer_with_length_and_coding_does_not_keep_its_connection() {
    let both = connections(
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    );
    assert_eq!(both.0, 5);
    let one = connections(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
    assert_eq!(one.0, 1);
}

/// The cause of the failure of a request to a server that goes on with `filler` for ever, and what was said
/// of it.
fn endless(head: &'static str, filler: &'static str, looks: bool, timeout_s: f64) -> (&'static str, String) {
    let server = Server::start(move |_| Reply::Endless(head, filler));
    let expect = if looks { json!({"status": [200], "contains": ["end"]}) } else { json!({"status": [200]}) };
    let step = get("/", json!({"expect": expect}));
    let mut plan = plan(server.port, 600.0, json!([operation("op", json!([step]))]));
    plan["load"]["operations"] = json!(1);
    plan["load"]["timeout_s"] = json!(timeout_s);
    let outcome = run(plan);
    (outcome.failures()[0].0, outcome.summary.examples[0].said.clone())
}

#[test]
fn what_never_ends_is_refused_at_its_limit() {
    let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;";
    let long = "HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n";
    for (head, filler, looks, said) in [
        ("HTTP/1.1 200 OK\r\nX: ", "y", false, "the head is longer than 64 KiB"),
        ("HTTP/1.1 200 OK\r\n", "X: y\r\n", false, "the head is"),
        ("", "HTTP/1.1 100 C\r\n\r\n", false, "the head is longer than 64 KiB"),
        (chunks, "x", false, "a chunk's extension is longer than 256 bytes"),
        (long, "x", true, "the body is larger than 64 MiB"),
    ] {
        let (cause, example) = endless(head, filler, looks, 300.0);
        assert!(cause == "marker" && example.contains(said), "{head}{filler}: {cause}: {example}");
    }
}

#[test]
fn a_body_without_end_that_nobody_looks_at_is_cut_by_the_time_out() {
    for head in ["HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"] {
        let (cause, example) = endless(head, "x", false, 0.3);
        assert!(cause == "timeout" && example.contains("no whole answer in time"), "{cause}: {example}");
    }
}

#[test]
fn a_body_that_takes_many_turns_is_read_to_its_end() {
    // More pieces than a user receives in a row, so that what is left must be reported again.
    for step in [get("/", json!({})), get("/", json!({"expect": {"status": [200], "contains": ["the end"]}}))]
    {
        let server = Server::start(|_| answer(200, "", &format!("{}the end", "x".repeat(12 << 20))));
        let mut plan = plan(server.port, 600.0, json!([operation("op", json!([step]))]));
        plan["load"]["operations"] = json!(1);
        plan["load"]["timeout_s"] = json!(300);
        let outcome = run(plan);
        assert_eq!((outcome.ok(0), outcome.failures()), (1, Vec::new()));
    }
}

/// What three users say of two answers each that drip, with a pause after each byte.
fn dripping(answer: Vec<u8>, pause: Duration, looks: bool, timeout_s: f64) -> Outcome {
    let server = Server::start(move |_| Reply::Drip(answer.clone(), pause));
    let expect =
        if looks { json!({"status": [200], "contains": ["the end"]}) } else { json!({"status": [200]}) };
    let mut plan =
        plan(server.port, 600.0, json!([operation("op", json!([get("/", json!({"expect": expect}))]))]));
    plan["load"]["users"] = json!(3);
    plan["load"]["operations"] = json!(6);
    plan["load"]["timeout_s"] = json!(timeout_s);
    run(plan)
}

#[test]
fn an_answer_that_drips_is_read_to_its_end() {
    let length = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 7\r\n\r\nthe end";
    let chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\nthe \r\n3\r\nend\r\n0\r\nA: b\r\n\r\n";
    for (answer, looks) in [length, chunked].into_iter().flat_map(|answer| [(answer, true), (answer, false)])
    {
        let outcome = dripping(answer.into(), Duration::ZERO, looks, 300.0);
        assert_eq!((outcome.ok(0), outcome.failures()), (6, Vec::new()));
        assert_eq!(outcome.counter(0, "bytes_in"), 6 * answer.len() as u64);
    }
}

#[test]
fn an_answer_that_drips_too_slowly_is_cut_by_the_time_out() {
    let long = |begin: &str, drop: &str| [begin, &drop.repeat(100_000 / drop.len())].concat();
    for (answer, looks) in [
        // The head: its first line, a field, field after field, interim answers.
        (long("HTTP/1.1 200 ", "O"), false),
        (long("HTTP/1.1 200 OK\r\nA: ", "b"), false),
        (long("HTTP/1.1 200 OK\r\n", "A: b\r\n"), false),
        (long("", "HTTP/1.1 103 Early Hints\r\n\r\n"), false),
        // The body: by length, by the end of the connection, in chunks, one of which goes on for ever.
        (long("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", "x"), true),
        (long("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", "x"), false),
        (long("HTTP/1.1 200 OK\r\n\r\n", "x"), true),
        (long("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"), true),
        (long("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n", "x"), false),
    ] {
        let whole = answer.len() as u64;
        let outcome = dripping(answer.into_bytes(), Duration::from_millis(1), looks, 0.3);
        assert_eq!((outcome.ok(0), outcome.failures()), (0, vec![("timeout", 6)]));
        assert_eq!(outcome.summary.examples[0].said, "GET /: no whole answer in time");
        // Nobody waited for all of it.
        assert!(outcome.counter(0, "bytes_in") < whole, "{whole}");
    }
}
