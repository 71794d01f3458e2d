//! What goes wrong with HTTP/2: each is a failure with its cause, and the run goes on.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::one;
use crate::server::{DATA, PING, Reply, Seen, Server, answer, frame, goaway, ok, reset};
use crate::support::{Outcome, get, run};

/// Two operations against this script.
fn two(script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> (Server, Outcome) {
    let server = Server::start(script);
    let outcome = run(one(server.port, 2, get("/", json!({}))));
    (server, outcome)
}

fn said(outcome: &Outcome) -> &str {
    &outcome.summary.examples[0].said
}

#[test]
fn a_reset_is_a_failure_and_the_connection_stays() {
    let (server, outcome) = two(|request| Reply::Send(reset(request, 2)));
    assert_eq!(outcome.failures(), [("http2", 2)]);
    assert_eq!(said(&outcome), "GET /: the server reset the stream: RST_STREAM INTERNAL_ERROR");
    assert_eq!(server.connections(), 1);
    let given_up = &outcome.summary.http2.as_ref().unwrap().given_up[0];
    assert_eq!((&given_up.by[..], &given_up.code[..], given_up.count), ("server", "INTERNAL_ERROR", 2));
}

#[test]
fn what_is_refused_is_asked_for_three_times_more_after_longer_and_longer_pauses() {
    let count = AtomicUsize::new(0);
    let (server, outcome) = two(move |request| match count.fetch_add(1, Ordering::SeqCst) {
        0..3 => Reply::Send(reset(request, 7)),
        _ => Reply::Send(ok(request)),
    });
    assert_eq!((outcome.ok(0), outcome.failures(), server.requests().len()), (2, vec![], 5));
    assert_eq!(server.connections(), 1);
    // 10, 20 and 40 ms, which are a part of its time.
    let longest = outcome.times(0, |o| &o.response).quantile(1.0).unwrap();
    assert!(longest > 69_000.0, "{longest} µs");
    let (server, outcome) = two(|request| Reply::Send(reset(request, 7)));
    assert_eq!((outcome.failures(), server.requests().len()), (vec![("http2", 2)], 8));
}

#[test]
fn the_time_out_goes_on_in_the_pauses() {
    let server = Server::start(|request| Reply::Send(reset(request, 7)));
    let mut plan = one(server.port, 1, get("/", json!({})));
    plan["load"]["timeout_s"] = json!(0.05);
    let outcome = run(plan);
    assert_eq!((outcome.failures(), server.requests().len() < 4), (vec![("timeout", 1)], true));
}

#[test]
fn a_farewell_is_repeated() {
    let (_, outcome) = two(|request| Reply::SendAndClose(goaway(request.stream, 11)));
    assert_eq!(outcome.failures(), [("closed", 2)]);
    assert_eq!(said(&outcome), "GET /: the server closed the connection with GOAWAY ENHANCE_YOUR_CALM");
}

#[test]
fn wrong_frames_end_the_connection() {
    for (bytes, words) in [
        (frame(DATA, 0, 0, b"x"), "DATA: stream_id == 0"),
        (frame(PING, 0, 0, b"1234567"), "FRAME_SIZE_ERROR"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n".repeat(9), "too large frame size"),
        (frame(PING, 0, 0, b"12345678").repeat(600), "500 frames in a row"),
    ] {
        let (server, outcome) = two(move |_| Reply::Send(bytes.clone()));
        assert_eq!(outcome.failures(), [("http2", 2)], "{words}");
        assert!(said(&outcome).contains(words), "{}", said(&outcome));
        assert_eq!(server.connections(), 2);
    }
}

#[test]
fn a_server_of_http_1_is_told_as_such() {
    use crate::support;
    let server = support::Server::start(|_| support::answer(400, "", "what?"));
    let outcome = run(one(server.port, 1, get("/", json!({}))));
    assert_eq!(outcome.failures(), [("http2", 1)]);
    assert!(said(&outcome).contains("the server answers in HTTP/1"), "{}", said(&outcome));
}

#[test]
fn an_answer_that_breaks_off_is_closed() {
    let (_, outcome) = two(|request| {
        let whole = ok(request);
        Reply::SendAndClose(whole[..whole.len() - 4].to_vec())
    });
    assert_eq!(outcome.failures(), [("closed", 2)]);
}

#[test]
fn a_connection_that_was_closed_while_idle_is_no_failure() {
    // Each second request of a connection meets its end.
    let (server, outcome) = two(|request| match request.nth {
        0 => Reply::Send(ok(request)),
        _ => Reply::Reset,
    });
    assert_eq!((outcome.ok(0), outcome.failures()), (2, vec![]));
    assert_eq!(server.connections(), 2);
}

#[test]
fn silence_is_a_time_out_and_a_dead_connection_is_left() {
    let server = Server::start(|_| Reply::Send(Vec::new()));
    // While the first is awaited, the server's settings come: it lives. The second meets nothing at all.
    let mut plan = one(server.port, 3, get("/", json!({})));
    plan["load"]["timeout_s"] = json!(0.2);
    let outcome = run(plan);
    assert_eq!(outcome.failures(), [("timeout", 3)]);
    assert_eq!(server.connections(), 2);
}

#[test]
fn one_slow_answer_does_not_cost_the_connection() {
    // It goes on with something else, so it lives.
    let server = Server::start(|request| match request.nth {
        0 => Reply::Send(frame(PING, 0, 0, &[0; 8])),
        _ => Reply::After(Duration::from_millis(1), ok(request)),
    });
    let mut plan = one(server.port, 2, get("/", json!({})));
    plan["load"]["timeout_s"] = json!(1);
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![("timeout", 1)]));
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_body_without_end_is_cut_by_the_time_out() {
    // More than the window is sent, and more is allowed as it is read.
    let server = Server::start(|request| {
        let mut whole = ok(request);
        whole.truncate(whole.len() - 11);
        whole.extend(frame(DATA, 0, request.stream, &[b'x'; 16_384]).repeat(64));
        Reply::Send(whole)
    });
    let mut plan = one(server.port, 1, get("/", json!({})));
    plan["load"]["timeout_s"] = json!(0.3);
    let outcome = run(plan);
    assert_eq!(outcome.failures(), [("timeout", 1)]);
}

/// An answer whose content comes in frames of one byte.
fn in_drops(request: &Seen, body: &str) -> Vec<u8> {
    let mut whole = answer(request, 200, &[], "");
    // The frame that ends it comes last.
    let end = whole.split_off(whole.len() - 9);
    body.bytes().for_each(|byte| whole.extend(frame(DATA, 0, request.stream, &[byte])));
    [whole, end].concat()
}

#[test]
fn an_answer_that_drips_is_read_to_its_end() {
    let server = Server::start(|request| Reply::Drip(Duration::ZERO, in_drops(request, "the end")));
    for expect in [json!({"status": [200], "contains": ["the end"]}), json!({"status": [200]})] {
        let outcome = run(one(server.port, 3, get("/", json!({"expect": expect}))));
        assert_eq!((outcome.ok(0), outcome.failures()), (3, vec![]));
    }
}

#[test]
fn an_answer_that_drips_too_slowly_is_cut_by_the_time_out() {
    type Script = fn(&Seen) -> Vec<u8>;
    let content: Script = |request| in_drops(request, &"x".repeat(10_000));
    let head: Script = |request| answer(request, 200, &[("a", "b"); 3_000], "");
    // Frames that say nothing are bounded by their number, too.
    let nothing: Script = |request| {
        let mut whole = in_drops(request, "");
        whole.truncate(whole.len() - 9);
        whole.extend(frame(DATA, 0, request.stream, &[]).repeat(10_000));
        whole
    };
    for script in [content, head, nothing] {
        let server = Server::start(move |request| Reply::Drip(Duration::from_millis(1), script(request)));
        let mut plan = one(server.port, 2, get("/", json!({})));
        plan["load"]["timeout_s"] = json!(0.3);
        let outcome = run(plan);
        assert_eq!((outcome.ok(0), outcome.failures()), (0, vec![("timeout", 2)]));
        assert_eq!(said(&outcome), "GET /: no whole answer in time");
    }
}

#[test]
fn a_text_that_is_missing_is_a_failure_of_the_answer() {
    let server = Server::start(|request| Reply::Send(ok(request)));
    let outcome =
        run(one(server.port, 2, get("/", json!({"expect": {"status": [200], "contains": ["no"]}}))));
    assert_eq!(outcome.failures(), [("marker", 2)]);
    assert_eq!(server.connections(), 1);
}
