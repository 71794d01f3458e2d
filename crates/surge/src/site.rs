//! The files as a [`Service`].

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use loadstone_http::{
    Body, Handler, Method, Produce, Request, Response, Service, Stream, Validators, Verdict,
};

use crate::content::Filler;
use crate::files::FileSet;
use crate::profile::Profile;
use crate::route::Route;

/// All files are as old as this: content follows from the seed, not from a clock.
const MODIFIED: &str = "Thu, 01 Jan 1998 00:00:00 GMT";
/// The same in seconds since 1970.
const MODIFIED_S: u64 = 883_612_800;

/// Most of a part of a file.
const PART: usize = 16 * 1024;

/// A file set, ready to be served. It keeps sizes and references; content is made for each answer.
#[derive(Debug, Clone)]
pub struct Surge {
    content: Arc<Content>,
    /// Largest file that is made as a whole.
    whole: u32,
}

#[derive(Debug)]
struct Content {
    files: FileSet,
    filler: Filler,
    /// What tells this set's files from those of another, in entity tags.
    tag: String,
    home: String,
}

impl Surge {
    /// Makes the file set of these arguments.
    ///
    /// # Errors
    /// As [`FileSet::generate`].
    pub fn new(profile: &Profile, files: u32, seed: u64) -> Result<Self, String> {
        let set = FileSet::generate(profile, files, seed)?;
        let home = format!(
            "<!doctype html><title>SURGE</title><h1>SURGE</h1><p>{files} files of profile {}, seed {seed}: \
            {} pages, <a href=/d/1>/d/1</a> the most popular, and {} objects.\n",
            profile.name,
            set.documents(),
            set.objects()
        );
        let (tag, filler) = (format!("{}-{files}-{seed}", profile.name), Filler::new(seed));
        Ok(Self { content: Arc::new(Content { files: set, filler, tag, home }), whole: u32::MAX })
    }

    /// Makes files larger than this in parts while they are sent, where there is little memory.
    #[must_use]
    pub fn in_parts_above(self, bytes: u32) -> Self {
        Self { whole: bytes, ..self }
    }

    /// The file set.
    pub fn files(&self) -> &FileSet {
        &self.content.files
    }
}

impl Service for Surge {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        Ok(Box::new(Worker { content: self.content.clone(), whole: self.whole, tag: Vec::new() }))
    }
}

/// One worker's handler.
struct Worker {
    content: Arc<Content>,
    whole: u32,
    /// The entity tag of the answer under way.
    tag: Vec<u8>,
}

impl Handler for Worker {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        if !matches!(request.method, Method::Get | Method::Head) {
            response.status(405).header("Allow", "GET, HEAD").text("only GET and HEAD\n");
            return;
        }
        let content = &*self.content;
        match Route::parse(request.path) {
            Some(Route::Home) => {
                response.html(content.home.clone());
            }
            Some(Route::Document(rank)) => {
                let Some((size, references)) = content.files.document(rank) else {
                    response.not_found();
                    return;
                };
                if is_known(&content.tag, b'd', rank, &mut self.tag, request, response) {
                    return;
                }
                response.header("Content-Type", "text/html; charset=utf-8");
                Filler::begin_page(rank, references, response.buffer());
                self.fill(rank, size, response);
            }
            Some(Route::Object(number)) => {
                let Some(size) = content.files.object(number) else {
                    response.not_found();
                    return;
                };
                if is_known(&content.tag, b'o', number, &mut self.tag, request, response) {
                    return;
                }
                response.header("Content-Type", "image/gif");
                Filler::begin_object(response.buffer());
                self.fill(number, size, response);
            }
            None => {
                response.not_found();
            }
        }
    }
}

impl Worker {
    /// Fills the content that has been begun up to the size of its file.
    fn fill(&self, file: u32, size: u32, response: &mut Response) {
        let begun = response.buffer();
        if size <= self.whole {
            return self.content.filler.fill(file, 0, size as usize, begun);
        }
        let begun = core::mem::take(begun);
        let rest = Rest { content: self.content.clone(), file, written: 0, begun, left: size as usize };
        response.body = Body::Stream(Stream::of_length(rest, size.into()));
    }
}

/// A file in parts.
struct Rest {
    content: Arc<Content>,
    file: u32,
    /// Bytes of its text that are out.
    written: usize,
    /// What it begins with, until that is out.
    begun: Vec<u8>,
    left: usize,
}

impl Produce for Rest {
    fn produce(&mut self, into: &mut Vec<u8>) -> Result<bool, String> {
        into.append(&mut self.begun);
        let (before, end) = (into.len(), PART.max(into.len()).min(self.left));
        self.content.filler.fill(self.file, self.written, end, into);
        self.written += into.len().saturating_sub(before);
        self.left -= into.len();
        Ok(self.left > 0)
    }
}

/// Writes the validators of a file; whether the request's conditions leave its content out (RFC 9110
/// §13.2.2), because the client has it already or wants another state of it.
fn is_known(
    set: &str,
    kind: u8,
    number: u32,
    tag: &mut Vec<u8>,
    request: &Request<'_>,
    response: &mut Response,
) -> bool {
    tag.clear();
    tag.push(b'"');
    tag.extend_from_slice(set.as_bytes());
    tag.extend_from_slice(&[b'-', kind]);
    crate::content::number(number, tag);
    tag.push(b'"');
    response.header("ETag", &*tag).header("Last-Modified", MODIFIED);
    let validators = Validators { etag: core::str::from_utf8(tag).ok(), modified_s: Some(MODIFIED_S) };
    let status = match validators.judge(request) {
        Verdict::Proceed => return false,
        Verdict::NotModified => 304,
        Verdict::Failed => 412,
    };
    response.status(status);
    true
}
