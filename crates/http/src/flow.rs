//! Content that is made while it is sent, as a server puts it on the wire: pieces as the client takes them.

use alloc::string::String;
use alloc::vec::Vec;

use crate::{LAST_CHUNK, Produce, Stream, Version, write_chunk};

/// The rest of such content.
#[derive(Debug)]
pub(crate) struct Flow {
    /// None once it has ended.
    stream: Option<Stream>,
    chunked: bool,
    piece: Vec<u8>,
}

impl Flow {
    /// For a client of this version: without chunks the connection's end is the content's.
    pub fn new(stream: Stream, version: Version) -> Self {
        Self { stream: Some(stream), chunked: version == Version::Http11, piece: Vec::new() }
    }

    /// Whether nothing more comes.
    pub fn is_over(&self) -> bool {
        self.stream.is_none()
    }

    /// Puts the next piece in the place of what `out` held. Runs code of the application.
    ///
    /// # Errors
    /// The content cannot be completed.
    pub fn next(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        out.clear();
        let Some(stream) = &mut self.stream else { return Ok(()) };
        self.piece.clear();
        let more = stream.produce(&mut self.piece)?;
        if self.chunked {
            write_chunk(out, &self.piece);
        } else {
            core::mem::swap(out, &mut self.piece);
        }
        if !more {
            self.stream = None;
            if self.chunked {
                out.extend_from_slice(LAST_CHUNK);
            }
        }
        Ok(())
    }
}
