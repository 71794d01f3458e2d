//! Content that is made while it is sent.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Makes content piece by piece. A server asks for the next piece when the client has taken the last one, so
/// that a slow client never fills the memory.
///
/// ```
/// use loadstone_http::{Produce, Response};
///
/// struct Countdown(u32);
/// impl Produce for Countdown {
///     fn produce(&mut self, into: &mut Vec<u8>) -> Result<bool, String> {
///         into.extend_from_slice(format!("{}\n", self.0).as_bytes());
///         self.0 -= 1;
///         Ok(self.0 > 0)
///     }
/// }
/// let mut response = Response::new();
/// response.stream("text/plain", Countdown(3));
/// assert!(!response.body.is_empty());
/// ```
pub trait Produce: Send {
    /// Appends the next piece to `into`, and says whether more may follow. It may block where a handler may;
    /// a piece without bytes sends nothing.
    ///
    /// # Errors
    /// The content cannot be completed, and why. The connection then ends in a way that no client takes for
    /// the content's end.
    fn produce(&mut self, into: &mut Vec<u8>) -> Result<bool, String>;
}

/// Content made by a [`Produce`].
pub struct Stream {
    producer: Box<dyn Produce>,
    bytes: Option<u64>,
}

impl Stream {
    /// Content made by `producer`, of which nobody knows how much there will be.
    pub fn new(producer: impl Produce + 'static) -> Self {
        Self { producer: Box::new(producer), bytes: None }
    }

    /// Content of exactly so many bytes: what differs from that breaks off.
    pub fn of_length(producer: impl Produce + 'static, bytes: u64) -> Self {
        Self { producer: Box::new(producer), bytes: Some(bytes) }
    }

    /// Its length, where that is known.
    pub fn bytes(&self) -> Option<u64> {
        self.bytes
    }
}

impl Produce for Stream {
    fn produce(&mut self, into: &mut Vec<u8>) -> Result<bool, String> {
        self.producer.produce(into)
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Stream")
    }
}

/// Only the same content is the same: what another will be is not known.
impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self, other)
    }
}

impl Eq for Stream {}

/// Appends a piece of content as a chunk (RFC 9112 §7.1); nothing for no bytes, which would be the end.
pub(crate) fn write_chunk(out: &mut Vec<u8>, piece: &[u8]) {
    if !piece.is_empty() {
        out.extend_from_slice(alloc::format!("{:x}\r\n", piece.len()).as_bytes());
        out.extend_from_slice(piece);
        out.extend_from_slice(b"\r\n");
    }
}

/// What stands behind the last chunk.
pub(crate) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChunkedDecoder;

    #[test]
    fn chunks_are_what_the_decoder_reads() {
        let mut out = Vec::new();
        let pieces: [&[u8]; 4] = [b"one", b"", &[7; 300], b"\r\n"];
        pieces.iter().for_each(|piece| write_chunk(&mut out, piece));
        out.extend_from_slice(LAST_CHUNK);
        let (mut decoder, mut read) = (ChunkedDecoder::new(), Vec::new());
        let used = decoder.decode(&out, |data| read.extend_from_slice(data)).unwrap();
        assert!(decoder.is_done() && used == out.len() && read == pieces.concat());
    }
}
