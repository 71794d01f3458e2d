//! Steps that are repeated, taken under a condition, or that take too long.

mod support;

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value as Json, json};
use support::{Outcome, Reply, Server, answer, get, operation, page, plan, run};

/// So many operations `Op` of these steps, by one user.
fn visits(server: &Server, operations: u32, steps: Json, more: Json) -> Outcome {
    let mut op = operation("Op", steps);
    more.as_object().unwrap().iter().for_each(|(key, value)| op[key] = value.clone());
    let mut plan = plan(server.port, 60.0, json!([op]));
    plan["load"]["operations"] = json!(operations);
    plan["load"]["timeout_s"] = json!(30);
    plan["pacing"]["law"]["value_s"] = json!(0);
    run(plan)
}

fn paths(server: &Server) -> Vec<String> {
    server.requests().into_iter().map(|request| request.path).collect()
}

#[test]
fn a_step_is_taken_as_often_as_it_says() {
    let server = Server::start(|_| answer(200, "", "ok"));
    let again = json!({"times": [3, 3], "steps": 1});
    let steps = json!([get("/site/a", json!({})), get("/site/b", json!({"repeat": again}))]);
    let outcome = visits(&server, 2, steps, json!({}));
    assert_eq!((outcome.ok(0), outcome.failures()), (2, vec![]));
    assert_eq!(paths(&server), ["/site/a", "/site/b", "/site/b", "/site/b"].repeat(2));
    let timed: u64 = outcome
        .of(0)
        .flat_map(|o| &o.steps)
        .filter(|s| s.step == 1)
        .map(|s| s.answer.count.iter().sum::<u64>())
        .sum();
    assert_eq!(timed, 6, "each round is timed");
}

#[test]
fn rounds_within_rounds() {
    let server = Server::start(|_| answer(200, "", "ok"));
    let steps = json!([
        get("/a", json!({})),
        get("/b", json!({"repeat": {"times": [2, 2], "steps": 1}})),
        get("/c", json!({"repeat": {"times": [2, 2], "steps": 3}})),
    ]);
    assert_eq!(visits(&server, 1, steps, json!({})).ok(0), 1);
    assert_eq!(paths(&server), ["/a", "/b", "/b", "/c"].repeat(2));
}

#[test]
fn a_round_within_that_is_left_early_does_not_begin_the_outer_ones_anew() {
    let server = Server::start(|_| answer(200, "", "ok"));
    let flag = json!([{"name": "seen", "from": {"kind": "contains", "text": "ok"}}]);
    let steps = json!([
        get("/a", json!({"unset": ["seen"]})),
        get("/b", json!({"when": ["!seen"], "extract": flag, "repeat": {"times": [9, 9], "steps": 1}})),
        get("/c", json!({"repeat": {"times": [3, 3], "steps": 3}})),
    ]);
    assert_eq!(visits(&server, 1, steps, json!({})).ok(0), 1);
    assert_eq!(paths(&server), ["/a", "/b", "/c"].repeat(3));
}

#[test]
fn how_often_is_drawn_of_a_range() {
    let server = Server::start(|_| answer(200, "", "ok"));
    let steps = json!([get("/a", json!({})), get("/b", json!({"repeat": {"times": [1, 3], "steps": 1}}))]);
    assert_eq!(visits(&server, 60, steps, json!({})).ok(0), 60);
    let seen = paths(&server).join("");
    let rounds: Vec<usize> = seen.split("/a").skip(1).map(|rest| rest.matches("/b").count()).collect();
    for wanted in 1..=3 {
        // Each has a third of 60: fewer than 5 happen in one of 10^5 seeds.
        assert!(rounds.iter().filter(|found| **found == wanted).count() >= 5, "{wanted} of {rounds:?}");
    }
    assert!(rounds.iter().all(|found| (1..=3).contains(found)));
}

