//! Operations at a rate: they share connections.

use std::time::Duration;

use loadstone_engine::Run;
use serde_json::{Value as Json, json};

use crate::server::{Reply, Server, goaway, ok};
use crate::support::{Outcome, get, operation, run};

fn plan(server: &Server, connections: u32, streams: u32) -> Json {
    let step = get("/", json!({}));
    let mut plan: Json = crate::support::plan(server.port, 1.0, json!([operation("op", json!([step]))]));
    plan["target"]["http"] = json!("2");
    plan["load"] = json!({"requests_per_s": 200, "connections": connections, "streams": streams,
        "ramp_up_s": 0, "steady_s": 1.0, "ramp_down_s": 0, "timeout_s": 300});
    plan
}

fn rate(server: &Server, connections: u32, streams: u32) -> Outcome {
    run(plan(server, connections, streams))
}

#[test]
fn operations_share_a_connection() {
    // One by one, none would ever be answered.
    let server = Server::start(|request| Reply::Together(8, ok(request)));
    let outcome = rate(&server, 1, 100);
    assert_eq!(outcome.failures(), []);
    assert!(outcome.ok(0) >= 8, "{}", outcome.ok(0));
    assert_eq!(server.connections(), 1);
    assert!(outcome.counter(0, "bytes_in") > 0 && outcome.counter(0, "bytes_out") > 0);
}

#[test]
fn as_many_as_the_server_and_the_plan_allow() {
    for (server_allows, plan_allows) in [(4, 100), (100, 4)] {
        let server = Server::with(&[(3, server_allows)], |request| Reply::Together(4, ok(request)));
        let outcome = rate(&server, 1, plan_allows);
        assert_eq!(outcome.failures(), []);
        assert!(outcome.ok(0) >= 4 && server.most_at_once() == 4, "{}", server.most_at_once());
    }
}

#[test]
fn who_finds_no_stream_waits_and_his_time_counts() {
    // The plan's limit holds from the beginning, the server's once its settings have come.
    let server = Server::start(|_| Reply::Together(99, Vec::new()));
    let mut plan = plan(&server, 3, 2);
    plan["load"]["steady_s"] = json!(120.0);
    let run = Run::start(serde_json::from_value(plan).unwrap()).unwrap();
    let (mut arrived, mut waited) = (0, 0);
    // A busy machine takes its time until the server has seen them.
    while server.requests().len() < 6 || arrived < 150 {
        if let Some(window) = run.next(Duration::from_millis(50)) {
            arrived += window.arrived;
            waited += window.waited;
        }
        assert!(run.summary().is_none(), "six were never on their way: {:?}", server.requests());
    }
    // Six are on their way for ever; all others wait.
    assert_eq!(server.requests().len(), 6);
    assert_eq!((server.connections(), server.most_at_once()), (3, 2));
    assert!(waited >= arrived - 6, "{waited} of {arrived}");
}

#[test]
fn connections_that_end_are_made_anew_while_others_go_on() {
    let server = Server::start(|request| {
        // It will answer everything that is on its way, and wants nothing new.
        let last = if request.nth == 4 { goaway(i32::MAX as u32, 0) } else { Vec::new() };
        Reply::Send([last, ok(request)].concat())
    });
    let outcome = rate(&server, 2, 10);
    assert_eq!(outcome.failures(), []);
    assert!(outcome.ok(0) >= 100 && server.connections() > 10);
}
