//! Times against the truth: what the server itself measured.

mod support;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use loadstone_stats::Histogram;
use serde_json::json;
use support::{Outcome, Reply, Server, answer, get, operation, plan, run};

/// The share by which a time may differ from the truth.
const TOLERANCE: f64 = 0.01;
/// A busy machine spoils a measurement; no number of attempts makes a wrong engine right.
const ATTEMPTS: usize = 20;

/// Requests that the server answers to each user; both sides have then measured the same ones when the run ends.
const ANSWERED: usize = 6;

/// One measurement at a time: they would disturb each other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs users against a server that answers request `n` of a connection after `delay(n)`; its own times beside the engine's.
fn measured(delay: fn(usize) -> Duration) -> (Histogram, Outcome) {
    let truth = Arc::new(Mutex::new(Histogram::new()));
    let times = truth.clone();
    let server = Server::start(move |request| {
        if request.nth == ANSWERED {
            return Reply::Silence;
        }
        std::thread::sleep(delay(request.nth));
        times.lock().unwrap().record(request.at.elapsed().as_micros() as u64);
        answer(200, "", "ok")
    });
    let mut plan = plan(server.port, 2.0, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["load"]["users"] = json!(12);
    let outcome = run(plan);
    assert_eq!(outcome.failures(), []);
    let truth = truth.lock().unwrap().clone();
    (truth, outcome)
}

/// The quantiles that differ by more than the tolerance, and the mean if it does.
fn disagreements(truth: &Histogram, found: &Histogram, shares: &[f64]) -> Vec<String> {
    let quantiles = shares.iter().map(|&q| (format!("p{}", q * 100.0), truth.quantile(q), found.quantile(q)));
    quantiles
        .chain([("mean".to_string(), truth.mean(), found.mean())])
        .map(|(name, right, found)| (name, right.unwrap(), found.unwrap()))
        .filter(|(_, right, found)| (found / right - 1.0).abs() > TOLERANCE)
        .map(|(name, right, found)| format!("{name}: {found} µs instead of {right} µs"))
        .collect()
}

/// Measures until nothing disagrees.
fn eventually(mut disagreements: impl FnMut() -> Vec<String>) {
    let _guard = ONE_AT_A_TIME.lock();
    let mut last = Vec::new();
    for _ in 0..ATTEMPTS {
        last = disagreements();
        if last.is_empty() {
            return;
        }
    }
    panic!("{last:?}");
}

/// Response and service times at these shares must be the server's own.
fn agrees(delay: fn(usize) -> Duration, shares: &[f64]) {
    eventually(|| {
        let (truth, outcome) = measured(delay);
        let (service, response) = (outcome.times(0, |o| &o.service), outcome.times(0, |o| &o.response));
        assert!(service.count() >= 60 && service.count() == response.count());
        let mut found = disagreements(&truth, &service, shares);
        // With think time nothing is late by itself: response and service differ by the engine's own lag only.
        found.extend(disagreements(&truth, &response, shares));
        found
    });
}

#[test]
fn a_fixed_delay() {
    agrees(|_| Duration::from_millis(200), &[0.01, 0.1, 0.5, 0.9, 0.99]);
}

#[test]
fn a_bimodal_delay() {
    // Quantiles on both sides of the step between the modes, at 2/3.
    agrees(|n| Duration::from_millis(if n % 3 == 2 { 450 } else { 150 }), &[0.01, 0.1, 0.5, 0.9, 0.99]);
}

#[test]
fn a_stall_is_seen_in_full() {
    eventually(stalled);
}

/// What is wrong with the times of a run through a stall of the server.
fn stalled() -> Vec<String> {
    let began = Instant::now();
    let truth = Arc::new(Mutex::new(Histogram::new()));
    let times = truth.clone();
    let server = Server::start(move |request| {
        // Nothing is answered in the second from 0.7 s to 1.7 s.
        let since = began.elapsed().as_secs_f64();
        if (0.7..1.7).contains(&since) {
            std::thread::sleep(Duration::from_secs_f64(1.7 - since));
        }
        times.lock().unwrap().record(request.at.elapsed().as_micros() as u64);
        answer(200, "", "ok")
    });
    let mut plan = plan(server.port, 2.2, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["load"]["users"] = json!(10);
    plan["pacing"] = json!({"kind": "cycle", "law": {"kind": "fixed", "value_s": 0.05}});
    let outcome = run(plan);
    let near_second = loadstone_stats::bucket_of(890_000);
    let over =
        |times: &Histogram| times.buckets().filter(|(b, _)| *b > near_second).map(|(_, n)| n).sum::<u64>();
    let seen = [
        // The operation that met the stall, and the one that should have begun meanwhile and waited for it.
        ("response", 20, over(&outcome.times(0, |o| &o.response))),
        ("service", 10, over(&outcome.times(0, |o| &o.service))),
        ("lag", 10, over(&outcome.times(0, |o| &o.lag))),
    ];
    let wrong = seen.iter().filter(|(_, expected, found)| expected != found).map(|one| format!("{one:?}"));
    let [right, found] =
        [truth.lock().unwrap().clone(), outcome.times(0, |o| &o.service)].map(|t| t.quantile(1.0).unwrap());
    let longest = (found < right || found >= right * 1.03).then(|| format!("longest: {found} of {right} µs"));
    wrong.chain(longest).collect()
}