#[test]
fn pages_follow_while_there_is_a_next_one_and_no_longer_than_allowed() {
    let list = |last: u32| {
        Server::start(move |request| {
            let number: u32 = request.path.rsplit('/').next().unwrap().parse().unwrap();
            let next =
                if number < last { format!("<a rel=next href='{}'>", number + 1) } else { String::new() };
            page(&format!("<p>{number}</p>{next}"))
        })
    };
    for (last, asked) in [(4, 4), (1_000, 10)] {
        let server = list(last);
        let next = json!([{
            "name": "next", "default": "none",
            "from": {"kind": "css", "selector": "a[rel=next]", "attribute": "href"},
        }]);
        let first = get("/list/1", json!({"extract": next}));
        let further = get(
            "/list/{next}",
            json!({
                "extract": next, "when": ["{next} != none"],
                "repeat": {"times": [9, 9], "while": ["{next} != none"], "steps": 1},
            }),
        );
        let outcome = visits(&server, 1, json!([first, further]), json!({}));
        assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
        let expected: Vec<String> = (1..=asked).map(|number| format!("/list/{number}")).collect();
        assert_eq!(paths(&server), expected);
    }
}

#[test]
fn a_status_decides_what_follows() {
    let server = Server::start(|request| match request.path.as_str() {
        "/api" => answer(if request.field("authorization") == Some("Bearer 2") { 200 } else { 401 }, "", ""),
        _ => answer(200, "", "{\"token\": 2}"),
    });
    let token = json!([{"name": "token", "required": true, "from": {"kind": "json", "path": "$.token"}}]);
    let api = |more: Json| {
        let mut step = get("/api", json!({"headers": [["Authorization", "Bearer {token}"]]}));
        more.as_object().unwrap().iter().for_each(|(key, value)| step[key] = value.clone());
        step
    };
    let steps = json!([
        api(json!({"expect": {"status": [200, 401]}})),
        get("/token", json!({"when": ["{status} == 401"], "extract": token})),
        api(json!({"when": ["{status} == 200"]})),
    ]);
    let outcome = visits(&server, 2, steps, json!({}));
    assert_eq!((outcome.ok(0), outcome.failures()), (2, vec![]));
    assert_eq!(paths(&server), ["/api", "/token", "/api", "/api", "/api"]);
}

/// An API at /a and /b whose tokens are good for so many requests each; /token gives one.
fn refusing_after(uses: u32) -> Server {
    let left = AtomicU32::new(0);
    Server::start(move |request| match request.path.as_str() {
        "/token" => {
            left.store(uses, Ordering::SeqCst);
            answer(200, "", "{\"token\": 1}")
        }
        "/seed" => answer(200, "", "{}"),
        _ => match left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)) {
            Ok(_) => answer(200, "", "{\"right\": true}"),
            Err(_) => answer(401, "", "{\"right\": false}"),
        },
    })
}

/// A step whose answer must be right, and that is renewed by `count` steps from `first` on.
fn renewed(path: &str, (first, count): (u32, u32), more: Json) -> Json {
    let right = json!({"status": [200], "json": [["$.right", {"kind": "is", "text": "true"}]]});
    let mut step = get(path, json!({"expect": right, "renewal": [first, count]}));
    step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    step
}

#[test]
fn what_is_refused_is_renewed_and_asked_for_once_more() {
    let server = refusing_after(2);
    let steps = json!([
        renewed("/a", (2, 2), json!({})),
        renewed("/b", (2, 2), json!({})),
        get("/seed", json!({})),
        get("/token", json!({})),
    ]);
    let outcome = visits(&server, 2, steps, json!({"own": 2}));
    assert_eq!((outcome.ok(0), outcome.failures()), (2, vec![]));
    assert_eq!(paths(&server), ["/a", "/seed", "/token", "/a", "/b"].repeat(2));
    let timed = |step: u32| -> u64 {
        let of_step = outcome.of(0).flat_map(|o| &o.steps).filter(|s| s.step == step);
        of_step.map(|s| s.answer.count.iter().sum::<u64>()).sum()
    };
    assert_eq!([0, 1, 2, 3].map(timed), [4, 2, 2, 2], "what was refused took its time, too");
}

#[test]
fn each_round_is_renewed_by_itself() {
    let server = refusing_after(1);
    let steps = json!([
        get("/seed", json!({})),
        renewed("/a", (2, 1), json!({"repeat": {"times": [3, 3], "steps": 2}})),
        get("/token", json!({})),
    ]);
    assert_eq!(visits(&server, 1, steps, json!({"own": 2})).ok(0), 1);
    assert_eq!(paths(&server), ["/seed", "/a", "/token", "/a"].repeat(3));
}

