//! What users send: redirects, cookies, forms, uploads, values from answers, the browser's cache.

mod support;

use serde_json::{Value as Json, json};
use support::{Outcome, Reply, Seen, Server, answer, get, operation, page, plan, run};

/// Runs one user through an operation of `steps`, over and over for a moment.
fn walk(script: impl Fn(&Seen) -> Reply + Send + Sync + 'static, steps: Json) -> (Server, Outcome) {
    let server = Server::start(script);
    let outcome = run(plan(server.port, 1.0, json!([operation("op", steps)])));
    assert_eq!(outcome.failures(), [], "{:?}", outcome.summary.examples);
    assert!(outcome.ok(0) > 0);
    (server, outcome)
}

#[test]
fn redirects_are_followed_on_the_site() {
    let script = |r: &Seen| match r.path.as_str() {
        "/a/login" => answer(303, "Location: ../b?x=1#top\r\n", "moved"),
        "/b?x=1" => answer(301, &format!("Location: http://{}/c\r\n", r.field("host").unwrap()), ""),
        "/c" => answer(307, "Location: d\r\n", ""),
        _ => page("done"),
    };
    let expect = json!({"status": [200], "contains": ["done"]});
    let step = json!({"method": "POST", "path": "/a/login", "expect": expect,
        "body": {"kind": "form", "fields": [["a", "b"]]}});
    let (server, outcome) = walk(script, json!([step]));
    assert_eq!(server.paths()[..4], ["POST /a/login", "GET /b?x=1", "GET /c", "GET /d"]);
    assert!(server.requests()[1].body.is_empty());
    assert_eq!(outcome.counter(0, "requests"), outcome.ok(0) * 4, "a redirect is part of the operation");
}

#[test]
fn redirects_end_somewhere() {
    let round = Server::start(|_| answer(302, "Location: /again\r\n", ""));
    let outcome = run(plan(round.port, 1.0, json!([operation("op", json!([get("/", json!({}))]))])));
    assert_eq!(outcome.failures()[0].0, "status");
    assert_eq!(
        round.paths()[..6],
        ["GET /", "GET /again", "GET /again", "GET /again", "GET /again", "GET /again"]
    );
    assert!(outcome.summary.examples[0].said.ends_with("more than 5 redirects"));
    let elsewhere = Server::start(|_| answer(302, "Location: http://example.org/\r\n", ""));
    let expect = json!({"expect": {"status": [302]}});
    let outcome = run(plan(elsewhere.port, 1.0, json!([operation("op", json!([get("/", expect)]))])));
    assert_eq!(outcome.failures(), []);
}

#[test]
fn cookies_and_flags_make_a_session_until_it_is_forgotten() {
    let script = |r: &Seen| match r.path.as_str() {
        "/in" => answer(200, "Set-Cookie: sid=1; Path=/\r\nSet-Cookie: t=2\r\n", ""),
        "/out" => answer(200, "", "bye"),
        _ => page(if r.field("cookie").is_some() { "Logout" } else { "Login" }),
    };
    let (server, _) = walk(
        script,
        json!([
            get("/out", json!({"when": ["in"], "forget": true})),
            get("/", json!({"expect": {"status": [200], "contains": ["Login"]}})),
            get("/in", json!({"set": ["in"]})),
            get("/", json!({"when": ["in"], "expect": {"status": [200], "contains": ["Logout"]}})),
            get("/never", json!({"when": ["!in"]})),
        ]),
    );
    assert_eq!(server.paths()[..5], ["GET /", "GET /in", "GET /", "GET /out", "GET /"]);
    assert_eq!(server.requests()[3].field("cookie"), Some("sid=1; t=2"));
    assert_eq!(server.requests()[4].field("cookie"), None);
}

