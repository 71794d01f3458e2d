//! What a client may and may not send by RFC 9110 and RFC 9112, case by case: compliance, smuggling,
//! malformed input.
//!
//! Each case is sent on a connection of its own with a probe behind it, `GET /query?probe`. Where the
//! connection stays open the probe is the next request and must be answered; where it closes, the probe must
//! never be taken for one.

use loadstone_container::Server;

use crate::client::Client;
use crate::{each, start};

/// What must come back: the answers in order, then what becomes of the connection.
#[derive(Debug, Clone, Copy)]
pub enum Then {
    /// These statuses, and the connection serves the probe.
    Open(&'static [u16]),
    /// This status, and the connection closes.
    Closed(u16),
}
use Then::{Closed, Open};

const PROBE: &str = "GET /query?probe HTTP/1.1\r\nHost: a\r\n\r\n";

/// Section of the standard (9110: semantics, 9112: messages), what is sent, what must come back. `{}` stands
/// for a `Host` line.
const CASES: &[(&str, &str, Then)] = &[
    // The request line.
    ("9112 2.2: an empty line before it", "\r\nGET /hello HTTP/1.1\r\n{}\r\n", Open(&[200])),
    ("9112 2.2: a bare LF behind it", "GET /hello HTTP/1.1\n{}\r\n", Closed(400)),
    ("9112 2.2: bare LFs throughout", "GET /hello HTTP/1.1\nHost: a\n\n", Closed(400)),
    ("9112 2.2: a bare CR in it", "GET /hello\rHTTP/1.1\r\n{}\r\n", Closed(400)),
    ("9112 2.2: white space before the first field", "GET /hello HTTP/1.1\r\n {}\r\n", Closed(400)),
    ("9112 2.3: lower-case name of the protocol", "GET /hello http/1.1\r\n{}\r\n", Closed(400)),
    ("9112 2.3: two digits of a version", "GET /hello HTTP/1.10\r\n{}\r\n", Closed(400)),
    ("9112 2.3: a leading zero of a version", "GET /hello HTTP/01.1\r\n{}\r\n", Closed(400)),
    ("9112 2.3: no version", "GET /hello\r\n{}\r\n", Closed(400)),
    ("9112 2.3: white space in the version", "GET /hello HTTP/ 1.1\r\n{}\r\n", Closed(400)),
    ("9112 2.5: a higher major version", "GET /hello HTTP/2.0\r\n{}\r\n", Closed(505)),
    ("9112 2.5: the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Closed(505)),
    ("9112 3: two spaces", "GET  /hello HTTP/1.1\r\n{}\r\n", Closed(400)),
    ("9112 3: a tab", "GET\t/hello HTTP/1.1\r\n{}\r\n", Closed(400)),
    ("9112 3: a space at the end", "GET /hello HTTP/1.1 \r\n{}\r\n", Closed(400)),
    ("9112 3: a word too many", "GET /hello x HTTP/1.1\r\n{}\r\n", Closed(400)),
    ("9112 3: a space before the method", " GET /hello HTTP/1.1\r\n{}\r\n", Closed(400)),
    // Methods.
    ("9110 9.1: lower case is another method", "get /hello HTTP/1.1\r\n{}\r\n", Closed(501)),
    ("9110 9.1: a method nobody knows", "BREW /hello HTTP/1.1\r\n{}\r\n", Closed(501)),
    ("9110 9.3.6: CONNECT, which an origin need not have", "CONNECT a:443 HTTP/1.1\r\n{}\r\n", Closed(501)),
    ("9110 9.3.8: TRACE, which would give cookies away", "TRACE /hello HTTP/1.1\r\n{}\r\n", Closed(501)),
    ("9110 9.3.7: OPTIONS of the server", "OPTIONS * HTTP/1.1\r\n{}\r\n", Open(&[204])),
    (
        "9110 9.3.7: the same with a body",
        "OPTIONS * HTTP/1.1\r\n{}Content-Length: 3\r\n\r\nabc",
        Open(&[204]),
    ),
    ("9112 3.2.4: an asterisk is for OPTIONS", "GET * HTTP/1.1\r\n{}\r\n", Closed(400)),
    // Targets.
    ("9112 3.2.1: a query", "GET /query?a=/b?c HTTP/1.1\r\n{}\r\n", Open(&[200])),
    ("9112 3.2.1: no slash", "GET hello HTTP/1.1\r\n{}\r\n", Closed(400)),
    ("9112 3.2.2: absolute form", "GET http://a/hello HTTP/1.1\r\n{}\r\n", Open(&[200])),
    (
        "9112 3.2.2: absolute form, the scheme in capitals",
        "GET HTTP://a/hello HTTP/1.1\r\n{}\r\n",
        Open(&[200]),
    ),
    ("9112 3.2.2: absolute form of https", "GET https://a/hello HTTP/1.1\r\n{}\r\n", Open(&[200])),
    ("9112 3.2.2: absolute form with another host", "GET http://b/hello HTTP/1.1\r\n{}\r\n", Open(&[200])),
    ("9112 3.2.2: absolute form needs Host, too", "GET http://a/hello HTTP/1.1\r\n\r\n", Closed(400)),
    ("9110 4.2.1: absolute form without a host", "GET http:///hello HTTP/1.1\r\n{}\r\n", Closed(400)),
    ("9110 4.2.4: absolute form with a user", "GET http://u@a/hello HTTP/1.1\r\n{}\r\n", Closed(400)),
    ("9112 3.2.2: another scheme", "GET ftp://a/hello HTTP/1.1\r\n{}\r\n", Closed(400)),
    ("9110 7.1: a fragment", "GET /hello#top HTTP/1.1\r\n{}\r\n", Closed(400)),
    ("9112 3.2: a backslash is only a character", "GET /hel\\lo HTTP/1.1\r\n{}\r\n", Open(&[404])),
    ("9112 3.2: NUL in the target", "GET /hel\0lo HTTP/1.1\r\n{}\r\n", Closed(400)),
    ("9112 3.2: bytes beyond ASCII in the target", "GET /h\u{e9}llo HTTP/1.1\r\n{}\r\n", Closed(400)),
    // Host.
    ("9112 3.2: no Host", "GET /hello HTTP/1.1\r\n\r\n", Closed(400)),
    ("9112 3.2: two Hosts", "GET /hello HTTP/1.1\r\n{}Host: b\r\n\r\n", Closed(400)),
    ("9112 3.2: the same Host twice", "GET /hello HTTP/1.1\r\n{}Host: a\r\n\r\n", Closed(400)),
    ("9112 3.2: an empty Host", "GET /hello HTTP/1.1\r\nHost:\r\n\r\n", Open(&[200])),
    ("9112 3.2: a Host with a port", "GET /hello HTTP/1.1\r\nHost: a:8080\r\n\r\n", Open(&[200])),
    ("9112 3.2: an IPv6 Host", "GET /hello HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", Open(&[200])),
    ("9112 3.2: a Host with a path", "GET /hello HTTP/1.1\r\nHost: a/b\r\n\r\n", Closed(400)),
    ("9112 3.2: a Host with a user", "GET /hello HTTP/1.1\r\nHost: u@a\r\n\r\n", Closed(400)),
    ("9112 3.2: two names in a Host", "GET /hello HTTP/1.1\r\nHost: a b\r\n\r\n", Closed(400)),
    // Field lines.
    ("9112 5.1: a space before the colon", "GET /hello HTTP/1.1\r\n{}A : b\r\n\r\n", Closed(400)),
    ("9112 5.1: no colon", "GET /hello HTTP/1.1\r\n{}A\r\n\r\n", Closed(400)),
    ("9112 5.1: no name", "GET /hello HTTP/1.1\r\n{}: b\r\n\r\n", Closed(400)),
    ("9110 5.1: a name that is no token", "GET /hello HTTP/1.1\r\n{}A(b): c\r\n\r\n", Closed(400)),
    ("9112 5.2: a folded line", "GET /hello HTTP/1.1\r\n{}A: b\r\n c\r\n\r\n", Closed(400)),
    ("9110 5.5: NUL in a value", "GET /hello HTTP/1.1\r\n{}A: b\0c\r\n\r\n", Closed(400)),
    ("9110 5.5: a bare CR in a value", "GET /hello HTTP/1.1\r\n{}A: b\rc\r\n\r\n", Closed(400)),
    ("9110 5.5: a bell in a value", "GET /hello HTTP/1.1\r\n{}A: b\x07\r\n\r\n", Closed(400)),
    ("9110 5.5: bytes beyond ASCII in a value", "GET /hello HTTP/1.1\r\n{}A: \u{e9}\r\n\r\n", Open(&[200])),
    ("9110 5.5: an empty value", "GET /hello HTTP/1.1\r\n{}A:\r\n\r\n", Open(&[200])),
    ("9110 5.5: white space around a value", "GET /hello HTTP/1.1\r\n{}A: \t b \t\r\n\r\n", Open(&[200])),
    // Where a body ends.
    ("9112 6.3: a length of nothing", "POST /echo HTTP/1.1\r\n{}Content-Length: 0\r\n\r\n", Open(&[200])),
    ("9112 6.3: no length, no body", "POST /echo HTTP/1.1\r\n{}\r\n", Open(&[200])),
    ("9110 8.6: a body of GET", "GET /hello HTTP/1.1\r\n{}Content-Length: 3\r\n\r\nabc", Open(&[200])),
    ("9112 6.3: a length with a sign", "POST /echo HTTP/1.1\r\n{}Content-Length: +3\r\n\r\nabc", Closed(400)),
    ("9112 6.3: a negative length", "POST /echo HTTP/1.1\r\n{}Content-Length: -1\r\n\r\n", Closed(400)),
    (
        "9112 6.3: a hexadecimal length",
        "POST /echo HTTP/1.1\r\n{}Content-Length: 0x3\r\n\r\nabc",
        Closed(400),
    ),
    ("9112 6.3: a list of lengths", "POST /echo HTTP/1.1\r\n{}Content-Length: 3, 3\r\n\r\nabc", Closed(400)),
    (
        "9112 6.3: two lengths",
        "POST /echo HTTP/1.1\r\n{}Content-Length: 3\r\nContent-Length: 0\r\n\r\nabc",
        Closed(400),
    ),
    (
        "9112 6.3: a length beyond 64 bits",
        "POST /echo HTTP/1.1\r\n{}Content-Length: 18446744073709551617\r\n\r\na",
        Closed(400),
    ),
    (
        "9112 6.1: length and coding",
        "POST /echo HTTP/1.1\r\n{}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        Closed(400),
    ),
    (
        "9112 6.1: chunked last, but not alone",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: gzip, chunked\r\n\r\n",
        Closed(501),
    ),
    (
        "9112 6.1: chunked not last",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked, gzip\r\n\r\n",
        Closed(501),
    ),
    (
        "9112 6.1: chunked twice",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked, chunked\r\n\r\n",
        Closed(400),
    ),
    (
        "9112 7: a coding nobody knows",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: xchunked\r\n\r\n",
        Closed(501),
    ),
    (
        "9112 6.1: identity, which is gone",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: identity\r\n\r\n",
        Closed(501),
    ),
    (
        "9112 6.1: a coding in HTTP/1.0",
        "POST /echo HTTP/1.0\r\n{}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        Closed(400),
    ),
    (
        "9112 6.1: a folded coding",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding:\r\n chunked\r\n\r\n",
        Closed(400),
    ),
    // Chunks.
    (
        "9112 7.1: chunks",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        Open(&[200]),
    ),
    (
        "9112 7.1: zeros before a size",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: CHUNKED\r\n\r\n003\r\nabc\r\n00\r\n\r\n",
        Open(&[200]),
    ),
    (
        "9112 7.1.1: an extension",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n3;a=\"b\"\r\nabc\r\n0\r\n\r\n",
        Open(&[200]),
    ),
    (
        "9112 7.1.1: LF in an extension",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n3;a\nabc\r\n0\r\n\r\n",
        Closed(400),
    ),
    (
        "9112 7.1.2: trailers",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\nHost: c\r\n\r\n",
        Open(&[200]),
    ),
    (
        "9112 7.1.2: a bare LF in trailers",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\n\r\n",
        Closed(400),
    ),
    ("9112 7.1: no size", "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n\r\nabc", Closed(400)),
    (
        "9112 7.1: a size with a prefix",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n",
        Closed(400),
    ),
    (
        "9112 7.1: a size with a sign",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n-3\r\nabc\r\n",
        Closed(400),
    ),
    (
        "9112 7.1: a size with an underscore",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n1_0\r\nabc\r\n",
        Closed(400),
    ),
    (
        "9112 7.1: a space before a size",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n 3\r\nabc\r\n",
        Closed(400),
    ),
    (
        "9112 7.1: a size beyond 64 bits",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n10000000000000003\r\nabc\r\n",
        Closed(400),
    ),
    (
        "9112 7.1: a bare LF behind a size",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n",
        Closed(400),
    ),
    (
        "9112 7.1: a bare LF behind a chunk",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\n0\r\n\r\n",
        Closed(400),
    ),
    (
        "9112 7.1: a bare CR behind a size",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n3\rabc\r\n0\r\n\r\n",
        Closed(400),
    ),
    (
        "9112 7.1: more than the size says",
        "POST /echo HTTP/1.1\r\n{}Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
        Closed(400),
    ),
    // Expectations, HTTP/1.0, persistence.
    (
        "9110 10.1.1: an expectation nobody knows",
        "POST /echo HTTP/1.1\r\n{}Expect: wonders\r\n\r\n",
        Closed(417),
    ),
    (
        "9110 10.1.1: 100-continue without a body",
        "GET /hello HTTP/1.1\r\n{}Expect: 100-continue\r\n\r\n",
        Open(&[200]),
    ),
    (
        "9110 10.1.1: 100-continue with the body",
        "POST /echo HTTP/1.1\r\n{}Expect: 100-Continue\r\nContent-Length: 3\r\n\r\nabc",
        Open(&[200]),
    ),
    ("9112 9.3: HTTP/1.0 closes", "GET /hello HTTP/1.0\r\n\r\n", Closed(200)),
    (
        "9112 9.3: HTTP/1.0 asks to stay",
        "GET /hello HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
        Open(&[200]),
    ),
    (
        "9112 9.3: HTTP/1.1 asks to close",
        "GET /hello HTTP/1.1\r\n{}Connection: x, CLOSE\r\n\r\n",
        Closed(200),
    ),
    (
        "9112 9.3.2: a pipeline",
        "GET /hello HTTP/1.1\r\n{}\r\nGET /none HTTP/1.1\r\nHost: a\r\n\r\n",
        Open(&[200, 204]),
    ),
    (
        "9110 7.8: an upgrade is not taken",
        "GET /hello HTTP/1.1\r\n{}Connection: upgrade\r\nUpgrade: h2c\r\n\r\n",
        Open(&[200]),
    ),
    // No HTTP at all.
    ("9112 3: bytes of a TLS handshake", "\x16\x03\x01\x02\0\x01\0\x01", Closed(400)),
    ("9112 3: a line of nothing but spaces", "   \r\n\r\n", Closed(400)),
];

#[test]
fn every_case_has_its_answer() {
    each(|config| {
        let (server, _) = start(config);
        for (case, request, then) in CASES {
            check(&server, case, &request.replace("{}", "Host: a\r\n"), *then);
        }
    });
}

/// Sends a case on a connection of its own, the probe behind it, and sees what becomes of both.
pub fn check(server: &Server, case: &str, request: &str, then: Then) {
    let mut client = Client::connect(server.address());
    client.send(request);
    client.try_send(PROBE);
    match then {
        Open(statuses) => {
            for status in statuses {
                let reply = client.reply();
                assert_eq!((reply.status, reply.keep_alive), (*status, true), "{case}");
            }
            assert_eq!(client.reply().text(), "probe", "{case}");
        }
        Closed(status) => {
            let reply = client.reply();
            assert_eq!((reply.status, reply.keep_alive), (status, false), "{case}");
            // Cut where the probe, still on its way, met a closed socket.
            assert!(client.rest_and_end().0.is_empty(), "{case}");
        }
    }
}

#[test]
fn a_server_says_what_it_can() {
    each(|config| {
        let (server, _) = start(config);
        let mut client = Client::connect(server.address());
        client.send("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(client.reply().fields.contains("Allow: GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS\r\n"));
        // What a page can is for the application to say.
        client.send("OPTIONS /query?x HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!(client.reply().text(), "x");
    });
}
