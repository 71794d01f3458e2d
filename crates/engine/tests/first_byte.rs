//! When answers begin to come: against servers with known delays before the first byte and behind it.

mod support;

use loadstone_engine::{Sparse, StepWindow};
use loadstone_stats::Histogram;
use serde_json::json;
use support::{Outcome, Reply, Server, answer, get, operation, page, plan, run, slowly, steadily};

/// The times of one step over all windows and phases.
fn of_step(outcome: &Outcome, step: u32, part: fn(&StepWindow) -> &Sparse) -> Histogram {
    let mut times = Histogram::new();
    for sparse in outcome.of(0).flat_map(|o| &o.steps).filter(|s| s.step == step).map(part) {
        sparse.bucket.iter().zip(&sparse.count).for_each(|(b, n)| times.add(*b as usize, *n));
    }
    times
}

fn of_operation(outcome: &Outcome) -> Histogram {
    outcome.times(0, |o| &o.first_byte)
}

fn sum(times: &Histogram) -> f64 {
    times.mean().unwrap_or(0.0) * times.count() as f64
}

fn buckets(times: &Histogram) -> Vec<(usize, u64)> {
    times.buckets().collect()
}

/// Milliseconds that at least the share `q` of the times does not exceed.
fn ms(times: &Histogram, q: f64) -> f64 {
    times.quantile(q).unwrap() / 1e3
}

/// One third of the heads comes after 20, 40 and 80 ms each, every body 200 ms later. No noise makes a time shorter
/// than the server's own sleep, and one undisturbed operation of each shows that the rest is not in it.
#[test]
fn it_is_the_server_s_own_and_the_rest_of_the_answer_is_not_in_it() {
    let server = Server::start(|r| slowly([20, 40, 80][r.nth % 3], 200, "", "x"));
    let outcome = run(plan(server.port, 4.0, json!([operation("op", json!([get("/", json!({}))]))])));
    let (first, service) = (of_operation(&outcome), outcome.times(0, |o| &o.service));
    assert_eq!((first.count(), outcome.failures()), (outcome.ok(0), vec![]));
    let n = first.count() as f64;
    for (rank, head_ms) in [(1.0, 20.0), ((n / 3.0).ceil() + 1.0, 40.0), ((2.0 * n / 3.0).ceil() + 2.0, 80.0)]
    {
        let (first, whole) = (ms(&first, rank / n), ms(&service, rank / n));
        assert!(
            first >= head_ms && whole >= head_ms + 200.0,
            "{first} and {whole} ms, {head_ms} by the server"
        );
    }
    assert!(ms(&first, 0.0) < 200.0 && sum(&first) < sum(&service), "{} ms", ms(&first, 0.0));
    // Of a single plain request there are no steps.
    assert!(outcome.of(0).all(|o| o.steps.is_empty()));
}

#[test]
fn a_chunked_answer_begins_before_its_first_chunk() {
    let server = Server::start(|_| {
        let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        Reply::Slowly(vec![(0, head), (150, b"1\r\nx\r\n0\r\n\r\n".to_vec())])
    });
    let outcome = run(plan(server.port, 2.0, json!([operation("op", json!([get("/", json!({}))]))])));
    let first = of_operation(&outcome);
    assert!(first.count() == outcome.ok(0) && first.count() > 3);
    assert!(ms(&first, 0.0) < 150.0 && ms(&outcome.times(0, |o| &o.service), 0.0) >= 150.0);
}

#[test]
fn an_answer_in_one_piece_begins_when_it_ends() {
    let server = Server::start(|_| answer(200, "", "x"));
    let outcome = run(plan(server.port, 0.5, json!([operation("op", json!([get("/", json!({}))]))])));
    let (first, service) = (of_operation(&outcome), outcome.times(0, |o| &o.service));
    assert!(first.count() > 3);
    assert_eq!(buckets(&first), buckets(&service));
}

/// Each step has its own; the operation's is that of the first step, with the connection that it needed.
#[test]
fn steps_count_from_the_end_of_the_step_before_without_connecting() {
    let server = Server::start(|r| match r.path.as_str() {
        "/" => slowly(10, 30, "Content-Type: text/html\r\n", "<img src=/a.png>"),
        "/ajax" => slowly(60, 20, "", "{}"),
        _ => answer(200, "", "x"),
    });
    let home = get("/", json!({"page": true, "forget": true}));
    let steps = json!([home, get("/never", json!({"chance": 0})), get("/ajax", json!({}))]);
    let mut plan = plan(server.port, 1.5, json!([operation("op", steps)]));
    plan["session"]["max_operations"] = json!(1);
    let outcome = run(plan);
    assert_eq!(outcome.failures(), []);
    let part = |step, part: fn(&StepWindow) -> &Sparse| of_step(&outcome, step, part);
    let (home, ajax) = (part(0, |s| &s.first_byte), part(2, |s| &s.first_byte));
    assert!(outcome.ok(0) > 2);
    assert_eq!(
        [home.count(), ajax.count(), part(1, |s| &s.first_byte).count()],
        [outcome.ok(0), outcome.ok(0), 0]
    );
    // The engine's clock begins before the server's sleep and ends behind it.
    for (times, head_ms) in [(&home, 10.0), (&ajax, 60.0)] {
        assert!(ms(times, 0.0) >= head_ms, "{} of {head_ms} ms", ms(times, 0.0));
    }
    for step in [0, 2] {
        let (first, whole) = (part(step, |s| &s.first_byte), part(step, |s| &s.answer));
        assert!(sum(&first) < sum(&whole), "it is a part of the answer");
    }
    // Every session has a connection of its own.
    let connecting = part(0, |s| &s.connect);
    assert_eq!(connecting.count(), outcome.ok(0));
    let (all, parts) = (sum(&of_operation(&outcome)), sum(&home) + sum(&connecting));
    assert!((parts / all - 1.0).abs() < 2e-3, "nothing else is in it: {parts} of {all} µs");
}

