//! A complete response, as an application fills it.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::Stream;

/// Fields that describe the message or the connection: an application cannot know them.
const OF_THE_SERVER: [&str; 4] = ["Content-Length", "Transfer-Encoding", "Date", "Connection"];

/// What a response carries.
#[derive(Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// Nothing.
    #[default]
    Empty,
    /// Bytes made for this response.
    Bytes(Vec<u8>),
    /// Bytes that live as long as the program.
    Static(&'static [u8]),
    /// Bytes shared with a cache.
    Shared(Arc<[u8]>),
    /// Bytes of an open file.
    #[cfg(feature = "std")]
    File(FilePart),
    /// Bytes that are made while they are sent.
    Stream(Stream),
}

/// Bytes of an open file; a server sends them without taking them into memory. A file that turns out to be
/// shorter ends the connection.
#[cfg(feature = "std")]
#[derive(Debug, Clone)]
pub struct FilePart {
    /// The file, readable.
    pub file: Arc<std::fs::File>,
    /// Where the part begins.
    pub start: u64,
    /// Its length in bytes.
    pub bytes: usize,
}

/// The same bytes of the same open file.
#[cfg(feature = "std")]
impl PartialEq for FilePart {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.file, &other.file) && (self.start, self.bytes) == (other.start, other.bytes)
    }
}

#[cfg(feature = "std")]
impl Eq for FilePart {}

impl Body {
    /// The bytes to send that are in memory: none of a file's or a stream's.
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Self::Empty | Self::Stream(_) => &[],
            #[cfg(feature = "std")]
            Self::File(_) => &[],
            Self::Bytes(bytes) => bytes,
            Self::Static(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }

    /// Length in bytes; 0 of a stream.
    pub fn len(&self) -> usize {
        match self {
            #[cfg(feature = "std")]
            Self::File(part) => part.bytes,
            _ => self.as_slice().len(),
        }
    }

    /// Length of the content in bytes; none of a stream whose length nobody knows yet.
    pub fn length(&self) -> Option<u64> {
        match self {
            Self::Stream(stream) => stream.bytes(),
            _ => Some(self.len() as u64),
        }
    }

    /// Whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.len() == 0 && !matches!(self, Self::Stream(_))
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<alloc::string::String> for Body {
    fn from(text: alloc::string::String) -> Self {
        Self::Bytes(text.into_bytes())
    }
}

impl From<&'static [u8]> for Body {
    fn from(bytes: &'static [u8]) -> Self {
        Self::Static(bytes)
    }
}

impl From<&'static str> for Body {
    fn from(text: &'static str) -> Self {
        Self::Static(text.as_bytes())
    }
}

impl From<Arc<[u8]>> for Body {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self::Shared(bytes)
    }
}

/// A complete response. A server keeps one for each worker and clears it between requests, so that
/// filling it allocates nothing once its buffers have grown.
///
/// `Content-Length`, `Transfer-Encoding`, `Date` and `Connection` are the server's to write: setting
/// them has no effect. [`Response::close`] asks for the connection to be closed.
///
/// ```
/// use loadstone_http::Response;
/// let mut response = Response::new();
/// response.html("<p>hello</p>").header("Cache-Control", "no-store");
/// assert_eq!(response.get("content-type"), Some("text/html; charset=utf-8"));
/// ```
#[derive(Debug)]
pub struct Response {
    /// Status code, 200 to 599.
    pub status: u16,
    /// The content. Of a response to HEAD only its length is sent.
    pub body: Body,
    /// Field lines ready to send.
    fields: Vec<u8>,
    /// Capacity of an earlier body, given out again by `buffer`.
    spare: Vec<u8>,
    close: bool,
}

impl Default for Response {
    fn default() -> Self {
        Self { status: 200, body: Body::Empty, fields: Vec::new(), spare: Vec::new(), close: false }
    }
}

impl Response {
    /// An empty response with status 200.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes it an empty response with status 200 again; the buffers keep their capacity.
    pub fn clear(&mut self) {
        self.status = 200;
        self.fields.clear();
        self.close = false;
        self.without_content();
    }

    /// Takes the content away, not its fields; the buffer keeps its capacity.
    pub fn without_content(&mut self) {
        if let Body::Bytes(mut bytes) = core::mem::take(&mut self.body) {
            bytes.clear();
            self.spare = bytes;
        }
    }

    /// Sets the status code.
    pub fn status(&mut self, status: u16) -> &mut Self {
        self.status = status;
        self
    }

