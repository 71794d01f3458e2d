//! `multipart/form-data` (RFC 7578), read in place and written.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use memchr::memmem;

use crate::Headers;

/// Most parts of a body; a form with more is an attack.
const MAX_PARTS: usize = 256;
/// Most bytes of one part's header fields.
const MAX_FIELD_BYTES: usize = 8 * 1024;
/// Longest boundary (RFC 2046 §5.1.1).
const MAX_BOUNDARY: usize = 70;

/// Why a multipart body cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MultipartError {
    /// The content type is not `multipart/form-data` with a boundary of 1 to 70 characters.
    NotMultipart,
    /// A boundary is missing or malformed, or the body ends before the last one.
    Boundary,
    /// A part has no `Content-Disposition: form-data; name="..."`, or fields that never end.
    PartHead,
    /// More than 256 parts.
    TooManyParts,
}

impl core::fmt::Display for MultipartError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::NotMultipart => "the body is not multipart/form-data with a boundary",
            Self::Boundary => "a boundary of the multipart body is missing",
            Self::PartHead => "a part of the multipart body has no name",
            Self::TooManyParts => "the multipart body has more than 256 parts",
        })
    }
}

impl core::error::Error for MultipartError {}

/// One part of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part<'a> {
    /// Name of the form field.
    pub name: Cow<'a, str>,
    /// Name of the file as the client calls it: untrusted, may hold any path. None: an ordinary field.
    pub filename: Option<Cow<'a, str>>,
    /// Media type that the client claims.
    pub content_type: Option<&'a str>,
    /// The content.
    pub data: &'a [u8],
}

impl<'a> Part<'a> {
    /// The content as text; bytes that are not UTF-8 become U+FFFD.
    pub fn text(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.data)
    }
}

/// Iterates over the parts of a body. It ends after the last part or after the first error.
///
/// ```
/// use loadstone_http::{Multipart, MultipartWriter};
/// let mut body = Vec::new();
/// let mut writer = MultipartWriter::new("xyz", &mut body);
/// writer.field("title", "Jazz");
/// writer.file("image", "a.png", "image/png", b"\x89PNG");
/// writer.finish();
/// let parts: Vec<_> = Multipart::new("multipart/form-data; boundary=xyz", &body).unwrap().map(Result::unwrap).collect();
/// assert_eq!((parts[0].name.as_ref(), parts[0].text().as_ref()), ("title", "Jazz"));
/// assert_eq!((parts[1].filename.as_deref(), parts[1].data), (Some("a.png"), &b"\x89PNG"[..]));
/// ```
#[derive(Debug, Clone)]
pub struct Multipart<'a> {
    /// CRLF, two hyphens and the boundary.
    delimiter: Vec<u8>,
    rest: &'a [u8],
    state: State,
    parts: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Parts,
    End,
}

impl<'a> Multipart<'a> {
    /// The parts of `body`, whose `Content-Type` header is given.
    ///
    /// # Errors
    /// [`MultipartError::NotMultipart`] for another content type or a bad boundary.
    pub fn new(content_type: &str, body: &'a [u8]) -> Result<Self, MultipartError> {
        let media_type = content_type.split(';').next().unwrap_or("").trim_ascii();
        let boundary = parameter(content_type, "boundary").ok_or(MultipartError::NotMultipart)?;
        let valid = (1..=MAX_BOUNDARY).contains(&boundary.len())
            && boundary.bytes().all(|b| matches!(b, b' '..=b'~'));
        if !media_type.eq_ignore_ascii_case("multipart/form-data") || !valid {
            return Err(MultipartError::NotMultipart);
        }
        let delimiter = [b"\r\n--", boundary.as_bytes()].concat();
        Ok(Self { delimiter, rest: body, state: State::Start, parts: 0 })
    }

    /// Skips what stands before the first boundary (RFC 2046 §5.1.1 allows a preamble).
    fn skip_preamble(&mut self) -> Result<(), MultipartError> {
        let first = &self.delimiter[2..];
        let after = if self.rest.starts_with(first) {
            first.len()
        } else {
            memmem::find(self.rest, &self.delimiter).ok_or(MultipartError::Boundary)? + self.delimiter.len()
        };
        self.rest = &self.rest[after..];
        Ok(())
    }

