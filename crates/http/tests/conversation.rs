//! Conversations without sockets: what is answered, how it is framed, and what becomes of the connection
//! behind it.

use loadstone_http::{
    Awaited, Body, Composer, Conversation, Limits, Need, Produce, Request, Response, Stream,
};

const LIMITS: Limits = Limits { head_bytes: 500, target_bytes: 100, fields: 8, body_bytes: 100 };

/// Two pieces of content, the second of them perhaps none at all.
struct Pieces {
    made: usize,
    breaks: bool,
}

impl Produce for Pieces {
    fn produce(&mut self, into: &mut Vec<u8>) -> Result<bool, String> {
        self.made += 1;
        if self.made == 2 && self.breaks {
            return Err("no more".into());
        }
        into.extend_from_slice(["one", "two"][self.made - 1].as_bytes());
        Ok(self.made < 2)
    }
}

fn application(request: &Request<'_>, response: &mut Response) {
    match request.path {
        "/close" => drop(response.text("bye").close()),
        "/file" => drop(response.header("ETag", "\"v1\"").text("file")),
        path @ ("/stream" | "/half") => {
            response.stream("text/plain", Pieces { made: 0, breaks: path == "/half" });
        }
        path @ ("/five" | "/six" | "/seven") => {
            let bytes = match path {
                "/five" => 5,
                "/six" => 6,
                _ => 7,
            };
            let content = Stream::of_length(Pieces { made: 0, breaks: false }, bytes);
            response.content("text/plain", Body::Stream(content));
        }
        path => drop(response.text(format!("{path}={}", String::from_utf8_lossy(request.body)))),
    }
}

/// All that is said to a client that sends `pieces`, and what the conversation needs then. Content that
/// breaks off leaves it at that.
fn talk<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (String, Need, Conversation) {
    let (mut talk, mut composer, mut said) = (Conversation::new(), Composer::new(4), Vec::new());
    composer.set_time(784_111_777);
    for piece in pieces {
        talk.room().extend_from_slice(piece);
        talk.received(&LIMITS);
        loop {
            match talk.need() {
                Need::Answer => talk.answer(&mut composer, false, application, |_, _| {}),
                Need::Refusal(status) => talk.refuse(status, &mut composer),
                Need::Content if talk.refill().is_err() => break,
                Need::Content => {}
                Need::Room => {
                    let unsent = talk.unsent().unwrap();
                    said.extend_from_slice(unsent.head);
                    said.extend_from_slice(unsent.body.as_slice());
                    let all = unsent.head.len() + unsent.body.len();
                    talk.sent(all, false, &mut composer, &LIMITS);
                }
                Need::Bytes(_) | Need::Close | Need::Linger => break,
            }
        }
    }
    let said = String::from_utf8(said).unwrap().replace("Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", "");
    (said.replace("Content-Type: text/plain; charset=utf-8\r\n", ""), talk.need(), talk)
}

fn said(bytes: &str) -> (String, Need) {
    let whole = talk([bytes.as_bytes()]);
    let bytewise = talk(bytes.as_bytes().chunks(1));
    // Whether more has come when a connection closes depends on when.
    assert_eq!(whole.0, bytewise.0, "{bytes:?}");
    (whole.0, whole.1)
}

const OPEN: Need = Need::Bytes(Awaited::Request);

