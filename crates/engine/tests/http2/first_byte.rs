//! When answers begin to come, each on its own stream.

use std::time::Duration;

use loadstone_engine::{OperationWindow, Sparse};
use serde_json::json;

use crate::one;
use crate::server::{Reply, Server, answer, ok, slowly};
use crate::support::{Outcome, get, run};

const PAUSE: Duration = Duration::from_millis(200);

fn count(sparse: &Sparse) -> u64 {
    sparse.count.iter().sum()
}

fn ms(outcome: &Outcome, share: f64, kind: fn(&OperationWindow) -> &Sparse) -> f64 {
    outcome.times(0, kind).quantile(share).unwrap() / 1e3
}

#[test]
fn it_is_that_of_the_head() {
    let server = Server::start(|request| slowly(request, PAUSE, &[], "ok"));
    let outcome = run(one(server.port, 5, get("/", json!({}))));
    assert_eq!((outcome.ok(0), outcome.times(0, |o| &o.first_byte).count()), (5, 5));
    assert!(ms(&outcome, 0.0, |o| &o.first_byte) < 200.0);
    assert!(ms(&outcome, 0.0, |o| &o.service) >= 200.0);
}

/// Files at once have streams of their own, and say nothing of when the page began.
#[test]
fn that_of_a_page_is_its_own() {
    let server = Server::start(|request| match request.path() {
        "/" => Reply::Send(answer(request, 302, &[("location", "/page")], "")),
        "/page" => {
            let html = [("content-type", "text/html")];
            slowly(request, PAUSE, &html, "<!doctype html><img src=/a.png><img src=/b.png>")
        }
        _ => Reply::After(PAUSE, ok(request)),
    });
    let mut plan = one(server.port, 5, get("/", json!({"page": true})));
    // Each session fetches the images anew.
    plan["session"]["max_operations"] = json!(1);
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (5, vec![]));
    assert!(ms(&outcome, 0.0, |o| &o.first_byte) < 200.0);
    let steps: Vec<_> = outcome.of(0).flat_map(|o| &o.steps).collect();
    let counts = |part: fn(&loadstone_engine::StepWindow) -> &Sparse| -> u64 {
        steps.iter().map(|step| count(part(step))).sum()
    };
    assert_eq!((counts(|s| &s.first_byte), counts(|s| &s.answer), counts(|s| &s.files)), (5, 5, 5));
    let least = |part: fn(&loadstone_engine::StepWindow) -> &Sparse| {
        steps.iter().filter_map(|step| part(step).bucket.first().copied()).min().unwrap()
    };
    assert!(least(|s| &s.answer) > least(|s| &s.first_byte));
}
