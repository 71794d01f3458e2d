//! Users: one connection each, and what they send on it.

use serde_json::json;

use crate::server::{Reply, Server, answer, goaway, ok};
use crate::support::{get, operation, run};
use crate::{one, plan};

#[test]
fn a_user_asks_for_everything_on_one_connection() {
    let server = Server::start(|request| Reply::Send(ok(request)));
    let mut plan = one(server.port, 40, get("/a?b=c", json!({"headers": [["X-Own", "1"]]})));
    plan["load"]["users"] = json!(2);
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (40, vec![]));
    assert_eq!(server.connections(), 2);
    let requests = server.requests();
    assert!(requests.iter().all(|one| one.stream == 2 * one.nth as u32 + 1));
    let authority = format!("127.0.0.1:{}", server.port);
    let expected = [
        (":method", "GET"),
        (":scheme", "http"),
        (":authority", authority.as_str()),
        (":path", "/a?b=c"),
        ("user-agent", "test"),
        ("accept", "*/*"),
        ("accept-encoding", "gzip, deflate, br, zstd"),
        ("x-own", "1"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert!(requests.iter().all(|one| one.fields == expected), "{requests:?}");
    let http2 = outcome.summary.http2.as_ref().unwrap();
    assert_eq!((http2.connections, http2.http1_connections, http2.given_up.len()), (2, 0, 0));
    let bytes: u64 = outcome.windows.iter().map(|w| w.bytes_in).sum();
    assert_eq!(outcome.counter(0, "bytes_in"), bytes, "a user's connection carries its own operations only");
    assert_eq!(outcome.counter(0, "body_bytes"), 80);
}

#[test]
fn cookies_redirects_and_extracted_values_work_as_ever() {
    let server = Server::start(|request| {
        Reply::Send(match request.path() {
            "/in" => answer(request, 302, &[("location", "/home"), ("set-cookie", "a=1; Path=/")], ""),
            "/home" => answer(request, 200, &[("set-cookie", "b=2")], "token=77;"),
            _ => ok(request),
        })
    });
    let login = json!({
        "method": "POST", "path": "/in", "body": {"kind": "form", "fields": [["name", "me"]]},
        "extract": [{"name": "token", "from": {"kind": "regex", "pattern": "token=([0-9]+);"}}]
    });
    let steps = json!([login, get("/next/{token}", json!({}))]);
    let outcome = run(plan(server.port, 1, json!([operation("op", steps)])));
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]), "{:?}", outcome.summary.examples);
    let requests = server.requests();
    let asked: Vec<_> = requests.iter().map(|one| (one.field(":method").unwrap(), one.path())).collect();
    assert_eq!(asked, [("POST", "/in"), ("GET", "/home"), ("GET", "/next/77")]);
    assert_eq!(requests[0].body, b"name=me");
    // One by one, so that those that stay are compressed.
    let cookies: Vec<_> = requests[2].fields.iter().filter(|f| f.0 == "cookie").map(|f| &f.1[..]).collect();
    assert_eq!(cookies, ["a=1", "b=2"]);
}

#[test]
fn an_upload_arrives_whole() {
    let server = Server::start(|request| Reply::Send(ok(request)));
    let text = "0123456789".repeat(30_000);
    let step = json!({"method": "PUT", "path": "/up",
        "body": {"kind": "raw", "content_type": "text/plain", "text": text}});
    let outcome = run(one(server.port, 3, step));
    assert_eq!((outcome.ok(0), outcome.failures()), (3, vec![]));
    for request in server.requests() {
        assert_eq!(request.field("content-length"), Some("300000"));
        assert_eq!(request.body, text.as_bytes());
    }
    assert!(outcome.counter(0, "bytes_out") > 900_000);
}

/// As nginx does after so many requests: what it took is answered, what it did not take is asked for again.
#[test]
fn a_server_that_ends_its_connections_loses_nothing() {
    let server = Server::start(|request| {
        let last = if request.nth == 2 { goaway(request.stream, 0) } else { Vec::new() };
        Reply::Send([last, ok(request)].concat())
    });
    let outcome = run(one(server.port, 30, get("/", json!({}))));
    assert_eq!((outcome.ok(0), outcome.failures()), (30, vec![]));
    assert_eq!((server.connections(), server.requests().len()), (10, 30));
    let http2 = outcome.summary.http2.unwrap();
    let [ended] = &http2.given_up[..] else { panic!("{http2:?}") };
    assert_eq!((&ended.by[..], &ended.frame[..], &ended.code[..]), ("server", "GOAWAY", "NO_ERROR"));
    // The run ends with the last answer, before or after it was told of the last farewell.
    assert!((9..=10).contains(&ended.count), "{ended:?}");
}

#[test]
fn the_time_that_an_overloaded_server_asks_for_is_waited() {
    let server = Server::start(|request| {
        let later = request.nth == 0;
        Reply::Send(if later { answer(request, 503, &[("retry-after", "0")], "") } else { ok(request) })
    });
    let mut plan = one(server.port, 1, get("/", json!({})));
    plan["session"]["retry_after"] = json!(3);
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    assert_eq!(outcome.windows.iter().map(|w| w.waits).sum::<u64>(), 1);
}

/// The engine's times are never shorter than what the server itself took.
#[test]
fn no_time_is_shorter_than_the_truth() {
    use std::time::Duration;
    let delay = |nth: usize| Duration::from_millis([3, 9, 27][nth % 3]);
    let server = Server::start(move |request| Reply::After(delay(request.nth), ok(request)));
    let outcome = run(one(server.port, 9, get("/", json!({}))));
    assert_eq!(outcome.failures(), []);
    let times = outcome.times(0, |o| &o.response);
    for (share, least_us) in [(0.01, 3_000.0), (0.5, 9_000.0), (1.0, 27_000.0)] {
        assert!(times.quantile(share).unwrap() * 1.01 >= least_us, "{share}: {times:?}");
    }
}
