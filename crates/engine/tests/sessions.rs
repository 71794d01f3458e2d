//! Sessions: how they arrive, what ends them, what is counted of them.

mod support;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use loadstone_engine::{CAUSES, SessionWindow, Sparse, Window};
use loadstone_stats::Histogram;
use serde_json::{Value as Json, json};
use support::{Outcome, Reply, Server, answer, get, operation, plan, run, steadily};

/// Sessions of three requests `/SESSION/a`, `/b`, `/c` that arrive at a rate for a second.
fn open(server: &Server, sessions_per_s: f64) -> Json {
    let operations =
        ["a", "b", "c"].map(|name| operation(name, json!([get(&format!("/{{user}}/{name}"), json!({}))])));
    let mut plan = plan(server.port, 1.0, json!(operations));
    plan["load"] = json!({"sessions_per_s": sessions_per_s, "ramp_up_s": 0, "steady_s": 1, "ramp_down_s": 60, "timeout_s": 30});
    plan["session"]["on_failure"] = json!("end");
    plan["mix"]["c"] = json!({"end": 1});
    plan
}

fn sum(outcome: &Outcome, of: impl Fn(&SessionWindow) -> u64) -> u64 {
    outcome.windows.iter().flat_map(|w| &w.sessions).map(of).sum()
}

fn begun(outcome: &Outcome) -> u64 {
    sum(outcome, |s| s.begun)
}

fn completed(outcome: &Outcome) -> u64 {
    sum(outcome, |s| s.completed)
}

/// Lost sessions by cause, those that occurred.
fn lost(outcome: &Outcome) -> Vec<(&'static str, u64)> {
    let all = CAUSES.iter().enumerate().map(|(i, cause)| (*cause, sum(outcome, |s| s.lost[i])));
    all.filter(|(_, count)| *count > 0).collect()
}

fn total(outcome: &Outcome, of: fn(&Window) -> u64) -> u64 {
    outcome.windows.iter().map(of).sum()
}

fn merged(outcome: &Outcome, of: fn(&SessionWindow) -> &Sparse) -> Histogram {
    let mut all = Histogram::new();
    for sparse in outcome.windows.iter().flat_map(|w| &w.sessions).map(of) {
        sparse.bucket.iter().zip(&sparse.count).for_each(|(bucket, count)| all.add(*bucket as usize, *count));
    }
    all
}

fn ok() -> Reply {
    answer(200, "", "ok")
}

fn closing(fields: &str) -> Reply {
    Reply::SendAndClose(format!("HTTP/1.1 200 X\r\n{fields}Content-Length: 2\r\n\r\nok").into_bytes())
}

#[test]
fn sessions_arrive_at_their_rate_and_the_run_ends_with_the_last() {
    let server = Server::start(|_| ok());
    let outcome = run(open(&server, 60.0));
    assert_eq!((begun(&outcome), completed(&outcome), lost(&outcome)), (60, 60, vec![]));
    assert_eq!((total(&outcome, |w| w.connects), total(&outcome, |w| w.reconnects)), (60, 0));
    assert_eq!(merged(&outcome, |s| &s.operations).buckets().collect::<Vec<_>>(), [(3, 60)]);
    // Two pauses of 20 ms in each.
    assert!(merged(&outcome, |s| &s.life_ms).quantile(0.0) >= Some(40.0));
    assert!(outcome.summary.ended_s < 61.0, "not the whole ramp-down");
    assert_eq!(outcome.summary.outcome, "complete");
    assert_eq!(outcome.windows.last().unwrap().users, 0);
    let sessions: BTreeSet<_> = server.paths().into_iter().collect();
    let expected = (0..60).flat_map(|n| ["a", "b", "c"].map(|name| format!("GET /{n}/{name}")));
    assert_eq!(sessions, expected.collect(), "each is a user of its own");
}

