//! A file as it is answered with: its content or descriptor, its validators, its fields.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
#[cfg(feature = "std")]
use alloc::sync::Arc;

use loadstone_http::{Response, Validators, format_date};

use crate::name::BadName;

/// Why a path gets no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absence {
    Name(BadName),
    File(Refusal),
}

/// Why there is no entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "std"), expect(dead_code, reason = "a file of the image can always be read"))]
pub(crate) enum Refusal {
    /// 404.
    Missing,
    /// A directory, asked for without the slash: 301.
    Directory,
    /// 403.
    Forbidden,
    /// The system has no descriptor or memory for it now: 503.
    Busy,
    /// It cannot be read: 500.
    Broken,
}

/// The bytes of a file.
#[derive(Debug)]
pub(crate) enum Content {
    #[cfg(feature = "std")]
    Kept(Arc<[u8]>),
    /// Part of the program.
    Static(&'static [u8]),
    #[cfg(feature = "std")]
    Open(Arc<std::fs::File>, usize),
}

/// One of the codings of a file.
#[derive(Debug)]
pub(crate) struct Variant {
    pub content: Content,
    pub etag: String,
    pub modified_s: u64,
    /// The fields of every answer, also one without content.
    pub fields: Box<[u8]>,
}

impl Variant {
    /// A weak tag, of a file that is not settled, tells that the bytes may not be those of another answer
    /// with the same tag (RFC 9110 §8.8.1).
    pub fn new(content: Content, modified_ns: i128, settled: bool, gzip: bool, varies: bool) -> Self {
        let (weak, coding) = (if settled { "" } else { "W/" }, if gzip { "-gz" } else { "" });
        let etag = format!("{weak}\"{:x}-{modified_ns:x}{coding}\"", content.bytes());
        let modified_s = u64::try_from(modified_ns / 1_000_000_000).unwrap_or(0);
        let mut made = Response::new();
        made.header("ETag", &etag)
            .header("Last-Modified", format_date(modified_s))
            .header("Accept-Ranges", "bytes");
        if varies {
            made.header("Vary", "Accept-Encoding");
        }
        let fields = made.headers().as_bytes().into();
        Self { content, etag, modified_s, fields }
    }

    pub fn bytes(&self) -> usize {
        self.content.bytes()
    }

    pub fn validators(&self) -> Validators<'_> {
        Validators { etag: Some(&self.etag), modified_s: Some(self.modified_s) }
    }
}

impl Content {
    fn bytes(&self) -> usize {
        match self {
            #[cfg(feature = "std")]
            Self::Kept(bytes) => bytes.len(),
            Self::Static(bytes) => bytes.len(),
            #[cfg(feature = "std")]
            Self::Open(_, bytes) => *bytes,
        }
    }
}
