//! Where the time of an operation goes: its steps, and the files of its pages.

mod support;

use std::time::Duration;

use loadstone_engine::{Sparse, StepWindow};
use loadstone_stats::{Histogram, bucket_of};
use serde_json::json;
use support::{Outcome, Reply, Server, answer, get, operation, page, plan, run};

fn slowly(ms: u64, reply: Reply) -> Reply {
    std::thread::sleep(Duration::from_millis(ms));
    reply
}

/// The times of one step over all windows and phases.
fn times(outcome: &Outcome, step: u32, part: fn(&StepWindow) -> &Sparse) -> Histogram {
    let mut times = Histogram::new();
    for sparse in outcome.of(0).flat_map(|o| &o.steps).filter(|s| s.step == step).map(part) {
        sparse.bucket.iter().zip(&sparse.count).for_each(|(b, n)| times.add(*b as usize, *n));
    }
    times
}

fn least(times: &Histogram) -> usize {
    times.buckets().map(|(bucket, _)| bucket).min().unwrap()
}

#[test]
fn each_step_and_the_files_of_a_page_have_their_own_time() {
    let server = Server::start(|r| match r.path.as_str() {
        "/" => slowly(20, answer(302, "Location: /home\r\n", "")),
        "/home" => page("<img src=/a.png><img src=/b.png>"),
        "/ajax" => slowly(60, answer(200, "", "{}")),
        _ => slowly(15, answer(200, "", "x")),
    });
    let home = get("/", json!({"page": true, "forget": true}));
    let steps = json!([home, get("/never", json!({"chance": 0})), get("/ajax", json!({}))]);
    let outcome = run(plan(server.port, 1.5, json!([operation("op", steps)])));
    assert_eq!(outcome.failures(), []);
    let (answered, files) = (times(&outcome, 0, |s| &s.answer), times(&outcome, 0, |s| &s.files));
    let ajax = times(&outcome, 2, |s| &s.answer);
    assert!(outcome.ok(0) > 1);
    for part in [&answered, &files, &ajax] {
        assert_eq!(part.count(), outcome.ok(0));
    }
    assert!(least(&answered) >= bucket_of(20_000), "with the redirect");
    assert!(least(&files) >= bucket_of(30_000), "both images");
    assert!(least(&ajax) >= bucket_of(60_000));
    assert_eq!(times(&outcome, 1, |s| &s.answer).count(), 0, "it was never taken");
    assert_eq!(times(&outcome, 2, |s| &s.files).count(), 0, "it is no page");
    let service = outcome.times(0, |o| &o.service).mean().unwrap();
    let parts: f64 = [answered, files, ajax].iter().map(|part| part.mean().unwrap()).sum();
    assert!((parts / service - 1.0).abs() < 2e-3, "nothing is between them: {parts} of {service} µs");
}

#[test]
fn only_right_operations_of_several_parts_have_steps() {
    let server = Server::start(|r| answer(if r.path == "/wrong" { 500 } else { 200 }, "", ""));
    let fails = operation("fails", json!([get("/", json!({})), get("/wrong", json!({}))]));
    let single = operation("single", json!([get("/", json!({}))]));
    let outcome = run(plan(server.port, 1.0, json!([fails, single])));
    assert!(outcome.ok(1) > 0);
    assert!(outcome.windows.iter().flat_map(|w| &w.operations).all(|o| o.steps.is_empty()));
}