    /// The next part; `rest` stands behind a boundary.
    fn part(&mut self) -> Result<Option<Part<'a>>, MultipartError> {
        if self.rest.starts_with(b"--") {
            return Ok(None);
        }
        let padding = self.rest.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
        let line_end = &self.rest[padding..];
        let part = line_end.strip_prefix(b"\r\n").ok_or(MultipartError::Boundary)?;
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(MultipartError::TooManyParts);
        }
        let window = &part[..part.len().min(MAX_FIELD_BYTES)];
        let head = memmem::find(window, b"\r\n\r\n").ok_or(MultipartError::PartHead)?;
        // The delimiter's CRLF may be the one that ends the empty line, when the data is empty.
        let data_end =
            memmem::find(&part[head + 2..], &self.delimiter).ok_or(MultipartError::Boundary)? + head + 2;
        let data = part.get(head + 4..data_end).unwrap_or(&[]);
        self.rest = &part[data_end + self.delimiter.len()..];
        let headers = Headers::new(&part[..head + 2]);
        let disposition = headers.get("content-disposition").ok_or(MultipartError::PartHead)?;
        let form_data =
            disposition.split(';').next().is_some_and(|d| d.trim_ascii().eq_ignore_ascii_case("form-data"));
        let name = parameter(disposition, "name").filter(|_| form_data).ok_or(MultipartError::PartHead)?;
        let filename = parameter(disposition, "filename");
        Ok(Some(Part { name, filename, content_type: headers.get("content-type"), data }))
    }

    fn advance(&mut self) -> Result<Option<Part<'a>>, MultipartError> {
        if self.state == State::Start {
            self.skip_preamble()?;
            self.state = State::Parts;
        }
        if self.state == State::End { Ok(None) } else { self.part() }
    }
}

impl<'a> Iterator for Multipart<'a> {
    type Item = Result<Part<'a>, MultipartError>;

    fn next(&mut self) -> Option<Self::Item> {
        let part = self.advance().transpose();
        if !matches!(part, Some(Ok(_))) {
            self.state = State::End;
        }
        part
    }
}

/// A parameter of a header value: a token, or a quoted string in which `\"` stands for a quote.
/// Browsers send a quote as `%22` and leave other backslashes alone (a file name of Windows).
fn parameter<'a>(value: &'a str, wanted: &str) -> Option<Cow<'a, str>> {
    let mut rest = value.split_once(';')?.1;
    loop {
        let (name, after) = rest.split_once('=')?;
        let found = name.trim_ascii().eq_ignore_ascii_case(wanted);
        let after = after.trim_ascii_start();
        let (parameter, tail) = match after.strip_prefix('"') {
            Some(quoted) => {
                let end = closing_quote(quoted)?;
                let raw = &quoted[..end];
                let text = if raw.contains("\\\"") {
                    Cow::Owned(raw.replace("\\\"", "\""))
                } else {
                    Cow::Borrowed(raw)
                };
                (text, &quoted[end + 1..])
            }
            None => {
                let end = after.find(';').unwrap_or(after.len());
                (Cow::Borrowed(after[..end].trim_ascii()), &after[end..])
            }
        };
        if found {
            return Some(parameter);
        }
        rest = tail.split_once(';')?.1;
    }
}

fn closing_quote(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'"', bytes).find(|&at| at == 0 || bytes[at - 1] != b'\\')
}

/// Writes a `multipart/form-data` body to the end of a buffer. The boundary must not occur in any
/// content: take 16 or more random letters and digits.
#[derive(Debug)]
#[must_use = "a body without its last boundary stays incomplete"]
pub struct MultipartWriter<'o> {
    boundary: &'o str,
    out: &'o mut Vec<u8>,
}

impl<'o> MultipartWriter<'o> {
    /// Begins a body. Its content type is `multipart/form-data; boundary=` and the boundary.
    pub fn new(boundary: &'o str, out: &'o mut Vec<u8>) -> Self {
        Self { boundary, out }
    }

    /// Appends a text field.
    pub fn field(&mut self, name: &str, value: &str) {
        self.begin(name, None);
        self.content(value.as_bytes());
    }

    /// Appends a file.
    pub fn file(&mut self, name: &str, filename: &str, content_type: &str, data: &[u8]) {
        self.begin(name, Some(filename));
        for piece in ["\r\nContent-Type: ", content_type] {
            self.out.extend_from_slice(piece.as_bytes());
        }
        self.content(data);
    }

    /// Appends the last boundary.
    pub fn finish(self) {
        for piece in ["--", self.boundary, "--\r\n"] {
            self.out.extend_from_slice(piece.as_bytes());
        }
    }

    fn begin(&mut self, name: &str, filename: Option<&str>) {
        for piece in ["--", self.boundary, "\r\nContent-Disposition: form-data; name=\""] {
            self.out.extend_from_slice(piece.as_bytes());
        }
        self.quoted(name);
        if let Some(filename) = filename {
            self.out.extend_from_slice(b"; filename=\"");
            self.quoted(filename);
        }
    }

    /// As browsers do (WHATWG HTML §4.10.21.8): quote, CR and LF are percent-encoded.
    fn quoted(&mut self, text: &str) {
        for byte in text.bytes() {
            match byte {
                b'"' => self.out.extend_from_slice(b"%22"),
                b'\r' => self.out.extend_from_slice(b"%0D"),
                b'\n' => self.out.extend_from_slice(b"%0A"),
                _ => self.out.push(byte),
            }
        }
        self.out.push(b'"');
    }

    fn content(&mut self, data: &[u8]) {
        self.out.extend_from_slice(b"\r\n\r\n");
        self.out.extend_from_slice(data);
        self.out.extend_from_slice(b"\r\n");
    }
}