#[test]
fn every_answer_says_what_becomes_of_the_connection() {
    for (bytes, expected, then) in [
        ("GET /a HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n/a=", OPEN),
        (
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi\
             POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nho\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n/a=hi\
             HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n/b=ho",
            OPEN,
        ),
        (
            "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\n/a=",
            Need::Close,
        ),
        (
            "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\n/a=",
            Need::Linger,
        ),
        (
            "GET /close HTTP/1.1\r\nHost: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbye",
            Need::Linger,
        ),
        (
            "GET /a HTTP/1.0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\n/a=",
            Need::Close,
        ),
        (
            "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\n/a=",
            OPEN,
        ),
        ("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", OPEN),
        (
            "GET /file HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"v1\"\r\n\r\n",
            "HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n",
            OPEN,
        ),
        (
            "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
            "HTTP/1.1 204 No Content\r\nAllow: GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS\r\n\r\n",
            OPEN,
        ),
        (
            "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n\
             3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n",
            OPEN,
        ),
        (
            "GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\nonetwo",
            Need::Linger,
        ),
        (
            "GET /six HTTP/1.1\r\nHost: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nContent-Type: text/plain\r\n\r\nonetwo",
            OPEN,
        ),
        (
            "GET /six HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: keep-alive\r\nContent-Type: text/plain\r\n\r\nonetwo",
            OPEN,
        ),
        (
            "HEAD /six HTTP/1.1\r\nHost: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nContent-Type: text/plain\r\n\r\n",
            OPEN,
        ),
        (
            "GET /five HTTP/1.1\r\nHost: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n\r\none",
            Need::Content,
        ),
        (
            "GET /seven HTTP/1.1\r\nHost: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nContent-Type: text/plain\r\n\r\none",
            Need::Content,
        ),
        (
            "HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n",
            OPEN,
        ),
        (
            "GET /half HTTP/1.1\r\nHost: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n3\r\none\r\n",
            Need::Content,
        ),
    ] {
        assert_eq!(said(bytes), (expected.to_owned(), then), "{bytes:?}");
    }
}

#[test]
fn nothing_is_read_behind_a_refusal() {
    for (request, status) in [
        ("GET /a HTTP/1.1\r\n\r\n", "400"),
        ("GET /a HTTP/2.0\r\nHost: x\r\n\r\n", "505"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n\r\n", "413"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nx", "400"),
        ("POST / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n", "417"),
    ] {
        let (answer, then) = said(&format!("{request}GET /a HTTP/1.1\r\nHost: x\r\n\r\n"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request:?}: {answer}");
        assert!(answer.contains("Connection: close\r\n") && answer.matches("HTTP/1.1").count() == 1);
        assert_eq!(then, Need::Linger, "{request:?}");
    }
}

#[test]
fn it_waits_for_what_is_missing_until_the_client_ends() {
    for (bytes, awaited) in [
        ("", Awaited::Head),
        ("GET / HT", Awaited::Head),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nh", Awaited::Body),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhi", Awaited::Body),
    ] {
        let (said, need, mut talk) = talk([bytes.as_bytes()]);
        assert_eq!((said.as_str(), need), ("", Need::Bytes(awaited)), "{bytes:?}");
        talk.end();
        assert_eq!(talk.need(), Need::Close, "half a request is none");
    }
}

#[test]
fn a_client_is_told_to_go_on_once_and_only_before_its_body() {
    let head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
    let (_, _, mut waiting) = talk([head.as_bytes()]);
    assert_eq!((waiting.asks_to_continue(), waiting.asks_to_continue()), (true, false));
    let (_, _, mut begun) = talk([format!("{head}h").as_bytes()]);
    assert!(!begun.asks_to_continue());
    let (_, _, mut refused) = talk([head.as_bytes()]);
    refused.refuse(503, &mut Composer::new(0));
    assert!(!refused.asks_to_continue());
}

#[test]
fn whoever_ends_wins_over_who_would_stay() {
    let (mut composer, request) = (Composer::new(0), b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    let mut talk = Conversation::new();
    talk.room().extend_from_slice(request);
    talk.received(&LIMITS);
    talk.answer(&mut composer, false, application, |_, response| {
        response.close();
    });
    let (head, body) = talk.unsent().map(|it| (it.head.len(), it.body.len())).unwrap();
    talk.sent(head, false, &mut composer, &LIMITS);
    assert_eq!(talk.need(), Need::Room, "the body is missing");
    talk.sent(head + body, true, &mut composer, &LIMITS);
    assert_eq!(talk.need(), Need::Room, "it is not out before the layer beneath says so");
    talk.sent(head + body, false, &mut composer, &LIMITS);
    assert_eq!(talk.need(), Need::Linger);
    talk.end();
    assert_eq!(talk.need(), Need::Close, "nobody lingers for a client that has ended");
}
