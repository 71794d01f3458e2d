//! Several scenarios in one run: who walks by which, and what is counted of each.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use loadstone_engine::{Run, SessionWindow};
use loadstone_workload::Plan;
use serde_json::{Value as Json, json};
use support::{Outcome, Seen, Server, answer, finish, get, operation, plan, run};

/// Readers `/USER/read` and `/USER/list`, editors `/USER/edit`: three of four users are readers. Each sends the
/// value `what`, which readers draw and editors extract.
fn two(server: &Server) -> Json {
    let what = json!([{"name": "what", "value": {"kind": "text", "text": "page"}}]);
    let said = json!([["X-What", "{what}"]]);
    let mut read = operation("readers.Read", json!([get("/{user}/read", json!({"headers": said}))]));
    read["draw"] = what;
    let list = operation("readers.List", json!([get("/{user}/list", json!({"headers": said}))]));
    let taken = json!([{"name": "what", "from": {"kind": "header", "header": "X-Says"}}]);
    let edit = operation(
        "editors.Edit",
        json!([
            get("/{user}/edit", json!({"extract": taken})),
            get("/{user}/save", json!({"headers": said}))
        ]),
    );
    let mut plan = plan(server.port, 1.0, json!([read, list, edit]));
    let all = plan.as_object_mut().unwrap();
    let (session, browser) = (all.remove("session").unwrap(), all.remove("browser").unwrap());
    let of = |first: &str, agent: &str, more: Json| {
        let (mut session, mut browser) = (session.clone(), browser.clone());
        session["first"] = json!(first);
        session.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        browser["user_agent"] = json!(agent);
        (session, browser)
    };
    let (reading, reader) = of("readers.Read", "reader", json!({}));
    let (editing, editor) = of("editors.Edit", "editor", json!({"max_operations": 1, "on_failure": "end"}));
    plan["scenarios"] = json!([
        {"name": "readers", "weight": 3, "operations": 2, "session": reading, "browser": reader},
        {"name": "editors", "weight": 1, "operations": 1, "session": editing, "browser": editor},
    ]);
    plan["mix"] = json!({"readers.Read": {"readers.List": 1}, "readers.List": {"readers.Read": 0.5, "end": 0.5},
        "editors.Edit": {"editors.Edit": 1}});
    plan["load"]["users"] = json!(8);
    plan
}

fn server() -> Server {
    Server::start(|seen: &Seen| {
        let status = if seen.path.ends_with("/2/save") { 500 } else { 200 };
        answer(status, "X-Says: draft\r\n", "ok")
    })
}

/// What users asked for, by their numbers.
fn asked(server: &Server) -> BTreeMap<u32, BTreeSet<String>> {
    let mut found: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for seen in server.requests() {
        let (user, what) = seen.path[1..].split_once('/').unwrap();
        let agent = seen.field("user-agent").unwrap();
        let said = seen.field("x-what").unwrap_or("-");
        found.entry(user.parse().unwrap()).or_default().insert(format!("{what} {agent} {said}"));
    }
    found
}

fn sessions(outcome: &Outcome, scenario: u32, of: impl Fn(&SessionWindow) -> u64) -> u64 {
    let all = outcome.windows.iter().flat_map(|window| &window.sessions);
    all.filter(|one| one.scenario == scenario).map(of).sum()
}

fn operations(outcome: &Outcome, operation: u32) -> u64 {
    let all = outcome.windows.iter().flat_map(|window| &window.operations);
    all.filter(|one| one.operation == operation).map(|one| one.ok + one.failed.iter().sum::<u64>()).sum()
}

const READS: [&str; 2] = ["list reader page", "read reader page"];
const EDITS: [&str; 2] = ["edit editor -", "save editor draft"];

