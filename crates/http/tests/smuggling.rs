//! Requests that two parsers could read differently, and what is said to each.

use loadstone_http::{Limits, ParseStatus, RequestFraming, RequestHead};

fn parse(bytes: &[u8]) -> ParseStatus {
    RequestHead::parse(bytes, &Limits::default())
}

#[track_caller]
fn refused(bytes: &[u8]) -> u16 {
    match parse(bytes) {
        ParseStatus::Bad(status, why) => {
            assert!(!why.is_empty());
            status
        }
        other => panic!("{:?} gives {other:?}", String::from_utf8_lossy(bytes)),
    }
}

/// Field lines that are refused behind `POST / HTTP/1.1` and `Host: a`.
const BAD_FIELDS: &[(&str, u16)] = &[
    // Host (RFC 9112 §3.2)
    ("Host: a\r\n", 400),
    ("Host: b\r\n", 400),
    ("HOST: b\r\n", 400),
    // Content-Length (RFC 9112 §6.3)
    ("Content-Length: 5\r\nContent-Length: 5\r\n", 400),
    ("Content-Length: 5\r\nContent-Length: 6\r\n", 400),
    ("Content-Length: 5, 5\r\n", 400),
    ("Content-Length: 5,6\r\n", 400),
    ("Content-Length: +5\r\n", 400),
    ("Content-Length: -5\r\n", 400),
    ("Content-Length: 0x5\r\n", 400),
    ("Content-Length: 5 5\r\n", 400),
    ("Content-Length: 5.0\r\n", 400),
    ("Content-Length: \"5\"\r\n", 400),
    ("Content-Length: \r\n", 400),
    ("Content-Length: 18446744073709551616\r\n", 400),
    ("Content-Length: 18446744073709551615\r\n", 413),
    ("Content-Length: 8388609\r\n", 413),
    // Both framings (RFC 9112 §6.1)
    ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400),
    ("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", 400),
    ("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", 400),
    // Transfer-Encoding (RFC 9112 §6.1, §7)
    ("Transfer-Encoding: gzip\r\n", 501),
    ("Transfer-Encoding: gzip, chunked\r\n", 501),
    ("Transfer-Encoding: chunked, gzip\r\n", 501),
    ("Transfer-Encoding: identity\r\n", 501),
    ("Transfer-Encoding: xchunked\r\n", 501),
    ("Transfer-Encoding: \"chunked\"\r\n", 501),
    ("Transfer-Encoding: chunked;q=1\r\n", 501),
    ("Transfer-Encoding: chunked, chunked\r\n", 400),
    ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
    ("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", 400),
    ("Transfer-Encoding: chunked,\r\n", 400),
    ("Transfer-Encoding:\r\n", 400),
    ("Transfer-Encoding: \x0bchunked\r\n", 400),
    // Lines (RFC 9112 §5, RFC 9110 §5.5)
    ("A : b\r\n", 400),
    ("Transfer-Encoding : chunked\r\n", 400),
    ("A\t: b\r\n", 400),
    (" A: b\r\n", 400),
    ("A: b\r\n c\r\n", 400),
    ("A: b\r\n\tc\r\n", 400),
    ("Transfer-Encoding:\r\n chunked\r\n", 400),
    ("A\r\n", 400),
    (": b\r\n", 400),
    ("A B: c\r\n", 400),
    ("A\u{e9}: b\r\n", 400),
    ("A: b\0c\r\n", 400),
    ("A\0: b\r\n", 400),
    ("A: b\rc\r\n", 400),
    ("A: b\r\r\n", 400),
    ("A: b\n", 400),
    ("A: b\nContent-Length: 5\r\n", 400),
    ("A: b\x07\r\n", 400),
    // Expectations (RFC 9110 §10.1.1)
    ("Expect: miracles\r\n", 417),
];

#[test]
fn ambiguous_fields_are_refused() {
    for (fields, status) in BAD_FIELDS {
        let request = format!("POST / HTTP/1.1\r\nHost: a\r\n{fields}\r\n");
        assert_eq!(refused(request.as_bytes()), *status, "{fields:?}");
    }
}

