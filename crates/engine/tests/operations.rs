//! Runs of a number of operations, and runs that begin at a given instant.

mod support;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use loadstone_engine::Run;
use loadstone_workload::Plan;
use serde_json::{Value as Json, json};
use support::{Outcome, Reply, Server, answer, finish, get, operation, plan, run};

/// So many operations of one page, flat out.
fn flat_out(server: &Server, users: u32, operations: u32) -> Json {
    let mut plan = plan(server.port, 60.0, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["load"]["users"] = json!(users);
    plan["load"]["operations"] = json!(operations);
    plan["pacing"]["law"]["value_s"] = json!(0);
    plan
}

fn counted(outcome: &Outcome) -> u64 {
    outcome.of(0).map(|o| o.ok + o.failed.iter().sum::<u64>()).sum()
}

/// CLOCK_MONOTONIC.
fn monotonic() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

#[test]
fn it_makes_as_many_as_asked_and_ends_with_the_last_byte() {
    for threads in [1, 3] {
        let server = Server::start(|_| answer(200, "", "ok"));
        let mut plan = flat_out(&server, 7, 500);
        plan["load"]["threads"] = json!(threads);
        let begun = Instant::now();
        let outcome = run(plan);
        let took = begun.elapsed().as_secs_f64();
        assert_eq!((outcome.ok(0), server.requests().len()), (500, 500), "{threads} threads");
        assert_eq!(outcome.summary.outcome, "complete");
        assert!(outcome.summary.ended_s < took, "{} s of {took} s", outcome.summary.ended_s);
        // The last answer cannot have been read before the server was asked for it.
        let seen = server.requests();
        let span = seen.iter().map(|r| r.at).max().unwrap() - seen.iter().map(|r| r.at).min().unwrap();
        assert!(outcome.summary.ended_s > span.as_secs_f64());
        assert_eq!(outcome.windows.len(), outcome.summary.ended_s.ceil() as usize);
        assert!(outcome.of(0).all(|o| o.phase == 1), "all of it is steady state");
        let connections: BTreeSet<usize> = seen.iter().map(|r| r.connection).collect();
        // On a busy machine the others may make all of them before the last user's turn.
        assert!(connections.len() <= 7, "every user keeps its connection");
    }
}

#[test]
fn slices_make_their_parts() {
    let server = Server::start(|_| answer(200, "", "ok"));
    for (index, part) in [(0, 34), (1, 33), (2, 33)] {
        let mut plan = flat_out(&server, 5, 100);
        plan["slice"] = json!({"index": index, "of": 3});
        assert_eq!(run(plan).ok(0), part);
    }
}

#[test]
fn what_fails_counts() {
    let server = Server::start(|r| answer(if r.nth % 2 == 1 { 500 } else { 200 }, "", "ok"));
    let outcome = run(flat_out(&server, 3, 40));
    assert_eq!(counted(&outcome), 40);
    assert!(outcome.ok(0) >= 20 && outcome.ok(0) < 40, "{}", outcome.ok(0));
    assert_eq!(outcome.summary.outcome, "complete");
}

#[test]
fn it_ends_with_its_time_at_the_latest() {
    let server = Server::start(|r| if r.nth < 2 { answer(200, "", "ok") } else { Reply::Silence });
    let mut plan = flat_out(&server, 2, 100);
    plan["load"]["steady_s"] = json!(0.7);
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.summary.ended_s), (4, 0.7));
    assert_eq!(outcome.windows.last().unwrap().in_flight, 2);
}

#[test]
fn asked_to_stop_it_is_not_complete() {
    let server = Server::start(|_| Reply::Silence);
    let run = Run::start(serde_json::from_value::<Plan>(flat_out(&server, 2, 100)).unwrap()).unwrap();
    run.stop();
    assert_eq!(finish(&run).summary.outcome, "stopped");
}

#[test]
fn it_begins_when_it_is_told_to() {
    let server = Server::start(|_| answer(200, "", "ok"));
    let plan = || serde_json::from_value::<Plan>(flat_out(&server, 1, 1)).unwrap();
    let lead = Duration::from_millis(300);
    let begun = Instant::now();
    let run = Run::start_at(plan(), monotonic() + lead).unwrap();
    let outcome = finish(&run);
    let waited = server.requests()[0].at - begun;
    assert!(waited >= lead, "{waited:?}");
    assert!(outcome.summary.ended_s < (begun.elapsed() - lead).as_secs_f64(), "its time begins then");
    let late = Run::start_at(plan(), monotonic()).unwrap_err();
    assert!(late.contains("has passed"), "{late}");
}

#[test]
fn a_step_may_name_its_host_and_add_cookies() {
    let server = Server::start(|_| answer(200, "Set-Cookie: s=1\r\n", ""));
    let step = get("/", json!({"headers": [["host", "shop.example"], ["Cookie", "seen=yes"]]}));
    let mut plan = plan(server.port, 600.0, json!([operation("op", json!([step]))]));
    plan["load"]["operations"] = json!(2);
    assert_eq!(run(plan).ok(0), 2);
    let told = |name: &str| -> Vec<String> {
        let all = server.requests().into_iter().flat_map(|request| request.fields);
        all.filter(|(field, _)| field == name).map(|(_, value)| value).collect()
    };
    assert_eq!(told("host"), ["shop.example", "shop.example"]);
    assert_eq!(told("cookie"), ["seen=yes", "seen=yes; s=1"]);
}