#[test]
fn redirects_and_waits_are_in_it() {
    let server = Server::start(|r| match (r.path.as_str(), r.nth) {
        ("/", _) => Reply::Slowly(vec![
            (20, b"HTTP/1.1 302 Found\r\nLocation: /busy\r\n".to_vec()),
            (20, b"Content-Length: 0\r\n\r\n".to_vec()),
        ]),
        ("/busy", 1) => answer(503, "Retry-After: 0\r\n", ""),
        _ => slowly(40, 30, "", "x"),
    });
    let mut plan = plan(server.port, 1.0, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["session"]["retry_after"] = json!(1);
    let outcome = run(plan);
    let first = of_operation(&outcome);
    assert!(outcome.ok(0) > 2 && outcome.failures().is_empty());
    assert_eq!(first.count(), outcome.ok(0));
    assert!(ms(&first, 0.0) >= 80.0, "{} ms", ms(&first, 0.0));
    let waits: u64 = outcome.windows.iter().map(|window| window.waits).sum();
    assert_eq!(waits, 1);
}

/// An interim answer is an answer that begins.
#[test]
fn early_hints_are_the_first_byte() {
    let server = Server::start(|_| {
        let hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n".to_vec();
        Reply::Slowly(vec![(0, hints), (150, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec())])
    });
    let outcome = run(plan(server.port, 2.0, json!([operation("op", json!([get("/", json!({}))]))])));
    let first = of_operation(&outcome);
    assert_eq!((first.count(), outcome.failures()), (outcome.ok(0), vec![]));
    assert!(ms(&first, 0.0) < 150.0 && ms(&outcome.times(0, |o| &o.service), 0.0) >= 150.0);
}

/// A request that met a connection which was just being closed is sent once more: only that answer counts.
#[test]
fn a_request_that_is_sent_once_more_has_the_first_byte_of_its_answer() {
    let server = Server::start(|r| match r.nth {
        1 => Reply::SendAndClose(Vec::new()),
        _ => slowly(15, 15, "", "x"),
    });
    let outcome = run(plan(server.port, 1.0, json!([operation("op", json!([get("/", json!({}))]))])));
    let (first, service) = (of_operation(&outcome), outcome.times(0, |o| &o.service));
    assert!(outcome.ok(0) > 3 && outcome.failures().is_empty());
    let closed: u64 = outcome.windows.iter().map(|window| window.closed_idle).sum();
    assert!(closed > 0);
    assert_eq!(first.count(), outcome.ok(0));
    assert!(ms(&first, 0.0) >= 15.0 && sum(&first) < sum(&service));
}

#[test]
fn only_right_operations_have_one() {
    let server = Server::start(|_| page("wrong"));
    let step = get("/", json!({"expect": {"status": [200], "contains": ["right"]}}));
    let outcome = run(plan(server.port, 0.3, json!([operation("op", json!([step]))])));
    assert!(outcome.ok(0) == 0 && of_operation(&outcome).count() == 0);
    assert_eq!(outcome.failures().first().map(|(cause, _)| *cause), Some("marker"));
}

/// Answers that wait to be read have the kernel's stamps.
#[test]
fn an_answer_that_is_read_later_begins_when_it_arrived() {
    let Some(outcome) = steadily(|| {
        let server = Server::start(|_| answer(200, "", "x"));
        let mut plan = plan(server.port, 1.0, json!([operation("op", json!([get("/", json!({}))]))]));
        plan["load"] = json!({"requests_per_s": 2_000, "connections": 4, "ramp_up_s": 0, "steady_s": 1.0,
            "ramp_down_s": 0, "timeout_s": 5});
        run(plan)
    }) else {
        return;
    };
    let (first, service) = (of_operation(&outcome), outcome.times(0, |o| &o.service));
    assert!(outcome.summary.read_later > 0 && first.count() == outcome.ok(0));
    assert_eq!(buckets(&first), buckets(&service));
}