/// Every second's time lived adds up to the lives of the sessions, whenever the seconds look.
#[test]
fn the_time_that_sessions_lived_is_the_sum_of_their_lives() {
    let server = Server::start(|_| ok());
    let mut plan = open(&server, 40.0);
    plan["load"]["threads"] = json!(2);
    let outcome = run(plan);
    let lives = merged(&outcome, |s| &s.life_ms);
    let sum_s: f64 = lives.buckets().map(|(ms, count)| ms as f64 * count as f64).sum::<f64>() / 1e3;
    let lived_s: f64 = outcome.windows.iter().map(|w| w.sessions_s).sum();
    assert_eq!(completed(&outcome), 40);
    // Lives are cut to whole milliseconds.
    assert!((sum_s..=sum_s + 0.040).contains(&lived_s), "{lived_s} s, of lives {sum_s} s");
    // A user of an open workload lives from when the engine noticed the arrival.
    let users_s: f64 = outcome.windows.iter().map(|w| w.users_s).sum();
    assert!(0.0 < users_s && users_s <= lived_s + 1e-9, "{users_s} s");
}

#[test]
fn users_live_from_their_start_to_their_stop() {
    let Some(outcome) = steadily(|| {
        let server = Server::start(|_| ok());
        let mut plan = open(&server, 1.0);
        plan["load"] = json!({"users": 4, "ramp_up_s": 1, "steady_s": 1, "ramp_down_s": 0.5, "timeout_s": 5});
        plan["load"]["profile"] = json!([[0.5, 2]]);
        run(plan)
    }) else {
        return;
    };
    // They start at 0, 0.25, 0.5 and 0.75 s; two of them stop at 1.5 s, when the operation under way ends.
    let seconds: Vec<_> = outcome.windows.iter().map(|w| w.users_s).collect();
    for (seen, expected) in seconds.iter().zip([2.5, 3.0, 1.0]) {
        assert!((seen - expected).abs() < 0.2, "{seconds:?}");
    }
    assert_eq!(seconds.len(), 3);
    // Half of a second is left of the last one, and it is exact: nobody starts or stops in it.
    assert!((seconds[2] - 1.0).abs() < 1e-9, "{seconds:?}");
    let sessions: f64 = outcome.windows.iter().map(|w| w.sessions_s).sum();
    assert!(sessions > 0.0 && sessions <= seconds.iter().sum(), "{sessions} s");
}

#[test]
fn agents_and_threads_share_the_arrivals() {
    let server = Server::start(|_| ok());
    let mut count = 0;
    for index in 0..2 {
        let mut plan = open(&server, 25.0);
        plan["slice"] = json!({"index": index, "of": 2});
        plan["load"]["threads"] = json!(2);
        let outcome = run(plan);
        assert_eq!(outcome.summary.outcome, "complete");
        count += completed(&outcome);
    }
    assert_eq!(
        (count, server.paths().len(), server.paths().into_iter().collect::<BTreeSet<_>>().len()),
        (25, 75, 75)
    );
}

#[test]
fn a_server_that_closes_after_each_answer_is_connected_to_again() {
    let server = Server::start(|_| closing("Connection: close\r\n"));
    let outcome = run(open(&server, 40.0));
    assert_eq!((completed(&outcome), lost(&outcome)), (40, vec![]));
    assert_eq!((total(&outcome, |w| w.connects), total(&outcome, |w| w.reconnects)), (120, 80));
    assert_eq!((total(&outcome, |w| w.closed_with_answer), total(&outcome, |w| w.closed_idle)), (120, 0));
}

/// Pairs of ports that are kept for a while after their end: by the clients of a server's port, and by itself.
fn kept_ports(port: u16) -> (usize, usize) {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let ends = |field: usize| {
        table.lines().skip(1).filter(move |line| {
            let fields: Vec<_> = line.split_whitespace().collect();
            fields[3] == "06" && fields[field].ends_with(&format!(":{port:04X}"))
        })
    };
    (ends(2).count(), ends(1).count())
}

/// Says that it closes, and does so a little later, as a server does that has other work.
fn closing_late() -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || {
                let mut stream = stream.unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                while reader.by_ref().lines().next().is_some_and(|line| !line.unwrap().is_empty()) {}
                let _ =
                    stream.write_all(b"HTTP/1.1 200 X\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
                std::thread::sleep(Duration::from_millis(5));
            });
        }
    });
    Server { port, seen: Arc::default() }
}

#[test]
fn who_says_that_it_closes_is_let_close_first() {
    let server = closing_late();
    let outcome = run(open(&server, 40.0));
    assert_eq!((completed(&outcome), lost(&outcome)), (40, vec![]));
    // The generator would run out of ports otherwise, and look for free ones among them for ever longer.
    let (ours, theirs) = kept_ports(server.port);
    assert!(ours <= 5 && theirs >= 100, "{ours} here, {theirs} there");
}

