//! An answer on its way out.

use alloc::string::String;
use alloc::vec::Vec;

use crate::stream::{LAST_CHUNK, write_chunk};
use crate::{Body, Produce, Stream, Version};

/// What is to be sent, in memory or in a file: a head, which may hold more than that, and what follows it.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub head: Vec<u8>,
    pub body: Body,
    /// Content that is made while it is sent, piece by piece in the place of the head; none once it has
    /// ended.
    stream: Option<Stream>,
    /// Whether a piece is a chunk. If not, the content ends with its length or with the connection.
    chunked: bool,
    /// Bytes of content that are still to be made, where the client was told how many there are.
    left: Option<u64>,
    piece: Vec<u8>,
    /// Bytes of head and body that are out.
    sent: usize,
    /// Whether some of these still wait in a layer beneath.
    held: bool,
}

/// Bytes that are to be sent, of which `sent`, counted from the beginning of the head, are out.
#[derive(Debug)]
pub struct Unsent<'a> {
    /// What comes first.
    pub head: &'a [u8],
    /// What follows it; never a stream.
    pub body: &'a Body,
    /// Bytes of both that are out.
    pub sent: usize,
}

impl Outgoing {
    /// An answer of which nothing is out. A stream becomes pieces as a client of this version reads them.
    pub fn new(head: Vec<u8>, body: Body, version: Version) -> Self {
        let (body, stream) = match body {
            Body::Stream(stream) => (Body::Empty, Some(stream)),
            whole => (whole, None),
        };
        let left = stream.as_ref().and_then(Stream::bytes);
        let chunked = version == Version::Http11 && left.is_none();
        Self { head, body, stream, chunked, left, piece: Vec::new(), sent: 0, held: false }
    }

    pub fn unsent(&self) -> Unsent<'_> {
        Unsent { head: &self.head, body: &self.body, sent: self.sent }
    }

    /// So many bytes are out by now.
    pub fn note(&mut self, sent: usize, held: bool) {
        (self.sent, self.held) = (sent, held);
    }

    /// Whether the client has taken what there was, and the application is to make more.
    pub fn is_hungry(&self) -> bool {
        self.is_out() && self.stream.is_some()
    }

    /// Whether everything is out.
    pub fn is_over(&self) -> bool {
        self.is_out() && self.stream.is_none()
    }

    fn is_out(&self) -> bool {
        self.sent == self.head.len() + self.body.len() && !self.held
    }

    /// Puts the next piece of the content in the place of what is out. Runs code of the application.
    ///
    /// # Errors
    /// The content cannot be completed.
    pub fn refill(&mut self) -> Result<(), String> {
        let Some(stream) = &mut self.stream else { return Ok(()) };
        self.sent = 0;
        self.head.clear();
        self.piece.clear();
        let mut more = stream.produce(&mut self.piece)?;
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(self.piece.len() as u64).ok_or("content is longer than its length")?;
            if !more && *left > 0 {
                return Err("content is shorter than its length".into());
            }
            more = *left > 0;
        }
        if self.chunked {
            write_chunk(&mut self.head, &self.piece);
        } else {
            core::mem::swap(&mut self.head, &mut self.piece);
        }
        if !more {
            self.stream = None;
            self.head.extend_from_slice(if self.chunked { LAST_CHUNK } else { b"" });
        }
        Ok(())
    }
}
