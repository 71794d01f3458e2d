//! When operations begin, which ones, and who runs them.

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use loadstone_stats::wilson;
use serde_json::{Value as Json, json};
use support::{Reply, Server, answer, get, operation, plan, run, steadily};

fn quick_server() -> Server {
    Server::start(|_| answer(200, "", "ok"))
}

/// A server that takes so many milliseconds for each request.
fn slow_server(ms: u64) -> Server {
    Server::start(move |_| {
        std::thread::sleep(Duration::from_millis(ms));
        answer(200, "", "ok")
    })
}

fn one_operation(server: &Server, users: u32, steady_s: f64, pacing: Json) -> Json {
    let mut plan = plan(server.port, steady_s, json!([operation("op", json!([get("/{user}", json!({}))]))]));
    plan["load"]["users"] = json!(users);
    plan["pacing"] = pacing;
    plan
}

fn cycle(seconds: f64) -> Json {
    json!({"kind": "cycle", "law": {"kind": "fixed", "value_s": seconds}})
}

#[test]
fn the_mean_cycle_is_the_expected_one() {
    let server = quick_server();
    let pacing = json!({"kind": "cycle", "law": {"kind": "uniform", "low_s": 0.02, "high_s": 0.06}});
    let outcome = run(one_operation(&server, 60, 2.0, pacing));
    let pace = outcome.times(0, |o| &o.pace);
    let count = pace.count() as f64;
    assert!(count > 200.0, "{count}");
    // A cycle is what was drawn plus what the start was late; a busy machine adds to the lateness only.
    let drawn = pace.mean().unwrap() - outcome.times(0, |o| &o.lag).mean().unwrap();
    // Five standard errors of a uniform law whose deviation is 29 % of its mean.
    assert!((drawn / 40_000.0 - 1.0).abs() < 5.0 * 0.29 / count.sqrt(), "{drawn}");
}

#[test]
fn the_mix_is_the_stationary_one() {
    let server = quick_server();
    let operations = ["a", "b", "c"].map(|name| operation(name, json!([get("/", json!({}))])));
    let mut plan = plan(server.port, 1.0, json!(operations));
    plan["load"]["users"] = json!(20);
    plan["pacing"]["law"]["value_s"] = json!(0.005);
    plan["mix"] = json!({"a": {"b": 0.7, "c": 0.3}, "b": {"a": 0.5, "c": 0.25, "end": 0.25}, "c": {"a": 0.4, "b": 0.6}});
    let expected = loadstone_workload::expectations(&serde_json::from_value(plan.clone()).unwrap()).unwrap();
    let outcome = run(plan);
    let total: u64 = (0..3).map(|i| outcome.ok(i)).sum();
    assert!(total > 50, "{total}");
    for (index, name) in ["a", "b", "c"].iter().enumerate() {
        let share = wilson(outcome.ok(index as u32), total, 0.999_999);
        assert!((share.low..share.high).contains(&expected.mix[*name]), "{name}: {share:?}");
    }
}

#[test]
fn the_walk_depends_on_the_seed_alone() {
    // Failures cut operations short and leave chances undrawn; what the user does next, and when, stays the
    // same.
    let walk = |seed: u64, fails: fn(usize) -> bool| {
        let server = Server::start(move |r| answer(if fails(r.nth) { 500 } else { 200 }, "", ""));
        let operations = ["a", "b", "c"].map(|name| {
            operation(
                name,
                json!([get(&format!("/{name}"), json!({})), get("/more", json!({"chance": 0.5}))]),
            )
        });
        let mut plan = plan(server.port, 2.0, json!(operations));
        plan["seed"] = json!(seed);
        plan["pacing"]["law"] = json!({"kind": "uniform", "low_s": 0.002, "high_s": 0.006});
        let row = json!({"a": 0.3, "b": 0.3, "c": 0.4});
        plan["mix"] = json!({"a": row, "b": row, "c": row});
        run(plan);
        let mut paths = server.paths();
        paths.retain(|path| path != "GET /more");
        paths.truncate(25);
        assert_eq!(paths.len(), 25);
        paths
    };
    assert_eq!(walk(1, |_| false), walk(1, |nth| nth % 3 == 0));
    assert_ne!(walk(1, |_| false), walk(2, |_| false));
}

#[test]
fn users_are_thinking_or_waiting() {
    let pacing = json!({"kind": "think", "law": {"kind": "fixed", "value_s": 0.03}});
    let Some(outcome) = steadily(|| run(one_operation(&slow_server(20), 12, 1.2, pacing.clone()))) else {
        return;
    };
    // Little's law with the measured times: users = throughput x (service + think).
    let in_system =
        outcome.times(0, |o| &o.service).mean().unwrap() + outcome.times(0, |o| &o.pace).mean().unwrap();
    let users = outcome.ok(0) as f64 / 1.2 * in_system / 1e6;
    assert!((users / 12.0 - 1.0).abs() < 0.05, "{users}");
}

