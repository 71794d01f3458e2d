//! Content codings of answers (RFC 9110 §8.4): bodies that must be looked at are decompressed, within bounds.

use std::io::Read;

use brotli_decompressor::Decompressor;
use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// What browsers ask for.
pub(crate) const ACCEPT_ENCODING: &str = "Accept-Encoding: gzip, deflate, br, zstd\r\n";

/// Largest content, decompressed: what is looked at of a plain body, too.
const MAX_CONTENT: usize = 64 << 20;
const TOO_LARGE: &str = "the body, decompressed, is larger than 64 MiB";
/// Most codings of one body. Nobody uses two; each of a hostile list could multiply the work.
const MOST_CODINGS: usize = 3;
/// Largest window of a zstd frame: what RFC 8878 §3.1.1.1.2 has decoders accept, and browsers no more.
const ZSTD_WINDOW: u64 = 8 << 20;
/// Of brotli's input, held at a time.
const BROTLI_INPUT: usize = 4 << 10;

/// A content coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    fn parse(name: &[u8]) -> Option<Self> {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        match () {
            () if is("gzip") || is("x-gzip") => Some(Self::Gzip),
            () if is("deflate") => Some(Self::Deflate),
            () if is("br") => Some(Self::Brotli),
            () if is("zstd") => Some(Self::Zstd),
            () => None,
        }
    }

    fn malformed(self) -> &'static str {
        match self {
            Self::Gzip => "the body is not whole, valid gzip",
            Self::Deflate => "the body is not whole, valid deflate",
            Self::Brotli => "the body is not whole, valid brotli",
            Self::Zstd => "the body is not whole, valid zstd",
        }
    }

    fn decode(self, body: &[u8], out: &mut Vec<u8>) -> Result<(), &'static str> {
        out.clear();
        match self {
            Self::Gzip => self.read(MultiGzDecoder::new(body), out),
            // RFC 9110 means zlib's format; some servers send the bare one, and browsers take both.
            Self::Deflate if has_zlib_head(body) => self.read(ZlibDecoder::new(body), out),
            Self::Deflate => self.read(DeflateDecoder::new(body), out),
            Self::Brotli => self.read(Decompressor::new(body, BROTLI_INPUT), out),
            Self::Zstd => self.decode_frames(body, out),
        }
    }

    /// Reads at most one byte more than there may be.
    fn read(self, decoder: impl Read, out: &mut Vec<u8>) -> Result<(), &'static str> {
        let room = (MAX_CONTENT - out.len()) as u64 + 1;
        match decoder.take(room).read_to_end(out) {
            _ if out.len() > MAX_CONTENT => Err(TOO_LARGE),
            Ok(_) => Ok(()),
            Err(_) => Err(self.malformed()),
        }
    }

    /// A zstd body is one frame after another; some are to be skipped.
    fn decode_frames(self, mut body: &[u8], out: &mut Vec<u8>) -> Result<(), &'static str> {
        let mut frames = FrameDecoder::new();
        frames.set_max_window_size(ZSTD_WINDOW);
        while !body.is_empty() {
            match StreamingDecoder::new_with_decoder(&mut body, &mut frames) {
                Ok(decoder) => self.read(decoder, out)?,
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => body = body.get(length as usize..).ok_or(self.malformed())?,
                Err(_) => return Err(self.malformed()),
            }
        }
        Ok(())
    }
}

/// RFC 1950: method 8, and a check of both bytes.
fn has_zlib_head(body: &[u8]) -> bool {
    matches!(body, [method, flags, ..] if method & 15 == 8 && (usize::from(*method) << 8 | usize::from(*flags)) % 31 == 0)
}

/// The content of bodies; one of each thread, whose buffers are used again.
#[derive(Debug, Default)]
pub(crate) struct Content {
    decoded: Vec<u8>,
    before: Vec<u8>,
}

/// A buffer that grew beyond this is given back to the allocator.
const KEPT_CAPACITY: usize = 4 << 20;

impl Content {
    /// The content of `body`, whose codings `field` lists in the order in which they were applied. A body
    /// without codings, and one that is empty, is its own content.
    ///
    /// # Errors
    /// A sentence's end on what is wrong with the body.
    pub(crate) fn of<'a>(&'a mut self, field: &[u8], body: &'a [u8]) -> Result<&'a [u8], &'static str> {
        let mut left = codings(field);
        let (Some(last), false) = (left.next(), body.is_empty()) else { return Ok(body) };
        if left.clone().count() >= MOST_CODINGS {
            return Err("the body has more than three content codings");
        }
        self.shrink();
        known(last)?.decode(body, &mut self.decoded)?;
        for coding in left {
            std::mem::swap(&mut self.decoded, &mut self.before);
            known(coding)?.decode(&self.before, &mut self.decoded)?;
        }
        Ok(&self.decoded)
    }

    /// Gives back what only the largest body of all needed.
    fn shrink(&mut self) {
        for buffer in [&mut self.decoded, &mut self.before] {
            buffer.clear();
            buffer.shrink_to(KEPT_CAPACITY);
        }
    }
}

/// Whether `field` lists a coding that changes the body.
pub(crate) fn is_coded(field: &[u8]) -> bool {
    codings(field).next().is_some()
}

/// The codings of a field, the one that was applied last first.
fn codings(field: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    let names = field.rsplit(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    names.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case(b"identity"))
}

fn known(name: &[u8]) -> Result<Coding, &'static str> {
    Coding::parse(name).ok_or("the body has a content coding other than gzip, deflate, br and zstd")
}

#[cfg(test)]
mod tests;