#[test]
fn what_forget_forgets() {
    let script = |r: &Seen| {
        if r.path == "/" { page("<a href=/e/7></a><input name=t value=x>") } else { answer(200, "", "") }
    };
    let extract = json!([{"name": "ids", "from": {"kind": "links", "pattern": "/e/{int}"}},
        {"name": "t", "from": {"kind": "hidden", "field": "t"}}]);
    let mut after = operation("after", json!([get("/{id}-{t}-{n}", json!({}))]));
    after["draw"] = json!([{"name": "id", "value": {"kind": "choose", "from": "ids"}}]);
    let mut before = operation("before", json!([get("/", json!({"extract": extract, "forget": true}))]));
    before["draw"] = json!([{"name": "n", "value": {"kind": "int", "low": 4, "high": 4}}]);
    let server = Server::start(script);
    let mut plan = plan(server.port, 1.0, json!([before, after]));
    plan["mix"]["after"] = json!({"after": 0.5, "end": 0.5});
    run(plan);
    assert_eq!(server.paths()[1], "GET /7--4", "links and drawn values stay, extracted values go");
}

#[test]
fn values_of_answers_are_used() {
    let script = |r: &Seen| match r.path.as_str() {
        "/list" => page("<a href='/e/5'><a href='/e/5'><input name=token value='a&amp;b/c'>"),
        _ => answer(200, "", ""),
    };
    let mut follow =
        operation("follow", json!([get("/e/{id}?t={token}", json!({"headers": [["X-T", "{token}"]]}))]));
    follow["draw"] = json!([{"name": "id", "value": {"kind": "choose", "from": "ids"}}]);
    let extract = json!([{"name": "ids", "from": {"kind": "links", "pattern": "/e/{int}"}},
        {"name": "token", "from": {"kind": "hidden", "field": "token"}}]);
    let server = Server::start(script);
    let operations = json!([operation("list", json!([get("/list", json!({"extract": extract}))])), follow]);
    let outcome = run(plan(server.port, 1.0, operations));
    assert_eq!(outcome.failures(), []);
    assert_eq!(server.paths()[1], "GET /e/5?t=a%26b%2Fc");
    assert_eq!(server.requests()[1].field("x-t"), Some("a&b/c"));
}

#[test]
fn chunked_and_unframed_bodies_and_interim_heads() {
    let chunked = || {
        let head =
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWelc"
                .to_vec();
        Reply::Send(vec![head, b"\r\n3\r\nome\r\n0\r\n\r\n".to_vec()])
    };
    let expect = || json!({"expect": {"status": [200], "contains": ["Welcome"]}});
    let (_, outcome) = walk(move |_| chunked(), json!([get("/", expect())]));
    assert_eq!(outcome.windows.iter().map(|w| w.connects).sum::<u64>(), 1, "the connection stays");
    let unframed = |_: &Seen| Reply::SendAndClose(b"HTTP/1.1 200 OK\r\n\r\nWelcome".to_vec());
    walk(unframed, json!([get("/", expect())]));
}

#[test]
fn large_bodies_are_counted_to_the_byte() {
    let body = "x".repeat(1_500_000);
    let (_, outcome) = walk(
        move |r| if r.path == "/" { page("<img src=/big.jpg>") } else { answer(200, "", &body) },
        json!([
            get("/", json!({"page": true})),
            get("/large", json!({"expect": {"status": [200], "min_bytes": 1_500_000}}))
        ]),
    );
    assert_eq!(outcome.counter(0, "image_bytes"), 1_500_000);
    assert!(outcome.counter(0, "bytes_in") > 1_500_000 * (outcome.ok(0) + 1));
}

#[test]
fn uploads_arrive_as_they_were_made() {
    let body = json!({"kind": "multipart", "parts": [
        {"kind": "field", "name": "title", "text": "a {x}"},
        {"kind": "file", "name": "photo", "filename": "p\"{user}.jpg", "content_type": "image/jpeg", "bytes": 3_000_000},
        {"kind": "field", "name": "last", "text": ""}]});
    let mut upload = operation("upload", json!([{"method": "POST", "path": "/", "body": body}]));
    upload["draw"] = json!([{"name": "x", "value": {"kind": "text", "text": "\r\nü"}}]);
    let server = Server::start(|_| answer(200, "", ""));
    let outcome = run(plan(server.port, 1.0, json!([upload])));
    assert_eq!(outcome.failures(), []);
    let requests = server.requests();
    let (first, second) = (&requests[0], &requests[1]);
    let parts = loadstone_http::Multipart::new(first.field("content-type").unwrap(), &first.body).unwrap();
    let parts: Vec<_> = parts.collect::<Result<_, _>>().unwrap();
    assert_eq!(parts.len(), 3);
    assert_eq!((parts[0].data, parts[2].data), ("a \r\nü".as_bytes(), &b""[..]));
    assert_eq!((parts[1].data.len(), &parts[1].data[..3]), (3_000_000, &b"\xff\xd8\xff"[..]));
    assert!(first.body == second.body, "the same seed gives the same file");
}

