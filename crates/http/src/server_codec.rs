//! The server's side: reads request heads strictly, writes response heads.

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use crate::authority::is_host_and_port;
use crate::client_codec::{decimal, field_lines, write_decimal};
use crate::request::{keep_alive, split_scheme};
use crate::{DATE_LEN, Headers, Method, Request, Response, Version, reason_phrase};

/// Most header fields that any [`Limits`] can allow.
const MAX_FIELDS: usize = 128;

/// What a server takes from a client it does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a whole head; more is 431.
    pub head_bytes: usize,
    /// Bytes of a request target; more is 414.
    pub target_bytes: usize,
    /// Header fields, at most 128; more is 431.
    pub fields: usize,
    /// Bytes of a body without its coding; more is 413.
    pub body_bytes: u64,
}

impl Default for Limits {
    /// 16 KiB of head, 8 KiB of target (RFC 9112 §3 asks for at least 8,000 bytes), 100 fields, 8 MiB of
    /// body.
    fn default() -> Self {
        Self { head_bytes: 16 * 1024, target_bytes: 8 * 1024, fields: 100, body_bytes: 8 * 1024 * 1024 }
    }
}

/// Where the body of a request ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestFraming {
    /// After this many bytes; 0 when there is no body.
    Length(u64),
    /// Where the chunked coding says.
    Chunked,
}

/// What [`RequestHead::parse`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseStatus {
    /// The head has not arrived as a whole.
    Incomplete,
    /// A head of so many bytes.
    Complete(RequestHead, usize),
    /// Answer with this status and close the connection; the reason is for the log.
    Bad(u16, &'static str),
}

/// A request head: what the server must know, and where in the received bytes the rest stands.
/// It borrows nothing, so the buffer may move between parsing and serving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestHead {
    /// The method.
    pub method: Method,
    /// The protocol version.
    pub version: Version,
    /// Where the body ends.
    pub framing: RequestFraming,
    /// Whether the client wants the connection kept.
    pub keep_alive: bool,
    /// Whether the client waits for `100 Continue` before it sends the body.
    pub expects_continue: bool,
    target: (u32, u32),
    lines: (u32, u32),
}