#[test]
fn each_user_walks_by_its_own_scenario() {
    let server = server();
    let outcome = run(two(&server));
    let asked = asked(&server);
    assert_eq!(asked.len(), 8);
    let readers = asked.values().filter(|own| own.iter().eq(READS.iter().copied())).count();
    let editors = asked.values().filter(|own| own.iter().eq(EDITS.iter().copied())).count();
    assert_eq!((readers, editors), (6, 2));
    // An editor's session is one operation, a reader's two or more.
    let edited = operations(&outcome, 2);
    let ended = sessions(&outcome, 1, |one| one.completed + one.lost.iter().sum::<u64>());
    assert!(edited >= 2 && ended == edited, "{ended} {edited}");
    let read = operations(&outcome, 0) + operations(&outcome, 1);
    assert!(sessions(&outcome, 0, |one| one.completed) * 2 <= read);
    assert!(sessions(&outcome, 0, |one| one.begun) >= 6);
}

#[test]
fn agents_and_threads_have_the_users_that_one_alone_would_have() {
    let of = |slices: u32, threads: u32| {
        let server = server();
        for index in 0..slices {
            let mut plan = two(&server);
            plan["slice"] = json!({"index": index, "of": slices});
            plan["load"]["threads"] = json!(threads);
            run(plan);
        }
        // How far each comes in a second is the machine's.
        let whose = |own: BTreeSet<String>| own.iter().any(|one| one.contains(" reader "));
        asked(&server).into_iter().map(|(user, own)| (user, whose(own))).collect::<BTreeMap<_, _>>()
    };
    let alone = of(1, 1);
    assert_eq!(of(2, 1), alone);
    assert_eq!(of(1, 2), alone);
}

#[test]
fn who_joins_is_dealt_like_everybody() {
    let server = server();
    let plan: Plan = serde_json::from_value(two(&server)).unwrap();
    let run = Run::start(plan).unwrap();
    run.change(16.0, None).unwrap();
    finish(&run);
    let asked = asked(&server);
    let readers = asked.values().filter(|own| own.iter().eq(READS.iter().copied())).count();
    assert_eq!((asked.len(), readers), (16, 12));
}

#[test]
fn sessions_that_arrive_are_dealt_by_their_numbers() {
    for (law, exact) in [("even", true), ("poisson", false)] {
        let server = server();
        let mut plan = two(&server);
        plan["load"] = json!({"sessions_per_s": 80, "arrivals": law, "ramp_up_s": 0, "steady_s": 1,
            "ramp_down_s": 20, "timeout_s": 5});
        let outcome = run(plan);
        let [read, edited] = [0, 1].map(|scenario| sessions(&outcome, scenario, |one| one.begun));
        let all = read + edited;
        if exact {
            assert_eq!((read, edited), (60, 20));
        } else {
            // Five standard deviations of so many draws.
            let away = read as f64 - 0.75 * all as f64;
            assert!(away.abs() < 5.0 * (all as f64 * 0.75 * 0.25).sqrt(), "{read} of {all}");
        }
        // A connection's user becomes another one, of another scenario even; nobody asks for what is not its own.
        let mixed = asked(&server).values().filter(|own| own.len() > 2).count();
        assert_eq!(mixed, 0);
    }
}

#[test]
fn requests_that_arrive_are_dealt_by_their_numbers() {
    let server = server();
    let mut plan = two(&server);
    plan["operations"][1]["draw"] = plan["operations"][0]["draw"].clone();
    plan["load"] = json!({"requests_per_s": 80, "connections": 4, "ramp_up_s": 0, "steady_s": 1,
        "ramp_down_s": 0, "timeout_s": 5});
    run(plan);
    // A busy machine need not come to the last ones.
    let asked = asked(&server);
    let first: Vec<_> = (0..80).map_while(|number| asked.get(&number)).collect();
    let of = |what: &str| first.iter().filter(|own| own.iter().any(|one| one.starts_with(what))).count();
    let (readers, all) = (of("read ") + of("list "), first.len());
    assert!(all > 8 && readers + of("edit ") == all, "{readers} of {all}");
    assert!((readers as f64 - 0.75 * all as f64).abs() < 1.0, "{readers} of {all}");
}