#[test]
fn a_late_operation_starts_at_once_and_counts_from_its_intended_start() {
    let Some(outcome) = steadily(|| run(one_operation(&slow_server(150), 4, 1.0, cycle(0.1)))) else {
        return;
    };
    let median_ms = |times: loadstone_stats::Histogram| times.quantile(0.5).unwrap() / 1e3;
    // A busy server takes longer than it was told; everything else follows from what it took.
    let service_ms = median_ms(outcome.times(0, |o| &o.service));
    let lag_ms = median_ms(outcome.times(0, |o| &o.lag));
    assert!(service_ms >= 150.0, "{service_ms} ms");
    for (name, found, expected) in [
        ("lag", lag_ms, service_ms - 100.0),
        ("response", median_ms(outcome.times(0, |o| &o.response)), service_ms + lag_ms),
        ("pace", median_ms(outcome.times(0, |o| &o.pace)), service_ms),
    ] {
        assert!((found / expected - 1.0).abs() < 0.15, "{name}: {found} ms instead of {expected} ms");
    }
}

#[test]
fn what_busy_users_should_have_begun_is_dropped() {
    let Some(outcome) = steadily(|| {
        let server = Server::start(|r| if r.nth < 3 { answer(200, "", "ok") } else { Reply::Silence });
        let mut plan = one_operation(&server, 3, 0.8, cycle(0.1));
        plan["load"]["ramp_down_s"] = json!(0.3);
        plan["load"]["timeout_s"] = json!(60);
        run(plan)
    }) else {
        return;
    };
    let dropped = |phase: u8| outcome.of(0).filter(|o| o.phase == phase).map(|o| o.dropped).sum::<u64>();
    assert_eq!((dropped(0), dropped(1), dropped(2)), (0, 3, 0), "one a user, in the span it was intended in");
    assert_eq!(
        (outcome.ok(0), outcome.failures()),
        (9, vec![]),
        "what is under way at the end is neither right nor wrong"
    );
    assert_eq!(outcome.windows.last().unwrap().in_flight, 3);
}

#[test]
fn the_first_operation_is_timed_like_all_others() {
    let outcome = run(one_operation(&slow_server(100), 1, 1.5, cycle(0.2)));
    let service_ms = outcome.times(0, |o| &o.service).mean().unwrap() / 1e3;
    assert!(service_ms >= 100.0, "{service_ms} ms");
}

#[test]
fn a_ramp_up_adds_users_evenly() {
    let Some(outcome) = steadily(|| {
        let mut plan = one_operation(&quick_server(), 10, 0.9, cycle(0.05));
        plan["load"]["ramp_up_s"] = json!(2.1);
        run(plan)
    }) else {
        return;
    };
    let users: Vec<_> = outcome.windows.iter().map(|w| w.users).collect();
    assert_eq!(users, [5, 10, 10]);
}

#[test]
fn a_ramp_up_never_loads_more_than_the_steady_state() {
    const USERS: u64 = 400;
    let Some(outcome) = steadily(|| {
        let mut plan = one_operation(&quick_server(), USERS as u32, 1.0, cycle(1.0));
        plan["load"]["ramp_up_s"] = json!(1);
        run(plan)
    }) else {
        return;
    };
    let begun = |phase: u8| outcome.of(0).filter(|o| o.phase == phase).map(|o| o.ok).sum::<u64>();
    // A user that comes at s of the ramp-up has its first operation anywhere in [s, s + 1]: half of them in
    // the ramp-up, where all would be if they began as they came. Those that straddle its end began in it,
    // too. Five standard deviations.
    let share = wilson(begun(0) + begun(2), USERS, 0.999_999_4);
    assert!((share.low..share.high).contains(&0.5), "{share:?}");
    // Whoever repeats every second begins once in the steady second; the last are still under way at its end.
    assert!((USERS * 9 / 10..=USERS).contains(&begun(1)), "{}", begun(1));
}

#[test]
fn phases_follow_the_spans() {
    let Some(outcome) = steadily(|| {
        let mut plan = one_operation(&quick_server(), 2, 0.5, cycle(0.05));
        plan["load"]["ramp_up_s"] = json!(0.5);
        plan["load"]["ramp_down_s"] = json!(0.3);
        run(plan)
    }) else {
        return;
    };
    let ok = |phase: u8| outcome.of(0).filter(|o| o.phase == phase).map(|o| o.ok).sum::<u64>();
    // The second user starts half-way through the ramp-up: 10 + 5, then 20, then 12.
    assert!(
        ok(0).abs_diff(15) <= 3 && ok(1).abs_diff(20) <= 3 && ok(2).abs_diff(12) <= 4,
        "{} {} {}",
        ok(0),
        ok(1),
        ok(2)
    );
    assert_eq!(outcome.summary.ended_s, 1.3);
}