/// A refusal: the status of the answer and the reason.
type Refusal = (u16, &'static str);

impl RequestHead {
    /// Reads a head from the beginning of `bytes`; empty lines before it are skipped.
    ///
    /// Refused with 400: bare LF or CR, NUL, folded lines, space before a colon, no or two `Host` or one that
    /// is no host and port, `Content-Length` together with `Transfer-Encoding` or more than once, a target
    /// that is no path; with 501 unknown methods and transfer codings, 505 other versions, 417 other
    /// expectations, and 413, 414, 431 what is over `limits`.
    ///
    /// ```
    /// use loadstone_http::{Limits, Method, ParseStatus, RequestHead};
    /// let bytes = b"GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n";
    /// let ParseStatus::Complete(head, length) = RequestHead::parse(bytes, &Limits::default()) else { panic!() };
    /// let request = head.request(&bytes[..length], b"");
    /// assert_eq!((request.method, request.path, request.query), (Method::Get, "/a", "b"));
    /// ```
    pub fn parse(bytes: &[u8], limits: &Limits) -> ParseStatus {
        match find_end(bytes, limits) {
            Ok(None) => ParseStatus::Incomplete,
            Ok(Some(length)) => match parse_head(&bytes[..length], limits) {
                Ok(head) => ParseStatus::Complete(head, length),
                Err((status, why)) => ParseStatus::Bad(status, why),
            },
            Err((status, why)) => ParseStatus::Bad(status, why),
        }
    }

    /// The request that consists of this head, whose bytes are `head`, and a decoded body.
    ///
    /// # Panics
    /// When `head` is shorter than the head that was parsed.
    pub fn request<'a>(&self, head: &'a [u8], body: &'a [u8]) -> Request<'a> {
        let part = |(start, end): (u32, u32)| &head[start as usize..end as usize];
        // Targets are ASCII: `parse` refuses anything else.
        let target = core::str::from_utf8(part(self.target)).unwrap_or("/");
        let request = Request::new(self.method, target);
        Request { version: self.version, headers: Headers::new(part(self.lines)), body, ..request }
    }
}

/// Length of the head with its empty line, none while that has not arrived. Every line must end in CRLF.
fn find_end(bytes: &[u8], limits: &Limits) -> Result<Option<usize>, Refusal> {
    let mut line_start = 0;
    // RFC 9112 §2.2: empty lines before a request are to be ignored.
    while bytes[line_start..].starts_with(b"\r\n") {
        line_start += 2;
    }
    let first_line = line_start;
    if bytes.get(line_start).is_some_and(|&byte| !byte.is_ascii_graphic() && byte != b'\r') {
        return Err((400, "a request line cannot begin so"));
    }
    let (mut first_line_end, mut end) = (bytes.len(), None);
    for at in memchr::memchr_iter(b'\n', &bytes[first_line..]).map(|at| at + first_line) {
        if at == 0 || bytes[at - 1] != b'\r' {
            return Err((400, "a line does not end in CRLF"));
        }
        if line_start == first_line {
            first_line_end = at;
        }
        let empty = at - line_start == 1;
        line_start = at + 1;
        if empty {
            end = Some(line_start);
            break;
        }
    }
    if end.unwrap_or(bytes.len()) > limits.head_bytes {
        let target = first_line_end > limits.head_bytes;
        return Err(if target { (414, "request target too long") } else { (431, "head too long") });
    }
    Ok(end)
}

fn parse_head(bytes: &[u8], limits: &Limits) -> Result<RequestHead, Refusal> {
    let mut slots = [const { MaybeUninit::uninit() }; MAX_FIELDS];
    let slots = &mut slots[..limits.fields.min(MAX_FIELDS)];
    let mut parsed = httparse::Request::new(&mut []);
    let config = httparse::ParserConfig::default();
    match config.parse_request_with_uninit_headers(&mut parsed, bytes, slots) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => return Err((400, "malformed head")),
        Err(error) => return Err(refusal(error, bytes)),
    }
    let (name, target) = (parsed.method.unwrap_or(""), parsed.path.unwrap_or(""));
    let method = Method::parse(name).ok_or((501, "unknown method"))?;
    if target.len() > limits.target_bytes {
        return Err((414, "request target too long"));
    }
    check_target(target, method)?;
    let version = if parsed.version == Some(0) { Version::Http10 } else { Version::Http11 };
    let fields = read_fields(parsed.headers, version, limits)?;
    let lines = field_lines(bytes);
    let span = |part: &[u8]| {
        let start = part.as_ptr() as usize - bytes.as_ptr() as usize;
        (start as u32, (start + part.len()) as u32)
    };
    Ok(RequestHead {
        method,
        version,
        framing: fields.framing,
        keep_alive: keep_alive(version, &Headers::new(lines)),
        expects_continue: fields.expects_continue,
        target: span(target.as_bytes()),
        lines: span(lines),
    })
}

fn refusal(error: httparse::Error, bytes: &[u8]) -> Refusal {
    match error {
        httparse::Error::TooManyHeaders => (431, "too many header fields"),
        httparse::Error::Version => {
            let line = bytes.trim_ascii_start().split(|&byte| byte == b'\r').next().unwrap_or(b"");
            let mut words = line.split(|&byte| byte == b' ');
            match (words.nth(2), words.next()) {
                (Some([b'H', b'T', b'T', b'P', b'/', major, b'.', minor]), None)
                    if major.is_ascii_digit() && minor.is_ascii_digit() =>
                {
                    (505, "unknown version")
                }
                _ => (400, "malformed request line"),
            }
        }
        httparse::Error::Token => (400, "malformed request line"),
        _ => (400, "malformed header field"),
    }
}

/// RFC 9112 §3.2: a path, an absolute URI of http or https with a host and no user (RFC 9110 §4.2), or `*`
/// for OPTIONS; ASCII without a fragment.
fn check_target(target: &str, method: Method) -> Result<(), Refusal> {
    let form = target.starts_with('/') || absolute(target) || (target == "*" && method == Method::Options);
    let clean = target.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
    if form && clean { Ok(()) } else { Err((400, "malformed request target")) }
}

fn absolute(target: &str) -> bool {
    let Some((scheme, rest)) = split_scheme(target) else { return false };
    let known = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let authority = rest.split(['/', '?']).next().unwrap_or("");
    let named = !authority.is_empty() && !authority.starts_with(':');
    known && named && is_host_and_port(authority.as_bytes())
}

struct Fields {
    framing: RequestFraming,
    expects_continue: bool,
}

