//! A session that talks to several hosts: a connection to each, redirects, files of pages, cookies.

mod support;

use serde_json::{Value as Json, json};
use support::{Reply, Server, answer, get, operation, page, plan, run};

/// `support::plan` with further hosts, all on this machine, and an end after so many operations.
fn with_hosts(own: u16, hosts: &[(&str, u16)], operations: u32, list: Json) -> Json {
    let mut plan = plan(own, 600.0, list);
    plan["load"]["operations"] = json!(operations);
    plan["load"]["timeout_s"] = json!(300);
    for (name, port) in hosts {
        let authority = format!("127.0.0.1:{port}");
        plan["target"]["hosts"][name] =
            json!({"host": "127.0.0.1", "port": port, "authority": authority, "base_path": ""});
    }
    plan
}

#[test]
fn each_host_has_a_connection_that_stays() {
    let api = Server::start(|_| answer(200, "", "{}"));
    let site = Server::start(|_| page(""));
    let steps = json!([get("/", json!({})), get("/v1", json!({"host": "api"})), get("/last", json!({}))]);
    let outcome = run(with_hosts(site.port, &[("api", api.port)], 3, json!([operation("op", steps)])));
    assert_eq!((outcome.ok(0), outcome.failures()), (3, vec![]));
    assert_eq!(site.paths(), ["GET /", "GET /last"].repeat(3));
    assert_eq!(api.paths(), ["GET /v1"].repeat(3));
    assert_eq!(api.requests()[0].field("host"), Some(format!("127.0.0.1:{}", api.port).as_str()));
    assert!(site.requests().iter().chain(&api.requests()).all(|one| one.connection == 0));
    let sum = |of: fn(&loadstone_engine::Window) -> u64| outcome.windows.iter().map(of).sum::<u64>();
    assert_eq!((sum(|w| w.connects), sum(|w| w.reconnects)), (2, 0), "neither is one made again");
}

#[test]
fn a_new_session_connects_to_all_of_them_anew() {
    let api = Server::start(|_| answer(200, "", "{}"));
    let site = Server::start(|_| page(""));
    let steps = json!([get("/", json!({})), get("/v1", json!({"host": "api"}))]);
    let mut plan = with_hosts(site.port, &[("api", api.port)], 3, json!([operation("op", steps)]));
    plan["session"]["max_operations"] = json!(1);
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (3, vec![]));
    let of = |server: &Server| server.requests().iter().map(|one| one.connection).collect::<Vec<_>>();
    assert_eq!((of(&site), of(&api)), (vec![0, 1, 2], vec![0, 1, 2]));
}

