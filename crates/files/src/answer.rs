//! From an entry to an answer (RFC 9110 §13.2.2, §14).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use loadstone_http::{Body, Headers, Method, Request, Response, Verdict, Wanted};

use crate::name::BadName;
use crate::variant::{Absence, Content, Refusal, Variant};

/// Most bytes of an answer in several parts, which is put together in memory; who asks for more gets the
/// whole.
const PUT_TOGETHER: u64 = 1 << 20;

/// A file with its codings.
pub(crate) struct Found<'a> {
    pub plain: &'a Variant,
    pub gzip: Option<&'a Variant>,
    pub media_type: &'a str,
}

/// Refuses what is no reading; whether it was.
pub(crate) fn only_reads(request: &Request<'_>, response: &mut Response) -> bool {
    let reads = matches!(request.method, Method::Get | Method::Head);
    if !reads {
        response.status(405).header("Allow", "GET, HEAD").text("only GET and HEAD\n");
    }
    reads
}

pub(crate) fn refuse(absence: Absence, request: &Request<'_>, response: &mut Response) {
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

/// `boundary` stands between the parts of an answer: nobody who writes a file can know it.
pub(crate) fn answer(found: &Found<'_>, boundary: &str, request: &Request<'_>, response: &mut Response) {
    let range = request.headers.get_bytes("range").filter(|_| request.method == Method::Get);
    // Parts are parts of the plain content: who wants one counts its bytes.
    let gzip = found.gzip.filter(|_| range.is_none() && request.accepts_gzip());
    let variant = gzip.unwrap_or(found.plain);
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
            response.content(found.media_type, body(variant, &part));
        }
        Wanted::Parts(parts)
            if parts.iter().map(|part| part.end - part.start).sum::<u64>() <= PUT_TOGETHER =>
        {
            if !put_together(variant, found.media_type, boundary, &parts, response) {
                refuse(Absence::File(Refusal::Broken), request, response);
            }
        }
        Wanted::Whole | Wanted::Parts(_) => {
            if gzip.is_some() {
                response.header("Content-Encoding", "gzip");
            }
            response.content(found.media_type, body(variant, &(0..length)));
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
    let range = part.start as usize..part.end as usize;
    match &variant.content {
        #[cfg(feature = "std")]
        Content::Kept(content) if range.len() == content.len() => Body::Shared(content.clone()),
        #[cfg(feature = "std")]
        Content::Kept(content) => Body::Bytes(content[range].to_vec()),
        Content::Static(content) => Body::Static(&content[range]),
        #[cfg(feature = "std")]
        Content::Open(file, _) => {
            Body::File(loadstone_http::FilePart { file: file.clone(), start: part.start, bytes: range.len() })
        }
    }
}

/// Answers with several parts (RFC 9110 §14.6); false when the file cannot be read.
fn put_together(
    variant: &Variant,
    media_type: &str,
    boundary: &str,
    parts: &[Range<u64>],
    response: &mut Response,
) -> bool {
    let length = variant.bytes() as u64;
    let mut content = Vec::new();
    for part in parts {
        let range = content_range(part, length);
        let head =
            format!("\r\n--{boundary}\r\nContent-Type: {media_type}\r\nContent-Range: {range}\r\n\r\n");
        content.extend_from_slice(head.as_bytes());
        if !append(variant, part, &mut content) {
            return false;
        }
    }
    content.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    response.status(206).content(&format!("multipart/byteranges; boundary={boundary}"), content);
    true
}

fn append(variant: &Variant, part: &Range<u64>, content: &mut Vec<u8>) -> bool {
    match &variant.content {
        #[cfg(feature = "std")]
        Content::Kept(kept) => content.extend_from_slice(&kept[part.start as usize..part.end as usize]),
        Content::Static(kept) => content.extend_from_slice(&kept[part.start as usize..part.end as usize]),
        #[cfg(feature = "std")]
        Content::Open(file, _) => {
            use std::os::unix::fs::FileExt;
            let start = content.len();
            content.resize(start + (part.end - part.start) as usize, 0);
            return file.read_exact_at(&mut content[start..], part.start).is_ok();
        }
    }
    true
}
