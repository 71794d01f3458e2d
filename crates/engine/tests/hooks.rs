//! Steps that call functions: what they are given, what becomes of what they return, and whose time it is.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use loadstone_engine::{Asked, Beginning, Functions, Run};
use loadstone_workload::Plan;
use serde_json::{Value as Json, json};
use support::{Outcome, Server, answer, finish, get, operation, page, plan, steadily};

type Deed = dyn Fn(&Asked<'_>) -> Result<Vec<Vec<u8>>, String> + Send + Sync;

/// One function.
struct Fake(Box<Deed>);

impl std::fmt::Debug for Fake {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Fake")
    }
}

impl Functions for Fake {
    fn call(&self, asked: &Asked<'_>, began: &mut Instant) -> Result<Vec<Vec<u8>>, String> {
        *began = Instant::now();
        (self.0)(asked)
    }
}

fn calling(mut plan: Json) -> Json {
    plan["functions"] = json!([{"name": "sign.py:sign", "file": "/sign.py", "sha256": "00"}]);
    plan
}

fn call(arguments: Json, answer: bool, returns: Json) -> Json {
    let call = json!({"function": 0, "arguments": arguments, "answer": answer, "returns": returns});
    json!({"method": "GET", "path": "/", "call": call})
}

fn begun(
    plan: Json,
    function: impl Fn(&Asked<'_>) -> Result<Vec<Vec<u8>>, String> + Send + Sync + 'static,
) -> Run {
    let plan = serde_json::from_value::<Plan>(calling(plan)).unwrap();
    let functions: Option<Arc<dyn Functions>> = Some(Arc::new(Fake(Box::new(function))));
    Run::begin(plan, Beginning { functions, ..Beginning::default() }).unwrap()
}

fn run(
    plan: Json,
    function: impl Fn(&Asked<'_>) -> Result<Vec<Vec<u8>>, String> + Send + Sync + 'static,
) -> Outcome {
    finish(&begun(plan, function))
}

/// Calls of the whole run: returned, failed.
fn calls(outcome: &Outcome) -> (u64, u64) {
    let all = outcome.windows.iter().flat_map(|window| &window.hooks);
    all.fold((0, 0), |(returned, failed), one| (returned + one.returned, failed + one.failed))
}

#[test]
fn it_is_given_values_and_the_latest_answer_and_what_it_returns_is_sent() {
    let server = Server::start(|request| match request.path.as_str() {
        "/nonce" => answer(200, "X-Kind: nonce\r\n", "n7"),
        _ => page("well"),
    });
    let steps = json!([
        get("/nonce", json!({})),
        call(json!([["who", "user {user}"]]), true, json!(["signature"])),
        get("/pay?s={signature}", json!({"expect": {"status": [200], "contains": ["well"]}})),
    ]);
    let mut plan = plan(server.port, 0.5, json!([operation("Pay", steps)]));
    plan["load"]["users"] = json!(3);
    let outcome = run(plan, |asked| {
        assert_eq!(
            (asked.parameters, asked.returns),
            (&["who".to_string()][..], &["signature".to_string()][..])
        );
        let (Some(found), who) = (&asked.answer, String::from_utf8_lossy(&asked.arguments[0])) else {
            return Err("no answer".into());
        };
        assert!(String::from_utf8_lossy(&found.head).contains("X-Kind: nonce") && found.status == 200);
        Ok(vec![format!("{who}+{}", String::from_utf8_lossy(&found.body)).into_bytes()])
    });
    assert!(outcome.ok(0) > 10 && outcome.failures().is_empty(), "{:?}", outcome.summary.examples);
    let paid: Vec<String> =
        server.requests().iter().map(|seen| seen.path.clone()).filter(|p| p.contains("pay")).collect();
    assert!(
        paid.iter().any(|path| path == "/pay?s=user%202%2Bn7" || path == "/pay?s=user+2%2Bn7"),
        "{paid:?}"
    );
    let (returned, failed) = calls(&outcome);
    assert!(returned >= outcome.ok(0) && failed == 0);
    let steps: Vec<u32> = outcome.of(0).flat_map(|one| &one.steps).map(|one| one.step).collect();
    assert!(
        steps.iter().all(|step| [0, 2].contains(step)),
        "a call is no part of the service's time: {steps:?}"
    );
}

#[test]
fn an_answer_is_kept_for_its_operation_only() {
    let server = Server::start(|_| page("x"));
    let calls_first = json!([call(json!([]), true, json!([])), get("/", json!({}))]);
    let outcome = run(plan(server.port, 0.3, json!([operation("A", calls_first)])), |asked| {
        if asked.answer.is_some() { Err("of an earlier operation".into()) } else { Ok(Vec::new()) }
    });
    assert!(outcome.ok(0) > 3 && outcome.failures().is_empty());
}

#[test]
fn its_time_is_no_response_time() {
    let outcome = steadily(|| {
        let server = Server::start(|_| page("x"));
        let steps = json!([get("/", json!({})), call(json!([]), false, json!([])), get("/", json!({}))]);
        run(plan(server.port, 1.0, json!([operation("A", steps)])), |_| {
            std::thread::sleep(Duration::from_millis(100));
            Ok(Vec::new())
        })
    });
    let Some(outcome) = outcome else { return };
    let median = |times: loadstone_stats::Histogram| times.quantile(0.5).unwrap_or_default();
    let (response, service) =
        (median(outcome.times(0, |o| &o.response)), median(outcome.times(0, |o| &o.service)));
    let called = median(outcome.times(0, |o| &o.called));
    assert!(outcome.ok(0) >= 3);
    assert!(response < 9e4 && service < 9e4 && called >= 9.9e4, "{response} {service} {called}");
    let took: u64 = outcome.windows.iter().flat_map(|w| &w.hooks).flat_map(|h| &h.took.count).sum();
    assert_eq!(took, calls(&outcome).0);
}

#[test]
fn the_first_byte_does_not_wait_for_a_call_before_it() {
    let server = Server::start(|_| page("x"));
    let steps = json!([call(json!([]), false, json!([])), get("/", json!({}))]);
    let outcome = run(plan(server.port, 1.0, json!([operation("A", steps)])), |_| {
        std::thread::sleep(Duration::from_millis(100));
        Ok(Vec::new())
    });
    let buckets = |times: loadstone_stats::Histogram| times.buckets().collect::<Vec<_>>();
    let first = buckets(outcome.times(0, |o| &o.first_byte));
    // The one answer came in one piece: its first byte is where the service time ends.
    assert!(!first.is_empty() && first == buckets(outcome.times(0, |o| &o.service)));
}

#[test]
fn a_failure_is_the_operations_and_the_run_goes_on() {
    let server = Server::start(|_| page("x"));
    let calls_ = json!([
        get("/", json!({})),
        call(json!([["n", "{user}"]]), false, json!(["v"])),
        get("/{v}", json!({}))
    ]);
    let operations = json!([operation("A", calls_), operation("B", json!([get("/b", json!({}))]))]);
    let count = AtomicUsize::new(0);
    let outcome =
        run(plan(server.port, 0.5, operations), move |_| match count.fetch_add(1, Ordering::Relaxed) % 2 {
            0 => Err("ValueError: the basket is empty".into()),
            _ => Ok(vec![b"v".to_vec()]),
        });
    let failures = outcome.failures();
    assert_eq!(failures.iter().map(|(cause, _)| *cause).collect::<Vec<_>>(), ["hook"]);
    assert!(outcome.ok(0) > 0 && outcome.ok(1) > 0);
    assert_eq!(calls(&outcome).1, failures[0].1);
    let example = &outcome.summary.examples[0];
    assert_eq!(example.said, "CALL sign.py:sign: ValueError: the basket is empty");
}

#[test]
fn one_that_does_not_return_is_a_timeout_and_holds_nobody_else_up() {
    let server = Server::start(|_| page("x"));
    let stuck = json!([get("/a", json!({})), {
        "method": "GET", "path": "/", "timeout_s": 0.2, "call": {"function": 0, "arguments": [], "returns": []}
    }]);
    let operations = json!([operation("A", stuck), operation("B", json!([get("/b", json!({}))]))]);
    let mut plan = plan(server.port, 1.5, operations);
    plan["load"]["users"] = json!(20);
    plan["session"]["first"] = json!("B");
    plan["mix"] = json!({"A": {"B": 1}, "B": {"A": 0.2, "B": 0.8}});
    // More users than there are threads that call: all of these are stuck soon.
    let run = begun(plan, |_| {
        std::thread::sleep(Duration::from_secs(20));
        Ok(Vec::new())
    });
    let began = Instant::now();
    let outcome = finish(&run);
    drop(run);
    assert!(began.elapsed() < Duration::from_secs(10), "nobody waits for them at the end");
    assert!(outcome.failures().iter().all(|(cause, count)| *cause == "timeout" && *count > 5));
    assert!(outcome.ok(1) > 100, "{}", outcome.ok(1));
    assert!(outcome.summary.examples[0].said.contains("sign.py:sign: the function did not return in time"));
}

#[test]
fn functions_that_wait_do_so_side_by_side() {
    let server = Server::start(|_| page("x"));
    let steps = json!([get("/", json!({})), call(json!([]), false, json!([]))]);
    let mut plan = plan(server.port, 1.5, json!([operation("A", steps)]));
    plan["load"]["users"] = json!(8);
    plan["pacing"]["law"]["value_s"] = json!(0);
    let outcome = run(plan, |_| {
        std::thread::sleep(Duration::from_millis(100));
        Ok(Vec::new())
    });
    // One after the other there would be 15.
    assert!(outcome.ok(0) > 40, "{}", outcome.ok(0));
}

#[test]
fn operations_at_a_rate_call_them_too() {
    let server = Server::start(|_| page("x"));
    let steps = json!([call(json!([["n", "{user}"]]), false, json!(["v"])), get("/{v}", json!({}))]);
    let mut plan = plan(server.port, 1.0, json!([operation("A", steps)]));
    plan["load"] = json!({"requests_per_s": 100, "connections": 4, "ramp_up_s": 0, "steady_s": 1.0,
        "ramp_down_s": 0, "timeout_s": 5, "threads": 2});
    let outcome = run(plan, |asked| Ok(vec![asked.arguments[0].clone()]));
    assert!(outcome.ok(0) > 80 && outcome.failures().is_empty());
    let mut paths: Vec<u64> =
        server.requests().iter().map(|seen| seen.path.trim_start_matches('/').parse().unwrap()).collect();
    paths.sort_unstable();
    paths.dedup();
    assert!(paths.len() as u64 >= outcome.ok(0), "each arrival has a number of its own");
}

#[test]
fn a_walk_shows_its_calls() {
    let server = Server::start(|_| page("x"));
    let steps =
        json!([call(json!([["n", "7"], ["m", "{user}"]]), false, json!(["v"])), get("/{v}", json!({}))]);
    let mut plan = plan(server.port, 30.0, json!([operation("A", steps)]));
    plan["load"]["operations"] = json!(2);
    let plan = serde_json::from_value::<Plan>(calling(plan)).unwrap();
    let failing = AtomicUsize::new(0);
    let fake = Fake(Box::new(move |_| match failing.fetch_add(1, Ordering::Relaxed) {
        0 => Ok(vec![b"w".to_vec()]),
        _ => Err("KeyError: 'x' (sign.py, line 3)".into()),
    }));
    let functions: Option<Arc<dyn Functions>> = Some(Arc::new(fake));
    let run = Run::begin(plan, Beginning { traced: true, functions, ..Beginning::default() }).unwrap();
    while run.summary().is_none() {
        run.next(Duration::from_millis(20));
    }
    let all = run.exchanges();
    let told: Vec<_> = all.iter().map(|one| (one.request.as_str(), one.outcome)).collect();
    let asked = "CALL sign.py:sign\r\n\r\nn=7, m=0";
    assert_eq!((told[0], told.len()), ((asked, "done"), 3));
    assert_eq!(all[0].remembered.values["v"], "w");
    assert_eq!((told[2], all[2].cause), ((asked, "failed"), Some("hook")));
    assert_eq!(all[2].said.as_deref(), Some("KeyError: 'x' (sign.py, line 3)"));
}

#[test]
fn a_plan_that_calls_needs_somebody_who_does() {
    let steps = json!([call(json!([]), false, json!([])), get("/", json!({}))]);
    let plan = calling(plan(1, 1.0, json!([operation("A", steps)])));
    let why = Run::start(serde_json::from_value(plan).unwrap()).unwrap_err();
    assert!(why.contains("nobody here has them"), "{why}");
}