/// A page of two files of the site, one repeated, and two images, one elsewhere.
fn site(r: &Seen) -> Reply {
    match r.path.as_str() {
        "/" => page(
            "<link rel=stylesheet href=/assets/a.css><script src='/assets/b.js'></script>\
            <script src=/assets/b.js></script><img src=/i.png><img src=http://elsewhere/j.png>",
        ),
        "/assets/a.css" if r.field("if-none-match") == Some("\"v1\"") => {
            Reply::Send(vec![b"HTTP/1.1 304 N\r\n\r\n".to_vec()])
        }
        "/assets/a.css" => answer(200, "ETag: \"v1\"\r\n", "css"),
        "/assets/b.js" if r.field("if-modified-since").is_some() => {
            Reply::Send(vec![b"HTTP/1.1 304 N\r\n\r\n".to_vec()])
        }
        "/assets/b.js" => answer(200, "Last-Modified: Thu, 01 Jan 2009 00:00:00 GMT\r\n", "js"),
        _ => answer(200, "", "image"),
    }
}

fn browse(warm_share: u32, revalidate: bool) -> (Vec<String>, Outcome) {
    let server = Server::start(site);
    let mut plan = plan(server.port, 1.0, json!([operation("op", json!([get("/", json!({"page": true}))]))]));
    plan["browser"]["warm_share"] = json!(warm_share);
    plan["browser"]["revalidate"] = json!(revalidate);
    let outcome = run(plan);
    assert_eq!(outcome.failures(), []);
    assert!(outcome.ok(0) >= 2);
    (server.paths(), outcome)
}

#[test]
fn an_empty_cache_fetches_each_file_once() {
    let (paths, outcome) = browse(0, true);
    assert_eq!(
        paths[..6],
        ["GET /", "GET /assets/a.css", "GET /assets/b.js", "GET /i.png", "GET /", "GET /"]
    );
    assert_eq!((outcome.counter(0, "cached_full"), outcome.counter(0, "cached_304")), (2, 0));
    assert_eq!((outcome.counter(0, "images"), outcome.counter(0, "image_bytes")), (1, 5));
    assert_eq!(outcome.counter(0, "image_refs"), outcome.ok(0));
}

#[test]
fn a_warm_cache_asks_on_every_page_or_never() {
    let (paths, outcome) = browse(1, true);
    assert_eq!(paths[4..7], ["GET /", "GET /assets/a.css", "GET /assets/b.js"]);
    let pages = outcome.ok(0);
    assert_eq!((outcome.counter(0, "cached_full"), outcome.counter(0, "cached_304")), (2, 2 * (pages - 1)));
    let (paths, outcome) = browse(1, false);
    assert_eq!(paths[..3], ["GET /", "GET /i.png", "GET /"]);
    assert_eq!((outcome.counter(0, "cached_full"), outcome.counter(0, "cached_304")), (0, 0));
}

#[test]
fn named_steps_are_counted_and_chance_is_kept() {
    let server = Server::start(|_| answer(200, "", ""));
    let steps =
        json!([get("/a", json!({"count": "all"})), get("/b", json!({"count": "some", "chance": 0.25}))]);
    let mut plan = plan(server.port, 1.0, json!([operation("op", steps)]));
    plan["pacing"]["law"]["value_s"] = json!(0);
    let outcome = run(plan);
    let named =
        |i: usize| outcome.of(0).map(|o| o.counters[loadstone_engine::COUNTERS.len() + i]).sum::<u64>();
    assert_eq!(named(0), outcome.ok(0));
    let share = loadstone_stats::wilson(named(1), named(0), 0.999_999);
    assert!((share.low..share.high).contains(&0.25), "{share:?}");
}
