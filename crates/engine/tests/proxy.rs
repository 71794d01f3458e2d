//! A proxy between the users and the hosts.

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value as Json, json};
use support::{Reply, Server, answer, get, operation, page, plan, run};

/// A plan whose hosts, all of TLS or none, are only names: nobody but the proxy could reach them.
fn by_proxy(proxy: u16, operations: u32, list: Json) -> Json {
    let mut plan = plan(proxy, 600.0, list);
    plan["target"] = json!({"host": "shop.invalid", "port": 80, "authority": "shop.invalid", "base_path": "/app",
        "proxy": ["127.0.0.1", proxy],
        "hosts": {"cdn": {"host": "cdn.invalid", "port": 8080, "authority": "cdn.invalid:8080", "base_path": ""}}});
    plan["load"]["operations"] = json!(operations);
    plan["load"]["timeout_s"] = json!(300);
    plan
}

#[test]
fn a_proxy_is_asked_for_whole_addresses() {
    let proxy = Server::start(|r| match r.path.as_str() {
        "http://shop.invalid/app/" => page("<img src=http://cdn.invalid:8080/a.png><img src=b.png>"),
        "http://shop.invalid/app/old" => answer(302, "Location: new?x=1\r\nSet-Cookie: s=1\r\n", ""),
        _ => answer(200, "", "ok"),
    });
    let steps = json!([get("/", json!({"page": true})), get("/old", json!({}))]);
    let outcome = run(by_proxy(proxy.port, 1, json!([operation("op", steps)])));
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    let expected =
        ["app/", "app/b.png", "app/old", "app/new?x=1"].map(|path| format!("GET http://shop.invalid/{path}"));
    let (mut own, cdn): (Vec<_>, Vec<_>) = proxy.paths().into_iter().partition(|path| path.contains("shop"));
    own.dedup();
    assert_eq!((own, cdn), (expected.to_vec(), vec!["GET http://cdn.invalid:8080/a.png".to_owned()]));
    let last = proxy.requests().pop().unwrap();
    assert_eq!((last.field("host"), last.field("cookie")), (Some("shop.invalid"), Some("s=1")));
}

#[test]
fn a_proxy_is_told_who_asks_with_every_request() {
    let proxy = Server::start(|r| match r.path.as_str() {
        "http://shop.invalid/app/" => page("<img src=http://cdn.invalid:8080/a.png><img src=b.png>"),
        _ => answer(200, "", "ok"),
    });
    let mut plan =
        by_proxy(proxy.port, 1, json!([operation("op", json!([get("/", json!({"page": true}))]))]));
    plan["target"]["proxy_authorization"] = json!("Basic dXNlcjpzZWNyZXQ=");
    let outcome = run(plan);
    assert_eq!((outcome.ok(0), outcome.failures()), (1, vec![]));
    let told: Vec<_> = proxy.requests();
    assert_eq!(told.len(), 3);
    assert!(told.iter().all(|r| r.field("proxy-authorization") == Some("Basic dXNlcjpzZWNyZXQ=")));
}

#[test]
fn a_server_without_a_proxy_is_not_told_who_asks_one() {
    let server = Server::start(|_| answer(200, "", "ok"));
    let mut plan = plan(server.port, 600.0, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["target"]["proxy_authorization"] = json!("Basic dXNlcjpzZWNyZXQ=");
    plan["load"]["operations"] = json!(1);
    assert_eq!(run(plan).ok(0), 1);
    assert_eq!(server.requests()[0].field("proxy-authorization"), None);
}

/// What follows on a connection.
type Then = fn(TcpStream);

/// A proxy that answers CONNECT with `answer`, and then serves as the host itself by `then`; what it was asked.
fn tunnelling(answer: &'static [u8], then: Then) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, log) = (stream.unwrap(), log.clone());
            std::thread::spawn(move || {
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n == 1) {
                    head.push(byte[0]);
                }
                log.lock().unwrap().push(String::from_utf8(head).unwrap());
                if stream.write_all(answer).is_ok() {
                    then(stream);
                }
            });
        }
    });
    (port, asked)
}

fn of_https(proxy: u16) -> Json {
    let mut plan = by_proxy(proxy, 2, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["target"]["tls"] = json!({"insecure": true});
    plan["target"]["port"] = json!(443);
    plan
}

#[test]
fn a_proxy_is_told_who_asks_for_a_tunnel() {
    let (port, asked) = tunnelling(b"HTTP/1.1 407 Who?\r\nContent-Length: 0\r\n\r\n", drop);
    let mut plan = of_https(port);
    plan["target"]["proxy_authorization"] = json!("Basic dXNlcjpzZWNyZXQ=");
    let outcome = run(plan);
    assert_eq!(outcome.failures(), [("refused", 2)]);
    assert!(outcome.summary.examples[0].said.ends_with("no connection by the proxy: it answered 407 Who?"));
    let request = asked.lock().unwrap()[0].clone();
    assert!(request.ends_with("\r\nProxy-Authorization: Basic dXNlcjpzZWNyZXQ=\r\n\r\n"), "{request}");
}

#[test]
fn a_proxy_that_gives_no_tunnel_is_a_failure_with_its_cause() {
    let drain: Then = |mut stream| while stream.read(&mut [0; 4_096]).is_ok_and(|n| n > 0) {};
    let endless: Then = |mut stream| while stream.write_all(&[b'x'; 4_096]).is_ok() {};
    let leave: Then = drop;
    let cases: [(&[u8], Then, &str); 5] = [
        (b"HTTP/1.1 403 Filtered\r\nContent-Length: 0\r\n\r\n", drain, "it answered 403 Filtered"),
        (b"SSH-2.0-x\r\n\r\n", drain, "its answer is not HTTP"),
        (b"HTTP/1.1 200", leave, "it gave no whole answer"),
        (b"HTTP/1.1 200 OK\r\n", endless, "it gave no whole answer"),
        (b"", leave, "it gave no whole answer"),
    ];
    for (answer, then, said) in cases {
        let (port, asked) = tunnelling(answer, then);
        let outcome = run(of_https(port));
        assert_eq!(outcome.failures(), [("refused", 2)], "{said}");
        let told = &outcome.summary.examples[0].said;
        assert_eq!(*told, format!("GET /app/: no connection by the proxy: {said}"));
        let request = asked.lock().unwrap()[0].clone();
        assert!(
            request.starts_with("CONNECT shop.invalid:443 HTTP/1.1\r\nHost: shop.invalid:443\r\n"),
            "{request}"
        );
    }
}

#[test]
fn tls_begins_behind_the_answer_of_the_proxy() {
    // What follows the answer at once is the host's: here no TLS, which must not be taken for the proxy's.
    let (port, _) = tunnelling(b"HTTP/1.1 200 OK\r\nX: y\r\n\r\nno TLS at all", |mut stream| {
        while stream.read(&mut [0; 4_096]).is_ok_and(|n| n > 0) {}
    });
    let outcome = run(of_https(port));
    assert_eq!(outcome.failures(), [("tls", 2)]);
}

#[test]
fn what_a_proxy_answers_for_a_server_is_judged_as_the_servers() {
    let proxy = Server::start(|_| {
        Reply::SendAndClose(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n".into())
    });
    let outcome = run(by_proxy(proxy.port, 1, json!([operation("op", json!([get("/", json!({}))]))])));
    assert_eq!(outcome.failures(), [("status", 1)]);
}
