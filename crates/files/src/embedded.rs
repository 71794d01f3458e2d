//! Files that are part of the program, as a service without a file system.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use loadstone_http::{Handler, Request, Response, Service};

use crate::answer::{Found, answer, only_reads, refuse};
use crate::name::file_name;
use crate::variant::{Absence, Content, Refusal, Variant};

/// A file of the program, as it was when that was built.
#[derive(Debug, Clone, Copy)]
pub struct EmbeddedFile {
    /// Its name in the folder, as [`file_name`] gives it.
    pub name: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// When it was changed last, in nanoseconds since 1970.
    pub modified_ns: i128,
    /// Its content.
    pub content: &'static [u8],
    /// The same compressed beforehand, and when that was changed last.
    pub gzip: Option<(i128, &'static [u8])>,
}

/// A folder that is part of the program: answers as [`crate::Files`] does when that serves the same folder.
///
/// ```
/// use loadstone_files::{Embedded, EmbeddedFile};
/// use loadstone_http::{Method, Request, Response, Service};
/// let home = EmbeddedFile {
///     name: "index.html",
///     media_type: "text/html; charset=utf-8",
///     modified_ns: 1,
///     content: b"<p>hello",
///     gzip: None,
/// };
/// let mut handler = Embedded::new(&[home], 42).handler().unwrap();
/// let mut response = Response::new();
/// handler.handle(&Request::new(Method::Get, "/"), &mut response);
/// assert_eq!(response.body.as_slice(), b"<p>hello");
/// ```
#[derive(Debug)]
pub struct Embedded {
    entries: Arc<[Entry]>,
    boundary: u64,
}

#[derive(Debug)]
struct Entry {
    name: &'static str,
    media_type: &'static str,
    plain: Variant,
    gzip: Option<Variant>,
}

impl Embedded {
    /// Serves `files`. `boundary`: unpredictable to who writes the files.
    pub fn new(files: &[EmbeddedFile], boundary: u64) -> Self {
        let mut entries: Vec<Entry> = files.iter().map(entry).collect();
        entries.sort_by_key(|entry| entry.name);
        Self { entries: entries.into(), boundary }
    }
}

fn entry(file: &EmbeddedFile) -> Entry {
    let varies = file.gzip.is_some();
    let zipped = |(ns, bytes)| Variant::new(Content::Static(bytes), ns, true, true, true);
    Entry {
        name: file.name,
        media_type: file.media_type,
        plain: Variant::new(Content::Static(file.content), file.modified_ns, true, false, varies),
        gzip: file.gzip.map(zipped),
    }
}

impl Service for Embedded {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        // As long as the process's; the second half is as unpredictable as the first.
        let other = self.boundary.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
        let boundary = format!("{:016x}{other:016x}", self.boundary);
        Ok(Box::new(Guide { entries: self.entries.clone(), boundary }))
    }
}

/// One worker's handler.
struct Guide {
    entries: Arc<[Entry]>,
    boundary: String,
}

impl Guide {
    fn find(&self, path: &str) -> Result<&Entry, Absence> {
        let name = file_name(path).map_err(Absence::Name)?;
        let at = self.entries.partition_point(|entry| entry.name.as_bytes() < name.as_slice());
        let entry = self.entries.get(at);
        if let Some(entry) = entry.filter(|entry| entry.name.as_bytes() == name) {
            return Ok(entry);
        }
        let beneath = |entry: &Entry| {
            entry.name.as_bytes().strip_prefix(name.as_slice()).is_some_and(|rest| rest.starts_with(b"/"))
        };
        let directory = self.entries[at..].iter().any(beneath);
        Err(Absence::File(if directory { Refusal::Directory } else { Refusal::Missing }))
    }
}

impl Handler for Guide {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        if !only_reads(request, response) {
            return;
        }
        match self.find(request.path) {
            Ok(entry) => {
                let (plain, gzip) = (&entry.plain, entry.gzip.as_ref());
                answer(
                    &Found { plain, gzip, media_type: entry.media_type },
                    &self.boundary,
                    request,
                    response,
                );
            }
            Err(absence) => refuse(absence, request, response),
        }
    }
}
