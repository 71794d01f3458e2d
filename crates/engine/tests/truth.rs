//! Times against the truth: what the server itself measured.

#[expect(dead_code, reason = "the tests of HTTP/2 use all of it")]
#[path = "http2/server.rs"]
mod http2;
mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use loadstone_stats::Histogram;
use serde_json::json;
use support::{Outcome, Reply, Server, answer, get, operation, plan, run, watched};

/// The share by which a time may differ from the truth on a machine without noise.
const TOLERANCE: f64 = 0.01;
/// How many times the noise that plain clients meet is allowed on top: the worst of as many requests differs
/// from one time to the next.
const NOISE: f64 = 3.0;
/// The rounds of a test. Most of them must agree: an engine that is wrong in 85 of 100 rounds passes in 3 of
/// 100 tests (at least three of five), one that is always wrong never.
const ROUNDS: usize = 5;

/// Requests that the server answers to each user; both sides have then measured the same ones when the run
/// ends.
const ANSWERED: usize = 6;
/// The engine's users, and as many plain clients beside them: the worst of fewer requests would be milder
/// than the engine's own on a busy machine.
const USERS: usize = 12;

/// One measurement at a time: they would disturb each other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A server that answers request `n` of a connection after `delay(n)`, and its own times.
fn timed(delay: fn(usize) -> Duration) -> (Server, Arc<Mutex<Histogram>>) {
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
    (server, truth)
}

/// Runs users against a timed server; its own times beside the engine's.
fn measured(delay: fn(usize) -> Duration) -> (Histogram, Outcome) {
    let (server, truth) = timed(delay);
    let mut plan = plan(server.port, 2.0, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["load"]["users"] = json!(USERS);
    let outcome = run(plan);
    assert_eq!(outcome.failures(), []);
    let truth = truth.lock().unwrap().clone();
    (truth, outcome)
}

/// The same by HTTP/2, each user on a connection of its own.
fn measured_by_http2(delay: fn(usize) -> Duration) -> (Histogram, Outcome) {
    let truth = Arc::new(Mutex::new(Histogram::new()));
    let times = truth.clone();
    let server = http2::Server::start(move |request| {
        if request.nth == ANSWERED {
            return http2::Reply::Send(Vec::new());
        }
        let at = Instant::now();
        std::thread::sleep(delay(request.nth));
        times.lock().unwrap().record(at.elapsed().as_micros() as u64);
        http2::Reply::Send(http2::ok(request))
    });
    let mut plan = plan(server.port, 2.0, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["load"]["users"] = json!(USERS);
    plan["target"]["http"] = json!("2");
    let outcome = run(plan);
    assert_eq!(outcome.failures(), []);
    assert_eq!(outcome.summary.http2.as_ref().unwrap().connections as usize, USERS);
    let truth = truth.lock().unwrap().clone();
    (truth, outcome)
}

/// The same with one thread a user, blocking calls and nothing else: what this machine adds to a time at this
/// moment.
fn measured_plainly(delay: fn(usize) -> Duration) -> (Histogram, Histogram) {
    let (server, truth) = timed(delay);
    let clients: Vec<_> = (0..USERS).map(|_| std::thread::spawn(move || plain_client(server.port))).collect();
    let mut found = Histogram::new();
    for us in clients.into_iter().flat_map(|client| client.join().unwrap()) {
        found.record(us);
    }
    let truth = truth.lock().unwrap().clone();
    (truth, found)
}

/// The times of a user's requests in µs.
fn plain_client(port: u16) -> Vec<u64> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_nodelay(true).unwrap();
    let mut answer = [0; 1024];
    let ask = |_| {
        let sent = Instant::now();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        assert!(stream.read(&mut answer).unwrap() > 0);
        let took = sent.elapsed();
        std::thread::sleep(Duration::from_millis(20));
        took.as_micros() as u64
    };
    (0..ANSWERED).map(ask).collect()
}

/// A time of the server's, and by which share the one that was found differs from it.
struct Difference {
    name: String,
    right_us: f64,
    share: f64,
}

/// What differs from the server's times at each of these shares of the requests, and in the mean.
fn differences(truth: &Histogram, found: &Histogram, shares: &[f64]) -> Vec<Difference> {
    let quantiles = shares.iter().map(|&q| (format!("p{}", q * 100.0), truth.quantile(q), found.quantile(q)));
    quantiles
        .chain([("mean".to_string(), truth.mean(), found.mean())])
        .map(|(name, right, found)| {
            let (right_us, found_us) = (right.unwrap(), found.unwrap());
            Difference { name, right_us, share: found_us / right_us - 1.0 }
        })
        .collect()
}

/// Measures until most of the rounds agree or disagree. A round is a list of what is wrong.
fn mostly(mut round: impl FnMut() -> Vec<String>) {
    let _guard = ONE_AT_A_TIME.lock();
    let mut wrong = Vec::new();
    let mut agreed = 0;
    while agreed <= ROUNDS / 2 {
        match round() {
            found if found.is_empty() => agreed += 1,
            found => wrong.push(found),
        }
        assert!(
            wrong.len() <= ROUNDS / 2,
            "wrong in {} of {}: {wrong:#?}",
            wrong.len(),
            agreed + wrong.len()
        );
    }
}

/// Response and service times at these shares must be the server's own.
fn agrees(
    measured: impl Fn(fn(usize) -> Duration) -> (Histogram, Outcome),
    delay: fn(usize) -> Duration,
    shares: &'static [f64],
) {
    mostly(|| {
        let plain = std::thread::spawn(move || measured_plainly(delay));
        let ((truth, outcome), standstill) = watched(|| measured(delay));
        let (plain_truth, plain_found) = plain.join().unwrap();
        let noise =
            differences(&plain_truth, &plain_found, shares).iter().map(|one| one.share).fold(0.0, f64::max);
        let (service, response) = (outcome.times(0, |o| &o.service), outcome.times(0, |o| &o.response));
        assert!(service.count() >= 60 && service.count() == response.count());
        // With think time nothing is late by itself: response and service differ by the engine's own lag
        // only.
        let mut found = differences(&truth, &service, shares);
        found.extend(differences(&truth, &response, shares));
        // The server's interval lies within the engine's: no noise makes the engine's shorter.
        let short: Vec<_> = found.iter().filter(|one| one.share < -TOLERANCE).map(|one| &one.name).collect();
        assert!(short.is_empty(), "shorter than the truth: {short:?}");
        // The engine's one thread stands still for all of its users, before a request and after the answer.
        let still_us = 2.0 * standstill.as_micros() as f64;
        let wrong = found.into_iter().filter_map(|Difference { name, right_us, share }| {
            let allowed = TOLERANCE + NOISE * noise + still_us / right_us;
            (share > allowed).then(|| format!("{name}: {share:+.4}, allowed {allowed:.4}"))
        });
        wrong.collect()
    });
}

#[test]
fn a_fixed_delay() {
    agrees(measured, |_| Duration::from_millis(200), &[0.01, 0.1, 0.5, 0.9, 0.99]);
}

#[test]
fn a_fixed_delay_by_http2() {
    agrees(measured_by_http2, |_| Duration::from_millis(200), &[0.01, 0.1, 0.5, 0.9, 0.99]);
}

#[test]
fn a_bimodal_delay() {
    // Quantiles on both sides of the step between the modes, at 2/3.
    agrees(
        measured,
        |n| Duration::from_millis(if n % 3 == 2 { 450 } else { 150 }),
        &[0.01, 0.1, 0.5, 0.9, 0.99],
    );
}

#[test]
fn a_stall_is_seen_in_full() {
    mostly(stalled);
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
