//! From an entry to an answer (RFC 9110 §13.2.2, §14).

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use loadstone_http::{Body, FilePart, Handler, Headers, Method, Request, Response, Verdict, Wanted};

use crate::entry::{Content, Entry, Refusal, Variant};
use crate::name::BadName;
use crate::shelf::{Absence, Shelf};

/// Most bytes of an answer in several parts, which is put together in memory; who asks for more gets the whole.
const PUT_TOGETHER: u64 = 1 << 20;
/// One worker's handler.
pub(crate) struct Clerk {
    shelf: Arc<Shelf>,
    /// What stands between the parts of an answer. Nobody who writes a file can know it.
    boundary: String,
}

impl Clerk {
    pub fn new(shelf: Arc<Shelf>) -> Self {
        let random = || RandomState::new().build_hasher().finish();
        Self { shelf, boundary: format!("{:016x}{:016x}", random(), random()) }
    }
}

impl Handler for Clerk {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        if !matches!(request.method, Method::Get | Method::Head) {
            response.status(405).header("Allow", "GET, HEAD").text("only GET and HEAD\n");
            return;
        }
        match self.shelf.find(request.path) {
            Ok(entry) => answer(&entry, &self.boundary, request, response),
            Err(absence) => refuse(absence, request, response),
        }
    }
}

fn refuse(absence: Absence, request: &Request<'_>, response: &mut Response) {
    let (status, text) = match absence {
        Absence::Name(BadName::Malformed) => (400, "malformed path\n"),
        Absence::Name(BadName::Hidden) | Absence::File(Refusal::Missing) => (404, "not found\n"),
        Absence::File(Refusal::Forbidden) => (403, "forbidden\n"),
        Absence::File(Refusal::Busy) => (503, "too many open files\n"),
        Absence::File(Refusal::Broken) => (500, "the file cannot be read\n"),
        Absence::File(Refusal::Directory) => {
            // A path that names a file begins with one slash: this stays on the server.
            let query = if request.query.is_empty() { "" } else { "?" };
            response.header("Location", format!("{}/{query}{}", request.path, request.query));
            (301, "it is a directory\n")
        }
    };
    response.status(status).text(text);
}

fn answer(entry: &Entry, boundary: &str, request: &Request<'_>, response: &mut Response) {
    let range = request.headers.get_bytes("range").filter(|_| request.method == Method::Get);
    // Parts are parts of the plain content: who wants one counts its bytes.
    let gzip = entry.gzip.as_ref().filter(|_| range.is_none() && request.accepts_gzip());
    let variant = gzip.unwrap_or(&entry.plain);
    let validators = variant.validators();
    response.fields(Headers::new(&variant.fields));
    match validators.judge(request) {
        Verdict::Proceed => {}
        Verdict::NotModified => {
            response.status(304);
            return;
        }
        Verdict::Failed => {
            response.status(412).text("the file is another by now\n");
            return;
        }
    }
    let length = variant.bytes() as u64;
    let wanted = match range.filter(|_| validators.allow_range(request)) {
        Some(range) => Wanted::read(range, length),
        None => Wanted::Whole,
    };
    match wanted {
        Wanted::Part(part) => {
            response.status(206).header("Content-Range", content_range(&part, length));
            response.content(&entry.media_type, body(variant, &part));
        }
        Wanted::Parts(parts)
            if parts.iter().map(|part| part.end - part.start).sum::<u64>() <= PUT_TOGETHER =>
        {
            if put_together(variant, &entry.media_type, boundary, &parts, response).is_err() {
                refuse(Absence::File(Refusal::Broken), request, response);
            }
        }
        Wanted::Whole | Wanted::Parts(_) => {
            if gzip.is_some() {
                response.header("Content-Encoding", "gzip");
            }
            response.content(&entry.media_type, body(variant, &(0..length)));
        }
        Wanted::Unsatisfiable => {
            response.status(416).header("Content-Range", format!("bytes */{length}")).text("no such part\n");
        }
    }
}

fn content_range(part: &Range<u64>, length: u64) -> String {
    format!("bytes {}-{}/{length}", part.start, part.end - 1)
}

fn body(variant: &Variant, part: &Range<u64>) -> Body {
    let bytes = (part.end - part.start) as usize;
    match &variant.content {
        Content::Kept(content) if bytes == content.len() => Body::Shared(content.clone()),
        Content::Kept(content) => Body::Bytes(content[part.start as usize..part.end as usize].to_vec()),
        Content::Open(file, _) => Body::File(FilePart { file: file.clone(), start: part.start, bytes }),
    }
}

/// Answers with several parts (RFC 9110 §14.6).
fn put_together(
    variant: &Variant,
    media_type: &str,
    boundary: &str,
    parts: &[Range<u64>],
    response: &mut Response,
) -> io::Result<()> {
    let length = variant.bytes() as u64;
    let mut content = Vec::new();
    for part in parts {
        let range = content_range(part, length);
        let head =
            format!("\r\n--{boundary}\r\nContent-Type: {media_type}\r\nContent-Range: {range}\r\n\r\n");
        content.extend_from_slice(head.as_bytes());
        match &variant.content {
            Content::Kept(kept) => content.extend_from_slice(&kept[part.start as usize..part.end as usize]),
            Content::Open(file, _) => {
                let start = content.len();
                content.resize(start + (part.end - part.start) as usize, 0);
                file.read_exact_at(&mut content[start..], part.start)?;
            }
        }
    }
    content.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    response.status(206).content(&format!("multipart/byteranges; boundary={boundary}"), content);
    Ok(())
}
