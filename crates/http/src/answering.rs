//! What a server itself adds to an application's answer, so that every server says the same bytes.

use crate::{
    Method, Request, RequestHead, Response, Validators, Verdict, Version, parse_date, reason_phrase,
};

/// What the server understands; which of them a page does is the application's to say.
const METHODS: &str = "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS";

/// Says that the client may send the body it announced.
pub const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// What becomes of a connection behind a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parting {
    /// It serves the next request.
    Stay,
    /// It closes: the client sends nothing more.
    Close,
    /// It closes although the client may be sending: first our side only (RFC 9112 §9.6).
    Linger,
}

/// Answers what is asked of the server, not of a page (RFC 9110 §9.3.7); whether it was.
pub(crate) fn answer_for_server(request: &Request<'_>, response: &mut Response) -> bool {
    let asked = request.target == "*";
    if asked {
        response.status(204).header("Allow", METHODS);
    }
    asked
}

/// The answer to a request that is lost because the application failed.
pub fn answer_failure(response: &mut Response) {
    response.clear();
    response.status(500).text("internal server error\n");
}

/// The answer while there is no application.
pub fn answer_absence(response: &mut Response) {
    response.status(503).text("the application is not available\n");
}

/// Leaves a page out that the client has already, by its validator (RFC 9110 §13).
pub(crate) fn leave_out_what_is_known(request: &Request<'_>, response: &mut Response) {
    let reads = matches!(request.method, Method::Get | Method::Head);
    if !reads || response.status != 200 || !request.is_conditional() {
        return;
    }
    let modified_s = response.get("last-modified").and_then(parse_date);
    let validators = Validators { etag: response.get("etag"), modified_s };
    if validators == Validators::default() {
        return;
    }
    let status = match validators.judge(request) {
        Verdict::Proceed => return,
        Verdict::NotModified => 304,
        Verdict::Failed => 412,
    };
    response.status(status).without_content();
}

/// Fills `response` with the server's own refusal of a request; the connection lingers behind it.
pub(crate) fn refuse(status: u16, response: &mut Response) {
    response.clear();
    response.status(status).text(reason_phrase(status));
    if status == 503 {
        // A second is the least that the header can say.
        response.header("Retry-After", "1");
    }
}

/// What becomes of the connection behind `response` to a request. `more`: the client has sent more, or may
/// have.
pub(crate) fn parting(head: &RequestHead, response: &Response, more: bool) -> Parting {
    let unbounded = head.version == Version::Http10 && response.body.length().is_none();
    match (head.keep_alive, response.closes() || unbounded) {
        (true, false) => Parting::Stay,
        // A client that asked to close sends nothing more, unless it has already; any other might.
        (false, _) if !more => Parting::Close,
        _ => Parting::Linger,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Headers, Limits, ParseStatus};

    fn head(fields: &str) -> RequestHead {
        let bytes = alloc::format!("GET / HTTP/1.1\r\nHost: x\r\n{fields}\r\n");
        let ParseStatus::Complete(head, _) = RequestHead::parse(bytes.as_bytes(), &Limits::default()) else {
            panic!("the head is complete")
        };
        head
    }

    #[test]
    fn connections_part_when_either_side_wants_to() {
        let (open, closing) = (head(""), head("Connection: close\r\n"));
        let (stays, mut closes) = (Response::new(), Response::new());
        closes.close();
        for (head, response, more, expected) in [
            (&open, &stays, false, Parting::Stay),
            (&open, &stays, true, Parting::Stay),
            (&open, &closes, false, Parting::Linger),
            (&closing, &stays, false, Parting::Close),
            (&closing, &closes, true, Parting::Linger),
        ] {
            assert_eq!(parting(head, response, more), expected);
        }
    }

    #[test]
    fn the_server_answers_for_itself() {
        let mut response = Response::new();
        assert!(answer_for_server(&Request::new(Method::Options, "*"), &mut response));
        assert_eq!((response.status, response.get("allow")), (204, Some(METHODS)));
        assert!(!answer_for_server(&Request::new(Method::Options, "/"), &mut response));
        refuse(503, &mut response);
        assert_eq!((response.get("allow"), response.get("retry-after")), (None, Some("1")));
    }

    #[test]
    fn what_is_known_is_left_out() {
        let known = |fields: &str, response: &mut Response| {
            let headers = Headers::new(fields.as_bytes());
            leave_out_what_is_known(&Request { headers, ..Request::new(Method::Get, "/") }, response);
        };
        let page = || {
            let mut response = Response::new();
            response.html("<p>hello</p>").header("ETag", "\"v1\"");
            response
        };
        for (fields, status) in [
            ("If-None-Match: \"v1\"\r\n", 304),
            ("If-None-Match: W/\"v1\"\r\n", 304),
            ("If-None-Match: \"v2\"\r\n", 200),
            ("If-Match: \"v2\"\r\n", 412),
            ("Accept: */*\r\n", 200),
        ] {
            let mut response = page();
            known(fields, &mut response);
            assert_eq!((response.status, response.body.is_empty()), (status, status != 200), "{fields}");
            assert_eq!(response.get("etag"), Some("\"v1\""));
        }
        let mut bare = Response::new();
        bare.text("no validator");
        known("If-None-Match: *\r\nIf-Match: \"x\"\r\n", &mut bare);
        assert_eq!(bare.status, 200);
        let mut failed = page();
        failed.status(404);
        known("If-None-Match: \"v1\"\r\n", &mut failed);
        assert_eq!((failed.status, &failed.body), (404, &page().body));
    }
}