/// What the server itself must know of the header fields (RFC 9112 §3.2, §6; RFC 9110 §10.1.1).
fn read_fields(
    fields: &[httparse::Header<'_>],
    version: Version,
    limits: &Limits,
) -> Result<Fields, Refusal> {
    let (mut host, mut length, mut chunked, mut expects_continue) = (false, None, false, false);
    for field in fields {
        // The length sorts out nearly every other field before names are compared.
        match field.name.len() {
            4 if field.name.eq_ignore_ascii_case("host") => {
                if host || !is_host_and_port(field.value) {
                    return Err((400, "Host is repeated or malformed"));
                }
                host = true;
            }
            14 if field.name.eq_ignore_ascii_case("content-length") => {
                if length.is_some() {
                    return Err((400, "Content-Length is repeated"));
                }
                length = Some(decimal(field.value).filter(|_| !field.value.is_empty()));
            }
            17 if field.name.eq_ignore_ascii_case("transfer-encoding") => {
                if chunked {
                    return Err((400, "Transfer-Encoding is repeated"));
                }
                check_coding(field.value)?;
                chunked = true;
            }
            6 if field.name.eq_ignore_ascii_case("expect") => {
                if !field.value.eq_ignore_ascii_case(b"100-continue") {
                    return Err((417, "unknown expectation"));
                }
                expects_continue = version == Version::Http11;
            }
            _ => {}
        }
    }
    if !host && version == Version::Http11 {
        return Err((400, "Host is missing"));
    }
    let framing = match (length, chunked) {
        (Some(_), true) => return Err((400, "Content-Length with Transfer-Encoding")),
        (None, true) if version == Version::Http10 => return Err((400, "Transfer-Encoding in HTTP/1.0")),
        (None, true) => RequestFraming::Chunked,
        (None, false) => RequestFraming::Length(0),
        (Some(None), false) => return Err((400, "Content-Length is not a number")),
        (Some(Some(length)), false) if length > limits.body_bytes => return Err((413, "body too long")),
        (Some(Some(length)), false) => RequestFraming::Length(length),
    };
    Ok(Fields { framing, expects_continue })
}

/// Only `chunked`, once, is understood. A coding that we do not know is 501, one that makes the end of the
/// body uncertain 400 (RFC 9112 §6.1, §7).
fn check_coding(value: &[u8]) -> Result<(), Refusal> {
    if value.eq_ignore_ascii_case(b"chunked") {
        return Ok(());
    }
    let mut codings = value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
    let repeated = codings.clone().filter(|coding| coding.eq_ignore_ascii_case(b"chunked")).count() > 1;
    if repeated || codings.any(<[u8]>::is_empty) {
        return Err((400, "malformed Transfer-Encoding"));
    }
    Err((501, "unknown transfer coding"))
}

/// What a response head says about the connection it goes out on.
#[derive(Debug, Clone, Copy)]
pub struct ResponseContext<'a> {
    /// The `Date` header.
    pub date: &'a [u8; DATE_LEN],
    /// Version of the request.
    pub version: Version,
    /// Whether the connection stays open after the response.
    pub keep_alive: bool,
    /// Whether the request's method was HEAD.
    pub head_only: bool,
}

/// Appends the head of `response` to `out` and returns whether its body follows: not after HEAD,
/// 204 and 304. Allocates only when `out` must grow.
pub fn write_response_head(out: &mut Vec<u8>, response: &Response, context: &ResponseContext<'_>) -> bool {
    let bodiless = matches!(response.status, 100..=199 | 204 | 304);
    out.extend_from_slice(b"HTTP/1.1 ");
    write_decimal(u64::from(response.status), out);
    out.push(b' ');
    out.extend_from_slice(reason_phrase(response.status).as_bytes());
    out.extend_from_slice(b"\r\nDate: ");
    out.extend_from_slice(context.date);
    match response.body.length() {
        _ if bodiless => {}
        Some(length) => {
            out.extend_from_slice(b"\r\nContent-Length: ");
            write_decimal(length, out);
        }
        // Before HTTP/1.1 the end of the connection is the end of the content.
        None if context.version == Version::Http10 => {}
        None => out.extend_from_slice(b"\r\nTransfer-Encoding: chunked"),
    }
    out.extend_from_slice(match (context.keep_alive, context.version) {
        (true, Version::Http11) => &b"\r\n"[..],
        (true, Version::Http10) => b"\r\nConnection: keep-alive\r\n",
        (false, _) => b"\r\nConnection: close\r\n",
    });
    out.extend_from_slice(response.headers().as_bytes());
    out.extend_from_slice(b"\r\n");
    !bodiless && !context.head_only && !response.body.is_empty()
}
