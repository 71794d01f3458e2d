//! Operations that arrive at a rate: when they begin, what waits, what is dropped.

mod support;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use loadstone_engine::{OperationWindow, Run, Window};
use loadstone_stats::{Histogram, lower_bound};
use serde_json::{Value as Json, json};
use support::{Outcome, Reply, Server, answer, finish, get, operation, plan, run, steadily};

/// Requests `/NUMBER/a` and `/NUMBER/b`, three of four the first, that arrive at a rate.
fn offered(server: &Server, requests_per_s: f64, steady_s: f64) -> Json {
    let operations =
        ["a", "b"].map(|name| operation(name, json!([get(&format!("/{{user}}/{name}"), json!({}))])));
    let mut plan = plan(server.port, steady_s, json!(operations));
    plan["load"] = json!({"requests_per_s": requests_per_s, "connections": 8, "ramp_up_s": 0,
        "steady_s": steady_s, "ramp_down_s": 0, "timeout_s": 30});
    plan["mix"] = json!({"a": {"a": 0.75, "b": 0.25}, "b": {"a": 0.75, "b": 0.25}});
    plan
}

fn total(outcome: &Outcome, of: impl Fn(&Window) -> u64) -> u64 {
    outcome.windows.iter().map(of).sum()
}

fn sum(outcome: &Outcome, of: impl Fn(&OperationWindow) -> u64) -> u64 {
    outcome.windows.iter().flat_map(|window| &window.operations).map(of).sum()
}

fn failed(outcome: &Outcome) -> u64 {
    sum(outcome, |one| one.failed.iter().sum())
}

/// Response times in microseconds.
fn responses(outcome: &Outcome) -> Histogram {
    let mut all = Histogram::new();
    for one in outcome.windows.iter().flat_map(|window| &window.operations).map(|one| &one.response) {
        one.bucket.iter().zip(&one.count).for_each(|(bucket, count)| all.add(*bucket as usize, *count));
    }
    all
}

fn over(times: &Histogram, us: f64) -> u64 {
    times.buckets().filter(|(bucket, _)| lower_bound(*bucket) as f64 > us).map(|(_, count)| count).sum()
}

fn ok() -> Reply {
    answer(200, "", "ok")
}

#[test]
fn each_arrival_is_one_operation_on_a_connection_that_stays() {
    let server = Server::start(|_| ok());
    let mut plan = offered(&server, 200.0, 1.0);
    plan["load"]["ramp_down_s"] = json!(0.5);
    let outcome = run(plan);
    assert_eq!((total(&outcome, |w| w.arrived), failed(&outcome)), (300, 0));
    let numbers: BTreeMap<u32, String> = server
        .paths()
        .iter()
        .map(|path| path[5..].split_once('/').unwrap())
        .map(|(number, name)| (number.parse().unwrap(), name.to_string()))
        .collect();
    // The run's end may cut off the last ones, on a busy machine those of a long while.
    let sent = numbers.len();
    assert!(sent > 150 && sent <= 300 && server.requests().len() == sent, "{sent}");
    // Binomial, three of four: five deviations.
    let first = numbers.values().filter(|name| *name == "a").count() as f64;
    let (mean, deviation) = (0.75 * sent as f64, (0.1875 * sent as f64).sqrt());
    assert!((first - mean).abs() <= 5.0 * deviation, "{first} of {sent}");
    assert!(total(&outcome, |w| w.connects) <= 8 && total(&outcome, |w| w.reconnects) == 0);
    assert!(outcome.windows.iter().all(|window| window.sessions.is_empty()));
}

#[test]
fn agents_and_threads_share_the_arrivals_and_their_choices() {
    let seen = |slices: u32, threads: u32| {
        let server = Server::start(|_| ok());
        for index in 0..slices {
            let mut plan = offered(&server, 100.0, 1.0);
            plan["load"]["arrivals"] = json!("poisson");
            plan["load"]["ramp_down_s"] = json!(0.5);
            plan["slice"] = json!({"index": index, "of": slices});
            plan["load"]["threads"] = json!(threads);
            assert_eq!(failed(&run(plan)), 0);
        }
        let mut paths = server.paths();
        paths.sort();
        // What arrives at the very end may be cut off.
        paths.retain(|path| path[5..].split_once('/').unwrap().0.parse::<u32>().unwrap() < 80);
        paths
    };
    assert_eq!(seen(2, 2), seen(1, 1));
}