#[test]
fn what_stays_refused_is_renewed_once() {
    let server = refusing_after(0);
    let steps = json!([renewed("/a", (1, 1), json!({})), get("/token", json!({}))]);
    let outcome = visits(&server, 1, steps, json!({"own": 1}));
    assert_eq!((outcome.ok(0), outcome.failures()), (0, vec![("status", 1)]));
    assert_eq!(outcome.summary.examples[0].said, "GET /a: status 401, expected 200");
    assert_eq!(paths(&server), ["/a", "/token", "/a"]);
}

#[test]
fn a_renewal_that_is_refused_fails() {
    let server = Server::start(|_| answer(401, "", ""));
    let steps = json!([renewed("/a", (1, 1), json!({})), get("/token", json!({}))]);
    // Twice: nothing of the first time is left.
    let outcome = visits(&server, 2, steps, json!({"own": 1}));
    assert_eq!((outcome.ok(0), outcome.failures()), (0, vec![("status", 2)]));
    assert_eq!(outcome.summary.examples[0].said, "GET /token: status 401, expected 200");
    assert_eq!(paths(&server), ["/a", "/token"].repeat(2));
}

#[test]
fn a_refusal_that_is_expected_and_other_failures_renew_nothing() {
    let server = Server::start(|request| answer(if request.path == "/a" { 401 } else { 403 }, "", ""));
    let expected = json!({"expect": {"status": [401]}});
    let steps =
        json!([renewed("/a", (2, 1), expected), renewed("/b", (2, 1), json!({})), get("/token", json!({})),]);
    let outcome = visits(&server, 1, steps, json!({"own": 2}));
    assert_eq!((outcome.ok(0), outcome.failures()), (0, vec![("status", 1)]));
    assert_eq!(paths(&server), ["/a", "/b"]);
}

#[test]
fn steps_that_renew_are_no_part_of_the_way() {
    let server = refusing_after(9);
    let steps = json!([get("/seed", json!({})), get("/token", json!({}))]);
    assert_eq!(visits(&server, 2, steps, json!({"own": 1})).ok(0), 2);
    assert_eq!(paths(&server), ["/seed", "/seed"]);
}

#[test]
fn what_takes_too_long_fails_by_the_time_out_of_its_step_or_operation() {
    let slow = || {
        Server::start(|request| match request.path.as_str() {
            "/slow" => Reply::Silence,
            _ => answer(200, "", "ok"),
        })
    };
    let failed = |outcome: &Outcome, said: &str| {
        assert_eq!((outcome.ok(0), outcome.failures()), (0, vec![("timeout", 1)]));
        assert!(outcome.summary.examples[0].said.ends_with(said), "{}", outcome.summary.examples[0].said);
        assert!(outcome.summary.ended_s < 20.0, "the load's own time-out is 30 s");
    };
    let outcome = visits(&slow(), 1, json!([get("/slow", json!({"timeout_s": 0.1}))]), json!({}));
    failed(&outcome, "no whole answer in time");
    let steps = json!([get("/", json!({"timeout_s": 25})), get("/slow", json!({}))]);
    failed(&visits(&slow(), 1, steps, json!({"timeout_s": 0.2})), "took longer than its `timeout_s`");
    // Each request is quick, and there are too many of them.
    let asked = AtomicU32::new(0);
    let endless = Server::start(move |_| {
        asked.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(std::time::Duration::from_millis(5));
        answer(200, "", "ok")
    });
    let steps = json!([get("/", json!({"repeat": {"times": [10_000, 10_000], "steps": 1}}))]);
    failed(&visits(&endless, 1, steps, json!({"timeout_s": 0.3})), "took longer than its `timeout_s`");
}

#[test]
fn a_page_that_takes_too_long_is_left_with_all_its_files() {
    for connections in [1, 6] {
        let server = Server::start(|request| match request.path.as_str() {
            "/" => page(&(0..8).map(|n| format!("<img src=/{n}.png>")).collect::<String>()),
            _ => Reply::Silence,
        });
        let mut op = operation("Op", json!([get("/", json!({"page": true}))]));
        op["timeout_s"] = json!(0.2);
        let mut plan = plan(server.port, 60.0, json!([op]));
        plan["browser"]["connections"] = json!(connections);
        plan["load"]["operations"] = json!(1);
        plan["load"]["timeout_s"] = json!(30);
        let outcome = run(plan);
        assert_eq!(outcome.failures(), vec![("timeout", 1)]);
        assert!(outcome.summary.ended_s < 20.0);
    }
}