#[test]
fn malformed_request_lines_are_refused() {
    for (line, status) in [
        ("GET", 400),
        ("GET /", 400),
        ("GET / HTTP", 400),
        ("GET / HTTP/1", 400),
        ("GET / HTTP/1.1 ", 400),
        ("GET  / HTTP/1.1", 400),
        ("GET /  HTTP/1.1", 400),
        ("GET\t/ HTTP/1.1", 400),
        ("GET / x HTTP/1.1", 400),
        ("GET / http/1.1", 400),
        ("GET / HTTP/1.1\0", 400),
        ("GET /\0 HTTP/1.1", 400),
        ("GET /\u{e9} HTTP/1.1", 400),
        ("GET /#top HTTP/1.1", 400),
        ("GET a HTTP/1.1", 400),
        ("GET * HTTP/1.1", 400),
        ("GET ftp://a/ HTTP/1.1", 400),
        ("GET / HTTP/2.0", 505),
        ("GET / HTTP/1.2", 505),
        ("GET / HTTP/0.9", 505),
        (" GET / HTTP/1.1", 400),
        ("get / HTTP/1.1", 501),
        ("CONNECT a:443 HTTP/1.1", 501),
        ("TRACE / HTTP/1.1", 501),
        ("PROPFIND / HTTP/1.1", 501),
        ("G@T / HTTP/1.1", 400),
    ] {
        let request = format!("{line}\r\nHost: a\r\n\r\n");
        assert_eq!(refused(request.as_bytes()), status, "{line:?}");
    }
}

#[test]
fn host_decides_by_version() {
    assert_eq!(refused(b"GET / HTTP/1.1\r\n\r\n"), 400);
    assert_eq!(refused(b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n"), 400);
    assert_eq!(refused(b"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"), 400);
    assert_eq!(refused(b"GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"), 400);
    assert_eq!(refused(b"GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n"), 400);
    assert_eq!(refused(b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
    for good in [
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
    ] {
        assert!(matches!(parse(good.as_bytes()), ParseStatus::Complete(..)), "{good:?}");
    }
}

#[test]
fn harmless_spellings_are_accepted() {
    for (fields, framing) in [
        ("", RequestFraming::Length(0)),
        ("content-length:5\r\n", RequestFraming::Length(5)),
        ("Content-Length:  0005 \r\n", RequestFraming::Length(5)),
        ("transfer-encoding: Chunked\t\r\n", RequestFraming::Chunked),
        ("X-Empty:\r\nY: caf\u{e9}\r\n", RequestFraming::Length(0)),
    ] {
        let request = format!("\r\nPOST http://a/b?c HTTP/1.1\r\nHost: a\r\n{fields}\r\nrest");
        let ParseStatus::Complete(head, length) = parse(request.as_bytes()) else { panic!("{fields:?}") };
        assert_eq!(head.framing, framing, "{fields:?}");
        assert_eq!(&request[length..], "rest");
        let view = head.request(&request.as_bytes()[..length], b"");
        assert_eq!((view.path, view.query, view.header("host")), ("/b", "c", Some("a")));
    }
}

#[test]
fn limits_have_their_own_answers() {
    let limits = Limits { head_bytes: 200, target_bytes: 50, fields: 3, body_bytes: 10 };
    let status = |request: &str| match RequestHead::parse(request.as_bytes(), &limits) {
        ParseStatus::Bad(status, _) => status,
        ParseStatus::Complete(..) => 200,
        ParseStatus::Incomplete => 0,
    };
    let long = "x".repeat(300);
    assert_eq!(status(&format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", &long[..49])), 200);
    assert_eq!(status(&format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", &long[..50])), 414);
    assert_eq!(status(&format!("GET /{long} HTTP/1.1\r\nHost: a\r\n\r\n")), 414);
    assert_eq!(status(&format!("GET /{long}")), 414);
    assert_eq!(status(&format!("GET / HTTP/1.1\r\nHost: a\r\nB: {long}")), 431);
    assert_eq!(status(&format!("GET / HTTP/1.1\r\nHost: a\r\nB: {long}\r\n\r\n")), 431);
    assert_eq!(status("GET / HTTP/1.1\r\nHost: a\r\nB: c\r\nD: e\r\n\r\n"), 200);
    assert_eq!(status("GET / HTTP/1.1\r\nHost: a\r\nB: c\r\nD: e\r\nF: g\r\n\r\n"), 431);
    assert_eq!(status("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n"), 200);
    assert_eq!(status("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n"), 413);
    assert_eq!(status(&format!("GET / HTTP/1.1\r\nHost: a\r\nB: {}", &long[..100])), 0);
}

#[test]
fn expectation_and_persistence_are_known_to_the_server() {
    let head = |request: &str| match parse(request.as_bytes()) {
        ParseStatus::Complete(head, _) => (head.expects_continue, head.keep_alive),
        other => panic!("{other:?}"),
    };
    assert_eq!(head("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n\r\n"), (true, true));
    assert_eq!(head("PUT / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n"), (false, false));
    assert_eq!(head("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, close\r\n\r\n"), (false, false));
    assert_eq!(head("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"), (false, true));
}