/// A server that stands still for a second holds up what arrives meanwhile: the first for the whole second, the
/// last hardly, those between evenly. A generator that waits for answers before it asks again sees a few late
/// ones instead.
#[test]
fn a_frozen_server_shows_as_an_even_ramp_of_response_times() {
    const FREEZE_S: f64 = 1.0;
    const RATE: f64 = 400.0;
    let Some(outcome) = steadily(|| {
        let first: Arc<OnceLock<Instant>> = Arc::default();
        let began = first.clone();
        let server = Server::start(move |_| {
            let origin = *began.get_or_init(Instant::now) + Duration::from_millis(500);
            let until = origin + Duration::from_secs_f64(FREEZE_S);
            if Instant::now() >= origin {
                std::thread::sleep(until.saturating_duration_since(Instant::now()));
            }
            ok()
        });
        run(offered(&server, RATE, 3.0))
    }) else {
        return;
    };
    let times = responses(&outcome);
    assert_eq!((failed(&outcome), total(&outcome, |w| w.turned_away)), (0, 0));
    // But for the connections' own, all of a second's arrivals had to wait.
    assert!(total(&outcome, |w| w.waited) as f64 > 0.9 * RATE * FREEZE_S);
    for share in [0.1, 0.3, 0.5, 0.7, 0.9] {
        let expected = RATE * FREEZE_S * (1.0 - share);
        let seen = over(&times, share * FREEZE_S * 1e6) as f64;
        // What had waited takes the server some milliseconds, each of which makes 0.4 later.
        assert!((seen - expected).abs() < 0.06 * RATE, "{seen} over {share}, expected {expected}");
    }
    // The time that operations lived is the sum of their response times: in the mean half a second each.
    let lived: f64 = outcome.windows.iter().map(|w| w.users_s).sum();
    assert!((lived / (RATE * FREEZE_S * FREEZE_S / 2.0) - 1.0).abs() < 0.2, "{lived}");
}

#[test]
fn what_finds_no_room_to_wait_is_dropped_and_neither_late_nor_failed() {
    let server = Server::start(|_| Reply::Silence);
    let mut plan = offered(&server, 100.0, 1.0);
    plan["load"]["connections"] = json!(2);
    plan["load"]["most_waiting"] = json!(10);
    plan["load"]["timeout_s"] = json!(20);
    plan["load"]["threads"] = json!(2);
    let outcome = run(plan);
    let last = outcome.windows.last().unwrap();
    assert_eq!((total(&outcome, |w| w.arrived), sum(&outcome, |one| one.ok), failed(&outcome)), (100, 0, 0));
    // The last arrival is due at the very end: a busy machine finds it then, which is no room to wait either.
    let turned_away = total(&outcome, |w| w.turned_away);
    assert!((87..=88).contains(&turned_away), "{turned_away}");
    assert_eq!(total(&outcome, |w| w.waited), 10);
    // Those that wait when the run ends are not sent either.
    assert_eq!((sum(&outcome, |one| one.dropped), last.in_flight, last.users), (98, 2, 12));
}

#[test]
fn who_has_waited_longest_is_first() {
    let server = Server::start(|_| {
        std::thread::sleep(Duration::from_millis(20));
        ok()
    });
    let mut plan = offered(&server, 100.0, 1.0);
    plan["load"]["connections"] = json!(1);
    run(plan);
    let numbers: Vec<u32> =
        server.paths().iter().map(|path| path[5..].split_once('/').unwrap().0.parse().unwrap()).collect();
    assert!(numbers.len() > 5 && numbers.is_sorted(), "{numbers:?}");
}

#[test]
fn a_server_that_refuses_costs_each_arrival_one_failure() {
    let server = Server::start(|seen| if seen.connection == 0 { ok() } else { Reply::Reset });
    let outcome = run(offered(&server, 100.0, 1.0));
    assert!(sum(&outcome, |one| one.ok) > 0);
    assert_eq!(total(&outcome, |w| w.arrived), 100);
}

