//! The files as a [`Service`].

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use loadstone_http::{Handler, Method, Request, Response, Service, Validators, Verdict};

use crate::content::Filler;
use crate::files::FileSet;
use crate::profile::Profile;
use crate::route::Route;

/// All files are as old as this: content follows from the seed, not from a clock.
const MODIFIED: &str = "Thu, 01 Jan 1998 00:00:00 GMT";
/// The same in seconds since 1970.
const MODIFIED_S: u64 = 883_612_800;

/// A file set, ready to be served. It keeps sizes and references; content is made as it is sent.
#[derive(Debug, Clone)]
pub struct Surge {
    content: Arc<Content>,
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
        Ok(Self { content: Arc::new(Content { files: set, filler, tag, home }) })
    }

    /// The file set.
    pub fn files(&self) -> &FileSet {
        &self.content.files
    }
}

impl Service for Surge {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        Ok(Box::new(Worker { content: self.content.clone(), tag: Vec::new() }))
    }
}

/// One worker's handler.
struct Worker {
    content: Arc<Content>,
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
                content.filler.page(rank, size, references, response.buffer());
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
                content.filler.object(number, size, response.buffer());
            }
            None => {
                response.not_found();
            }
        }
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