    /// Appends a header field. CR, LF and NUL in the value become spaces (RFC 9110 §5.5), so that
    /// no value can forge another field.
    pub fn header(&mut self, name: &str, value: impl AsRef<[u8]>) -> &mut Self {
        if OF_THE_SERVER.iter().any(|own| own.eq_ignore_ascii_case(name)) {
            return self;
        }
        debug_assert!(!name.is_empty() && name.bytes().all(is_token), "field name {name:?} is not a token");
        self.fields.extend_from_slice(name.as_bytes());
        self.fields.extend_from_slice(b": ");
        self.fields
            .extend(value.as_ref().iter().map(|&b| if matches!(b, b'\r' | b'\n' | 0) { b' ' } else { b }));
        self.fields.extend_from_slice(b"\r\n");
        self
    }

    /// Replaces every field of this name by one.
    pub fn replace_header(&mut self, name: &str, value: impl AsRef<[u8]>) -> &mut Self {
        let others: Vec<u8> = self
            .headers()
            .iter()
            .filter(|(field, _)| !field.eq_ignore_ascii_case(name.as_bytes()))
            .flat_map(|(field, value)| [field, b": ", value, b"\r\n"])
            .flatten()
            .copied()
            .collect();
        self.fields = others;
        self.header(name, value)
    }

    /// Appends fields that were made before, such as those of another response.
    pub fn fields(&mut self, fields: crate::Headers<'_>) -> &mut Self {
        debug_assert!(fields.as_bytes().is_empty() || fields.as_bytes().ends_with(b"\r\n"));
        self.fields.extend_from_slice(fields.as_bytes());
        self
    }

    /// Sets a cookie.
    pub fn set_cookie(&mut self, cookie: &crate::SetCookie<'_>) -> &mut Self {
        self.header("Set-Cookie", alloc::string::ToString::to_string(cookie))
    }

    /// Sets the content and its media type.
    pub fn content(&mut self, media_type: &str, body: impl Into<Body>) -> &mut Self {
        self.header("Content-Type", media_type);
        self.body = body.into();
        self
    }

    /// Sets content that is made while it is sent, and its media type.
    pub fn stream(&mut self, media_type: &str, producer: impl crate::Produce + 'static) -> &mut Self {
        self.content(media_type, Body::Stream(Stream::new(producer)))
    }

    /// Sets an HTML page.
    pub fn html(&mut self, page: impl Into<Body>) -> &mut Self {
        self.content("text/html; charset=utf-8", page)
    }

    /// Sets plain text.
    pub fn text(&mut self, text: impl Into<Body>) -> &mut Self {
        self.content("text/plain; charset=utf-8", text)
    }

    /// Sends the browser to `location` by GET (303 See Other, the answer to a form).
    pub fn redirect(&mut self, location: &str) -> &mut Self {
        self.status(303).header("Location", location)
    }

    /// Says 404 in plain text.
    pub fn not_found(&mut self) -> &mut Self {
        self.status(404).text("not found\n")
    }

    /// The body as a growing buffer, empty at first; it reuses the memory of an earlier response.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        if !matches!(self.body, Body::Bytes(_)) {
            self.body = Body::Bytes(core::mem::take(&mut self.spare));
        }
        match &mut self.body {
            Body::Bytes(bytes) => bytes,
            _ => unreachable!("the body was just made a buffer"),
        }
    }

    /// Closes the connection after this response.
    pub fn close(&mut self) -> &mut Self {
        self.close = true;
        self
    }

    /// Whether the connection is to be closed after this response.
    pub fn closes(&self) -> bool {
        self.close
    }

    /// First value of a header field set so far.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.headers().get(name)
    }

    /// The header fields set so far.
    pub fn headers(&self) -> crate::Headers<'_> {
        crate::Headers::new(&self.fields)
    }
}

/// RFC 9110 §5.6.2: the characters of a token.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_forge_a_field() {
        let mut response = Response::new();
        response.header("Location", "/x\r\nSet-Cookie: evil=1\0");
        assert_eq!(response.headers().iter().count(), 1);
        assert_eq!(response.get("location"), Some("/x  Set-Cookie: evil=1"));
    }

    #[test]
    fn clearing_keeps_the_memory_of_the_body() {
        let mut response = Response::new();
        response.status(404).close().buffer().extend_from_slice(&[7; 1000]);
        response.clear();
        assert_eq!((response.status, response.closes(), response.body.len()), (200, false, 0));
        assert!(response.buffer().capacity() >= 1000);
        assert!(response.headers().as_bytes().is_empty());
    }

    #[test]
    fn fields_of_the_server_are_left_to_it() {
        let mut response = Response::new();
        response.header("content-length", "7").header("Connection", "keep-alive").header("Vary", "Cookie");
        assert_eq!(response.headers().as_bytes(), b"Vary: Cookie\r\n");
    }

    #[test]
    fn redirect_asks_for_a_get() {
        let mut response = Response::new();
        response.redirect("/events/7");
        assert_eq!((response.status, response.get("location")), (303, Some("/events/7")));
    }
}
