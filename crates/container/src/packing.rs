//! The gzip coding of content that is made while it is sent (RFC 1952).

use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use loadstone_http::{Produce, Stream};

/// The beginning: deflate, no name, no time, from any system.
pub(crate) const GZIP_HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// Compresses each piece so that the client can read it before the next is made.
pub(crate) struct Packed {
    plain: Stream,
    deflate: Compress,
    sum: Crc,
    piece: Vec<u8>,
    begun: bool,
}

impl Packed {
    pub fn new(plain: Stream, level: u32) -> Self {
        let deflate = Compress::new(Compression::new(level), false);
        Self { plain, deflate, sum: Crc::new(), piece: Vec::new(), begun: false }
    }
}

impl Produce for Packed {
    fn produce(&mut self, into: &mut Vec<u8>) -> Result<bool, String> {
        self.piece.clear();
        let more = self.plain.produce(&mut self.piece)?;
        if !std::mem::replace(&mut self.begun, true) {
            into.extend_from_slice(&GZIP_HEAD);
        }
        if more && self.piece.is_empty() {
            return Ok(true);
        }
        self.sum.update(&self.piece);
        let flush = if more { FlushCompress::Sync } else { FlushCompress::Finish };
        let mut rest = &self.piece[..];
        loop {
            into.reserve(rest.len() / 2 + 64);
            let before = self.deflate.total_in();
            let status = self.deflate.compress_vec(rest, into, flush).map_err(|error| error.to_string())?;
            rest = &rest[(self.deflate.total_in() - before) as usize..];
            // Room that is left says that everything is out.
            if status == Status::StreamEnd || (more && rest.is_empty() && into.len() < into.capacity()) {
                break;
            }
        }
        if !more {
            into.extend_from_slice(&self.sum.sum().to_le_bytes());
            into.extend_from_slice(&self.sum.amount().to_le_bytes());
        }
        Ok(more)
    }
}