#[test]
fn the_profile_changes_the_rate_and_a_change_by_hand_replaces_it() {
    let server = Server::start(|_| ok());
    let mut plan = offered(&server, 50.0, 4.0);
    plan["load"]["profile"] = json!([[1, 200], [2, 20]]);
    let outcome = run(plan.clone());
    let arrived: Vec<u64> = outcome.windows.iter().map(|w| w.arrived).collect();
    // A machine that stands still counts some a second late, none too early.
    let mut by_then = 0;
    for (seen, expected) in arrived.iter().zip([50, 250, 270, 290]) {
        by_then += seen;
        assert!(by_then <= expected + 1, "{arrived:?}");
    }
    assert_eq!(by_then, 290);
    let changed = Run::start(serde_json::from_value(plan).unwrap()).unwrap();
    assert!(changed.change(0.0, None).is_err() && changed.change(f64::NAN, None).is_err());
    let at = changed.change(100.0, Some(0.5)).unwrap();
    assert_eq!((at, total(&finish(&changed), |w| w.arrived)), (0.5, 25 + 350));
}

#[test]
fn users_join_and_leave_by_hand() {
    let server = Server::start(|_| ok());
    let mut plan = plan(server.port, 3.0, json!([operation("a", json!([get("/{user}", json!({}))]))]));
    plan["load"]["users"] = json!(3);
    plan["load"]["threads"] = json!(2);
    plan["load"]["profile"] = json!([[2, 1]]);
    let changed = Run::start(serde_json::from_value(plan).unwrap()).unwrap();
    assert!(changed.change(2.5, None).unwrap_err().contains("2.5 is no number of users"));
    changed.change(9.0, Some(0.7)).unwrap();
    changed.change(5.0, Some(1.7)).unwrap();
    let users: Vec<u32> = finish(&changed).windows.iter().map(|w| w.users).collect();
    assert_eq!(users, [9, 5, 5]);
    let mut seen: Vec<String> = server.paths();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 9, "each has a number of its own");
}

#[test]
fn too_few_connections_are_refused() {
    let server = Server::start(|_| ok());
    let mut plan = offered(&server, 10.0, 1.0);
    plan["load"]["threads"] = json!(9);
    let why = Run::start(serde_json::from_value(plan).unwrap()).unwrap_err();
    assert!(why.contains("8 are too few for 9 threads"), "{why}");
}

/// At this rate the next operation arrives within a millisecond: answers wait for it.
const OFTEN: f64 = 1_250.0;

#[test]
fn answers_wait_for_the_next_arrival_and_their_times_do_not_grow_by_that() {
    let Some(outcome) = steadily(|| {
        let server = Server::start(|_| ok());
        let mut plan = offered(&server, OFTEN, 2.0);
        plan["load"]["connections"] = json!(4);
        run(plan)
    }) else {
        return;
    };
    assert_eq!(failed(&outcome), 0);
    let (ok, later) = (sum(&outcome, |one| one.ok), outcome.summary.read_later);
    assert!(later > 0 && later <= ok, "{later} of {ok}");
    // Counted when they are read, hardly any would be shorter than the time between arrivals.
    let longer = over(&responses(&outcome), 0.9 * 1e6 / OFTEN);
    assert!(longer < ok / 2, "{longer} of {ok} took that long, {later} waited");
}

#[test]
fn what_leads_on_is_looked_at_as_it_comes() {
    for name in ["redirects", "ends", "large"] {
        let large = "x".repeat(100 << 10);
        let server = Server::start(move |request| match name {
            "redirects" if request.path != "/x" => answer(302, "Location: /x\r\n", ""),
            "ends" => answer(200, "Connection: close\r\n", "ok"),
            "large" => answer(200, "", &large),
            _ => ok(),
        });
        let outcome = run(offered(&server, OFTEN, 1.0));
        let (ok, later) = (sum(&outcome, |one| one.ok), outcome.summary.read_later);
        // Those that follow a standstill may wait, one on each of eight connections: they make the next tenth of
        // a second prompt, of which this run has ten.
        assert!(ok > 0 && later <= 8 * 11, "{name}: {later} of {ok}");
    }
    let server = Server::start(|_| ok());
    let outcome = run(offered(&server, 100.0, 1.0));
    let (ok, later) = (sum(&outcome, |one| one.ok), outcome.summary.read_later);
    // What a busy machine has read late may be close to the next arrival.
    assert!(ok > 0 && later <= ok / 2, "what arrives seldom is read at once: {later} of {ok}");
}