#[test]
fn a_profile_starts_and_stops_users() {
    let server = quick_server();
    let mut plan = one_operation(&server, 2, 2.2, cycle(0.05));
    plan["load"]["profile"] = json!([[0.5, 5], [1.5, 1]]);
    let outcome = run(plan);
    let users: Vec<_> = outcome.windows.iter().map(|w| (w.users, w.connections)).collect();
    assert_eq!(users, [(5, 5), (1, 1), (1, 1)]);
    let late: BTreeSet<_> = server.requests().iter().rev().take(4).map(|r| r.path.clone()).collect();
    assert_eq!(late, BTreeSet::from(["/0".to_string()]), "the first users stay");
}

#[test]
fn agents_and_threads_run_disjoint_users() {
    let mut all = Vec::new();
    for index in 0..2 {
        let server = quick_server();
        let mut plan = one_operation(&server, 7, 1.5, cycle(0.1));
        plan["slice"] = json!({"index": index, "of": 2});
        plan["load"]["threads"] = json!(2);
        run(plan);
        all.extend(server.paths().into_iter().collect::<BTreeSet<_>>());
    }
    all.sort();
    let expected: Vec<_> = (0..7).map(|user| format!("GET /{user}")).collect();
    assert_eq!(all, expected);
}

#[test]
fn a_new_session_is_a_new_client() {
    let server = Server::start(|r| {
        assert_eq!(r.field("cookie"), None);
        answer(200, "Set-Cookie: s=1\r\n", "ok")
    });
    let mut plan = one_operation(&server, 1, 0.3, cycle(0.02));
    plan["mix"] = json!({"op": {"end": 1}});
    let outcome = run(plan);
    assert_eq!(outcome.failures(), []);
    let connects = outcome.windows.iter().map(|w| w.connects).sum::<u64>();
    let answered = outcome.ok(0);
    // The last client may have connected when the run ended, and waited for its answer.
    assert!(answered >= 1 && (answered..=answered + 1).contains(&connects), "{connects} for {answered}");
}

#[test]
fn an_operation_without_a_step_to_take_does_not_spin() {
    let server = quick_server();
    let steps =
        json!([get("/", json!({"when": ["never"]})), get("/", json!({"when": ["never"], "set": ["never"]}))]);
    let operations = json!([operation("nothing", steps), operation("b", json!([get("/b", json!({}))]))]);
    let mut plan = plan(server.port, 1.0, operations);
    plan["pacing"]["law"]["value_s"] = json!(0);
    let outcome = run(plan);
    assert!(outcome.ok(0) > 2 && outcome.ok(0).abs_diff(outcome.ok(1)) <= 1);
}

/// A page of three images with a pause before each.
fn paused_page(server: &Server) -> Json {
    let steps = json!([get("/", json!({"page": true}))]);
    let mut plan = plan(server.port, 1.5, json!([operation("op", steps)]));
    plan["browser"]["pause"] = json!({"kind": "fixed", "value_s": 0.05});
    plan["mix"] = json!({"op": {"end": 1}});
    plan
}

const THREE_IMAGES: &str = "<img src=/1><img src=/2><img src=/3>";

#[test]
fn a_browser_pauses_before_each_file_of_a_page() {
    let server =
        Server::start(|r| if r.path == "/" { support::page(THREE_IMAGES) } else { answer(200, "", "x") });
    let outcome = run(paused_page(&server));
    assert!(outcome.ok(0) >= 1);
    assert_eq!(outcome.failures(), []);
    assert_eq!(outcome.counter(0, "images"), 3 * outcome.ok(0));
    assert!(outcome.times(0, |o| &o.response).mean().unwrap() >= 150_000.0);
}

#[test]
fn a_connection_that_ends_in_a_pause_is_made_anew() {
    let server = Server::start(|r| {
        let body = if r.path == "/" { THREE_IMAGES } else { "x" };
        let length = body.len();
        Reply::SendAndClose(format!("HTTP/1.1 200 X\r\nContent-Length: {length}\r\n\r\n{body}").into_bytes())
    });
    let outcome = run(paused_page(&server));
    assert!(outcome.ok(0) >= 1);
    assert_eq!(outcome.failures(), []);
    assert_eq!(outcome.counter(0, "images"), 3 * outcome.ok(0));
}