#[test]
fn who_says_that_it_closes_and_does_not_is_left() {
    // It waits for the client to close, and would answer no more.
    let server = Server::start(|_| answer(200, "Connection: close\r\n", "ok"));
    let outcome = run(open(&server, 40.0));
    assert_eq!((completed(&outcome), lost(&outcome)), (40, vec![]));
    assert_eq!(total(&outcome, |w| w.closed_with_answer), 120);
    assert_eq!(outcome.windows.last().unwrap().connections, 0);
}

#[test]
fn a_server_that_closes_without_a_word_is_seen_doing_so() {
    let server = Server::start(|_| closing(""));
    let outcome = run(open(&server, 40.0));
    assert_eq!((completed(&outcome), lost(&outcome)), (40, vec![]));
    assert_eq!(total(&outcome, |w| w.reconnects), 80);
    // Whether the end of the stream is seen with the answer or after it is up to the network; of the last one
    // of a session only the former is looked for.
    let seen = total(&outcome, |w| w.closed_with_answer + w.closed_idle);
    assert!((80..=120).contains(&seen), "{seen}");
}

#[test]
fn a_failed_operation_loses_its_session() {
    // Every other session meets a wrong answer at its second operation.
    let server = Server::start(|r| {
        let number: u32 = r.path.split('/').nth(1).unwrap().parse().unwrap();
        answer(if number.is_multiple_of(2) && r.path.ends_with('b') { 503 } else { 200 }, "", "ok")
    });
    let outcome = run(open(&server, 40.0));
    assert_eq!((completed(&outcome), lost(&outcome)), (20, vec![("status", 20)]));
    assert_eq!((outcome.ok(0), outcome.ok(1), outcome.ok(2)), (40, 20, 20));
    assert_eq!(merged(&outcome, |s| &s.lost_life_ms).count(), 20);
}

#[test]
fn with_go_on_a_session_with_a_failure_is_completed() {
    let server = Server::start(|r| if r.path.ends_with('b') { Reply::Reset } else { ok() });
    let mut plan = open(&server, 20.0);
    plan["session"]["on_failure"] = json!("go-on");
    let outcome = run(plan);
    assert_eq!((completed(&outcome), lost(&outcome)), (20, vec![]));
    // A connection that breaks at once is tried again, once; then the third operation needs one.
    assert_eq!((outcome.ok(2), total(&outcome, |w| w.reconnects)), (20, 40));
}

#[test]
fn a_server_that_never_answers_loses_all_to_time_outs() {
    let server = Server::start(|_| Reply::Silence);
    let mut plan = open(&server, 20.0);
    plan["load"]["timeout_s"] = json!(0.2);
    let outcome = run(plan);
    assert_eq!((begun(&outcome), completed(&outcome), lost(&outcome)), (20, 0, vec![("timeout", 20)]));
    assert!(merged(&outcome, |s| &s.lost_life_ms).quantile(0.0) >= Some(200.0));
}

#[test]
fn what_lives_at_the_end_is_neither_completed_nor_lost() {
    let server = Server::start(|r| if r.path.ends_with('c') { Reply::Silence } else { ok() });
    let mut plan = open(&server, 10.0);
    plan["load"]["ramp_down_s"] = json!(0.3);
    let outcome = run(plan);
    assert_eq!((begun(&outcome), completed(&outcome), lost(&outcome)), (10, 0, vec![]));
    assert_eq!((outcome.windows.last().unwrap().users, outcome.summary.ended_s), (10, 1.3));
}

#[test]
fn a_session_has_no_more_operations_than_allowed() {
    let server = Server::start(|_| ok());
    let mut plan = open(&server, 10.0);
    plan["mix"]["c"] = json!({"a": 1});
    plan["session"]["max_operations"] = json!(7);
    let outcome = run(plan);
    assert_eq!(merged(&outcome, |s| &s.operations).buckets().collect::<Vec<_>>(), [(7, 10)]);
    assert_eq!((outcome.ok(0), outcome.ok(1), outcome.ok(2)), (30, 20, 20));
}

