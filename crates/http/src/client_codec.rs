//! The client's side: reads response heads.

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use crate::request::keep_alive;
use crate::{Headers, Method, Version};

/// Most header fields of a response.
const MAX_FIELDS: usize = 128;

/// Why a response cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadResponse {
    /// Status line or a field line is malformed.
    Head,
    /// More than 128 header fields.
    TooManyFields,
    /// `Content-Length` is not one number.
    ContentLength,
    /// A transfer coding other than `chunked`.
    TransferCoding,
}

impl core::fmt::Display for BadResponse {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Head => "the response's head is malformed",
            Self::TooManyFields => "the response has more than 128 header fields",
            Self::ContentLength => "the response's Content-Length is not one number",
            Self::TransferCoding => "the response has a transfer coding other than chunked",
        })
    }
}

impl core::error::Error for BadResponse {}

/// Where the body of a response ends (RFC 9112 §6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyFraming {
    /// There is no body.
    None,
    /// After this many bytes, at least one.
    Length(u64),
    /// Where the chunked coding says; read it with [`crate::ChunkedDecoder`].
    Chunked,
    /// Where the server closes the connection.
    Close,
}

/// The head of a response, read in place without allocation.
#[derive(Debug, Clone, Copy)]
pub struct ResponseHead<'a> {
    /// Status code.
    pub status: u16,
    /// Protocol version.
    pub version: Version,
    /// `Content-Length`, when there is one.
    pub content_length: Option<u64>,
    /// Whether the body is in the chunked coding.
    pub chunked: bool,
    /// Whether the server keeps the connection after this response. A body that ends with the
    /// connection ([`BodyFraming::Close`]) ends it whatever this says.
    pub keep_alive: bool,
    /// Header fields: `get("etag")`, `all("set-cookie")`.
    pub headers: Headers<'a>,
}

impl<'a> ResponseHead<'a> {
    /// Reads a head from the beginning of `bytes`: none while it is incomplete, else the head and
    /// its length in bytes. A status of 100 to 199 announces another response behind it.
    ///
    /// ```
    /// use loadstone_http::{BodyFraming, Method, ResponseHead};
    /// let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"x\"\r\n\r\nhello";
    /// let (head, length) = ResponseHead::parse(bytes).unwrap().unwrap();
    /// assert_eq!(head.framing(Method::Get), BodyFraming::Length(5));
    /// assert_eq!(head.headers.get("etag"), Some("\"x\""));
    /// assert_eq!(&bytes[length..], b"hello");
    /// ```
    ///
    /// # Errors
    /// [`BadResponse`]: the connection cannot be used any more.
    pub fn parse(bytes: &'a [u8]) -> Result<Option<(Self, usize)>, BadResponse> {
        let mut slots = [const { MaybeUninit::uninit() }; MAX_FIELDS];
        let mut parsed = httparse::Response::new(&mut []);
        let config = httparse::ParserConfig::default();
        let length = match config.parse_response_with_uninit_headers(&mut parsed, bytes, &mut slots) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(httparse::Error::TooManyHeaders) => return Err(BadResponse::TooManyFields),
            Err(_) => return Err(BadResponse::Head),
        };
        let status = parsed.code.filter(|&code| code >= 100).ok_or(BadResponse::Head)?;
        let version = if parsed.version == Some(0) { Version::Http10 } else { Version::Http11 };
        let (mut content_length, mut chunked) = (None, false);
        for field in parsed.headers.iter() {
            if field.name.eq_ignore_ascii_case("content-length") {
                let value = decimal(field.value).ok_or(BadResponse::ContentLength)?;
                if content_length.is_some_and(|earlier| earlier != value) {
                    return Err(BadResponse::ContentLength);
                }
                content_length = Some(value);
            } else if field.name.eq_ignore_ascii_case("transfer-encoding") {
                if chunked || !field.value.trim_ascii().eq_ignore_ascii_case(b"chunked") {
                    return Err(BadResponse::TransferCoding);
                }
                chunked = true;
            }
        }
        let headers = Headers::new(field_lines(&bytes[..length]));
        // Where one end reads the length and another the coding, what one of them sends within a body is an
        // answer to the other: such a message is not trusted to end where it seems to (RFC 9112 §6.1), nor is
        // a coding in HTTP/1.0.
        let doubtful = chunked && (content_length.is_some() || version == Version::Http10);
        let keep_alive = !doubtful && keep_alive(version, &headers);
        Ok(Some((Self { status, version, content_length, chunked, keep_alive, headers }, length)))
    }

    /// Where the body ends, in the answer to a request of `method`.
    pub fn framing(&self, method: Method) -> BodyFraming {
        match (method, self.status) {
            (Method::Head, _) | (_, 100..=199 | 204 | 304) => BodyFraming::None,
            _ if self.chunked => BodyFraming::Chunked,
            _ => match self.content_length {
                Some(0) => BodyFraming::None,
                Some(length) => BodyFraming::Length(length),
                None => BodyFraming::Close,
            },
        }
    }
}

/// The number that `value` spells in decimal digits and nothing else.
pub(crate) fn decimal(value: &[u8]) -> Option<u64> {
    let digits = core::str::from_utf8(value).ok()?.trim_ascii();
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// The field lines of a whole head: what follows the first line that is not empty, up to the
/// empty line.
pub(crate) fn field_lines(head: &[u8]) -> &[u8] {
    let start = head.iter().position(|&byte| byte != b'\r' && byte != b'\n').unwrap_or(head.len());
    let lines = memchr::memchr(b'\n', &head[start..]).map_or(&[][..], |end| &head[start + end + 1..]);
    let end = lines.strip_suffix(b"\r\n").or_else(|| lines.strip_suffix(b"\n"));
    end.unwrap_or(lines)
}

/// Appends `value` in decimal digits.
pub(crate) fn write_decimal(mut value: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}
