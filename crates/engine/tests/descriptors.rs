//! Too few open files: refused before the start, told when it happens later.
//! A test binary of its own, because the limit is the process's and cannot be raised again.

mod support;

use std::fs::File;
use std::net::TcpListener;
use std::sync::Mutex;

use loadstone_engine::Run;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value as Json, json};
use support::{finish, get, operation, page, plan};

const HARD: u64 = 1_000;

/// The limit is shared by the tests.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn limit_to(soft: u64) {
    let limit = Rlimit { current: Some(soft), maximum: Some(HARD) };
    setrlimit(Resource::Nofile, limit).unwrap();
}

fn plan_of(users: u32, port: u16) -> Json {
    let mut plan = plan(port, 0.5, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["load"]["users"] = json!(users);
    plan
}

#[test]
fn the_soft_limit_is_raised() {
    let _guard = ONE_AT_A_TIME.lock();
    let server = support::Server::start(|_| page(""));
    limit_to(50);
    let run = Run::start(serde_json::from_value(plan_of(100, server.port)).unwrap()).unwrap();
    assert_eq!(getrlimit(Resource::Nofile).current, Some(HARD));
    let outcome = finish(&run);
    assert_eq!((outcome.failures(), outcome.windows[0].connections), (vec![], 100));
}

#[test]
fn more_users_than_files_are_refused_with_the_numbers() {
    let _guard = ONE_AT_A_TIME.lock();
    limit_to(50);
    let why = Run::start(serde_json::from_value(plan_of(990, 1)).unwrap()).unwrap_err();
    assert!(why.starts_with("990 users need 1") && why.contains("the system allows 1000"), "{why}");
    let most: u32 = why.split("at most ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((800..940).contains(&most), "{why}");
    assert!(Run::start(serde_json::from_value(plan_of(most - 5, 1)).unwrap()).is_ok(), "the advice holds");
}

#[test]
fn sessions_for_which_no_file_is_left_are_dropped() {
    let _guard = ONE_AT_A_TIME.lock();
    limit_to(HARD);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut plan = plan_of(0, silent.local_addr().unwrap().port());
    plan["load"]["sessions_per_s"] = json!(2_400);
    let outcome = finish(&Run::start(serde_json::from_value(plan).unwrap()).unwrap());
    let sum = |of: fn(&loadstone_engine::SessionWindow) -> u64| -> u64 {
        outcome.windows.iter().flat_map(|w| &w.sessions).map(of).sum()
    };
    let (begun, dropped) = (sum(|s| s.begun), sum(|s| s.dropped));
    assert_eq!((begun + dropped, outcome.failures()), (1_200, vec![]));
    assert!((800..HARD).contains(&begun), "{begun}");
    assert_eq!(u64::from(outcome.windows.last().unwrap().users), begun);
}

#[test]
fn files_that_run_out_later_are_failures_that_say_so() {
    let _guard = ONE_AT_A_TIME.lock();
    limit_to(HARD);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut plan = plan_of(5, listener.local_addr().unwrap().port());
    // The files are gone before the second user starts.
    plan["load"]["ramp_up_s"] = json!(0.5);
    let run = Run::start(serde_json::from_value(plan).unwrap()).unwrap();
    let mut held = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        held.push(file);
    }
    let outcome = finish(&run);
    drop(held);
    assert_eq!(outcome.failures()[0].0, "refused");
    let said = &outcome.summary.examples[0].said;
    assert!(said.contains("no open file left on this machine") && said.contains("ulimit"), "{said}");
}