#[test]
fn sessions_in_the_system_are_their_rate_times_their_life() {
    let server = Server::start(|_| ok());
    let mut plan = open(&server, 100.0);
    plan["load"]["ramp_up_s"] = json!(1);
    plan["pacing"]["law"] = json!({"kind": "uniform", "low_s": 0.1, "high_s": 0.5});
    plan["load"]["arrivals"] = json!("poisson");
    let outcome = run(plan);
    let rate = begun(&outcome) as f64 / 2.0;
    let life_s = merged(&outcome, |s| &s.life_ms).mean().unwrap() / 1e3;
    assert!(life_s >= 0.2);
    // After the first second as many end as begin. Some 60 ± 8 live at any instant.
    let live = f64::from(outcome.windows[1].users);
    assert!((live / (rate * life_s) - 1.0).abs() < 0.6, "{live} {rate} {life_s}");
}

#[test]
fn users_of_a_closed_workload_begin_and_lose_sessions_too() {
    let server = Server::start(|r| {
        assert_eq!(r.field("cookie"), (r.nth > 0).then_some("s=1"));
        answer(if r.path.ends_with('b') { 500 } else { 200 }, "Set-Cookie: s=1\r\n", "ok")
    });
    let mut plan = open(&server, 1.0);
    plan["load"] = json!({"users": 2, "ramp_up_s": 0, "steady_s": 2, "ramp_down_s": 0, "timeout_s": 5});
    let outcome = run(plan);
    let [("status", lost)] = lost(&outcome)[..] else { panic!() };
    assert!(lost >= 4 && lost + 2 >= begun(&outcome) && completed(&outcome) == 0);
    assert_eq!((outcome.ok(2), outcome.failures()), (0, vec![("status", lost)]));
}

fn unavailable(retry_after: &str) -> Reply {
    answer(503, &format!("Retry-After: {retry_after}\r\n"), "busy")
}

#[test]
fn a_server_that_asks_for_patience_gets_it() {
    let server = Server::start(|r| if r.nth == 0 { unavailable("1") } else { ok() });
    let mut plan = open(&server, 10.0);
    plan["session"]["retry_after"] = json!(1);
    let outcome = run(plan);
    assert_eq!((completed(&outcome), lost(&outcome)), (10, vec![]));
    assert_eq!(total(&outcome, |w| w.waits), 10);
    assert!(
        outcome.times(0, |o| &o.response).quantile(0.0) >= Some(1e6),
        "the wait is part of the operation"
    );
    for session in 0..10 {
        let path = format!("/{session}/a");
        let asked: Vec<_> = server.requests().into_iter().filter(|r| r.path == path).map(|r| r.at).collect();
        assert!(asked.len() == 2 && (asked[1] - asked[0]).as_secs_f64() >= 0.99, "{asked:?}");
    }
}

#[test]
fn patience_ends() {
    let server = Server::start(|r| if r.path.ends_with('b') { unavailable("0") } else { ok() });
    let mut plan = open(&server, 10.0);
    plan["session"]["retry_after"] = json!(2);
    let outcome = run(plan.clone());
    assert_eq!((lost(&outcome), total(&outcome, |w| w.waits)), (vec![("status", 10)], 20));
    assert_eq!(server.paths().iter().filter(|path| path.ends_with('b')).count(), 30);
    plan["session"]["retry_after"] = json!(0);
    assert_eq!(total(&run(plan), |w| w.waits), 0);
}

#[test]
fn answers_decide_what_follows() {
    // a, b, c as the mix has it; then c is sorry and leads back to b, the next b reports an error and leads
    // to a.
    let server = Server::start(|r| match r.nth {
        2 => answer(200, "", "Sorry, 0"),
        3 => answer(500, "", "an ERROR"),
        _ => ok(),
    });
    let mut plan = open(&server, 1.0);
    plan["session"]["on_failure"] = json!("go-on");
    plan["session"]["after"] =
        json!([{"contains": "ERROR", "next": "a"}, {"contains": "Sorry, {user}", "next": "back"}]);
    plan["mix"] = json!({"a": {"b": 1}, "b": {"c": 1}, "c": {"end": 1, "back": 0}});
    plan["session"]["max_operations"] = json!(8);
    let outcome = run(plan);
    assert_eq!((outcome.failures(), completed(&outcome)), (vec![("status", 2)], 1));
    let walk: Vec<_> = server.paths().iter().map(|path| path.replace("GET /0/", "")).collect();
    // The failure closes the connection, so that the server counts from 0 and is sorry once more.
    assert_eq!(walk, ["a", "b", "c", "b", "a", "b", "c", "b"]);
}