#[test]
fn a_host_that_closes_while_another_one_answers_is_connected_to_again() {
    let api = Server::start(|r| match r.nth {
        0 => Reply::SendAndClose(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".to_vec()),
        _ => answer(500, "", ""),
    });
    let site = Server::start(|_| page(""));
    let steps = json!([get("/v1", json!({"host": "api"})), get("/", json!({}))]);
    let outcome = run(with_hosts(site.port, &[("api", api.port)], 4, json!([operation("op", steps)])));
    assert_eq!((outcome.ok(0), outcome.failures()), (4, vec![]));
    assert_eq!(api.requests().iter().map(|one| one.connection).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(site.requests().iter().all(|one| one.connection == 0));
}

#[test]
fn redirects_lead_to_named_hosts_and_to_no_others() {
    let stranger = Server::start(|_| page("stranger"));
    let away = format!("Location: http://127.0.0.1:{}/\r\n", stranger.port);
    let login = Server::start(move |r| match r.path.as_str() {
        "/away" => answer(302, &away, ""),
        _ => page("welcome"),
    });
    let to_login = format!("Location: http://127.0.0.1:{}/in?x=1\r\n", login.port);
    let site = Server::start(move |_| answer(302, &to_login, ""));
    let secret = json!({"headers": [["Authorization", "Bearer x"], ["X-Own", "y"]],
        "expect": {"status": [200], "contains": ["welcome"]}});
    let list = json!([
        operation("in", json!([get("/", secret)])),
        operation("away", json!([get("/away", json!({"host": "login", "expect": {"status": [302]}}))])),
    ]);
    let outcome = run(with_hosts(site.port, &[("login", login.port)], 2, list));
    assert_eq!((outcome.ok(0), outcome.ok(1), outcome.failures()), (1, 1, vec![]));
    assert_eq!(login.paths(), ["GET /in?x=1", "GET /away"]);
    assert_eq!(site.requests()[0].field("authorization"), Some("Bearer x"));
    let there = &login.requests()[0];
    assert_eq!(
        (there.field("authorization"), there.field("x-own")),
        (None, Some("y")),
        "that was for one host"
    );
    assert!(stranger.paths().is_empty());
}

#[test]
fn files_of_a_page_come_from_named_hosts() {
    let cdn = Server::start(|r| match r.path.as_str() {
        "/a.css" => answer(200, "ETag: \"a\"\r\n", "css"),
        _ => answer(200, "", "img"),
    });
    let addresses = format!(
        "<link rel=stylesheet href=//127.0.0.1:{0}/a.css><img src=/own.png><img src=http://127.0.0.1:{0}/own.png>\
         <img src=http://127.0.0.1:1/not.png><img src=//cdn/not.png>",
        cdn.port
    );
    let site = Server::start(move |r| if r.path == "/" { page(&addresses) } else { answer(200, "", "own") });
    let list = json!([operation("op", json!([get("/", json!({"page": true}))]))]);
    let outcome = run(with_hosts(site.port, &[("cdn", cdn.port)], 2, list));
    assert_eq!((outcome.ok(0), outcome.failures()), (2, vec![]));
    assert_eq!(site.paths(), ["GET /", "GET /own.png", "GET /"]);
    // The same path on two hosts is two files, each fetched once a session.
    assert_eq!(cdn.paths(), ["GET /a.css", "GET /own.png"]);
    assert_eq!(outcome.counter(0, "references_other_host"), 4, "two of each page");
    assert_eq!(outcome.counter(0, "images"), 3);
}

#[test]
fn cookies_go_where_their_domain_and_path_say() {
    let api = Server::start(|_| answer(200, "Set-Cookie: deep=3; Path=/v1\r\n", "{}"));
    // Ports do not tell cookies apart: both servers are the host 127.0.0.1.
    let site = Server::start(|_| {
        answer(200, "Set-Cookie: s=1; Path=/\r\nSet-Cookie: f=2; Domain=other.example\r\n", "")
    });
    let steps = json!([
        get("/", json!({})),
        get("/v1/items", json!({"host": "api"})),
        get("/v1/items", json!({"host": "api"})),
        get("/x", json!({})),
    ]);
    let outcome = run(with_hosts(site.port, &[("api", api.port)], 1, json!([operation("op", steps)])));
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    let of = |server: &Server| {
        server.requests().iter().map(|one| one.field("cookie").map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(of(&api), [Some("s=1".into()), Some("deep=3; s=1".into())]);
    assert_eq!(of(&site), [None, Some("s=1".into())]);
}

#[test]
fn requests_at_a_rate_keep_a_connection_to_each_host() {
    let api = Server::start(|_| answer(200, "", "{}"));
    let site = Server::start(|_| page(""));
    let steps = json!([get("/", json!({})), get("/v1", json!({"host": "api"}))]);
    let mut plan = with_hosts(site.port, &[("api", api.port)], 1, json!([operation("op", steps)]));
    plan["load"] = json!({"requests_per_s": 50, "connections": 1, "ramp_up_s": 0, "steady_s": 0.5,
        "ramp_down_s": 0, "timeout_s": 60});
    let outcome = run(plan);
    assert!(outcome.ok(0) > 0 && outcome.failures().is_empty());
    assert!(site.requests().iter().chain(&api.requests()).all(|one| one.connection == 0));
}

#[test]
fn a_named_host_that_is_down_fails_what_asks_it() {
    // Nobody listens there, and no other test is given it.
    let refusing = 1;
    let site = Server::start(|_| page(""));
    let list = json!([
        operation("page", json!([get("/", json!({}))])),
        operation("call", json!([get("/v1", json!({"host": "api"}))])),
    ]);
    let outcome = run(with_hosts(site.port, &[("api", refusing)], 4, list));
    assert_eq!((outcome.ok(0), outcome.failures()), (2, vec![("refused", 2)]));
    assert_eq!(outcome.summary.outcome, "complete");
    let said = &outcome.summary.examples[0].said;
    assert!(said.starts_with(&format!("GET http://127.0.0.1:{refusing}/v1: no connection")), "{said}");
    assert!(site.requests().iter().all(|one| one.connection == 0), "the others keep their connection");
}
