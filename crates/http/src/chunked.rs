//! The chunked transfer coding (RFC 9112 §7.1), decoded as the bytes arrive.

/// Longest chunk-size line, extensions included; a longer one is an attack, not a chunk.
const MAX_SIZE_LINE: u32 = 256;
/// Most bytes of trailer fields; they are read and dropped.
const MAX_TRAILERS: u32 = 8 * 1024;

/// Why a chunked body was refused; the connection cannot be used afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkError {
    /// The chunk size is not a hexadecimal number that fits 64 bits.
    Size,
    /// A line does not end in CRLF, or a chunk does not end where its size says.
    LineEnd,
    /// A chunk-size line is longer than 256 bytes.
    ExtensionTooLong,
    /// The trailer fields are longer than 8 KiB.
    TrailersTooLong,
}

impl core::fmt::Display for ChunkError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Size => "chunk size is not a hexadecimal number",
            Self::LineEnd => "chunk does not end in CRLF",
            Self::ExtensionTooLong => "chunk extension is too long",
            Self::TrailersTooLong => "trailer fields are too long",
        })
    }
}

impl core::error::Error for ChunkError {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first digit of a size.
    SizeStart,
    /// After a digit.
    Size,
    /// White space between size and extension.
    SizeSpace,
    /// In an extension, up to CR.
    Extension,
    /// LF of the size line.
    SizeLf,
    /// In the data of a chunk.
    Data,
    /// CR, then LF, after the data.
    DataCr,
    DataLf,
    /// At the start of a trailer line, or of the empty line that ends the body.
    TrailerStart,
    Trailer,
    TrailerLf,
    /// LF of the empty line.
    EndLf,
    Done,
}

/// Decodes a chunked body piece by piece; the pieces may split it anywhere.
///
/// ```
/// use loadstone_http::ChunkedDecoder;
/// let (mut decoder, mut body) = (ChunkedDecoder::new(), Vec::new());
/// for piece in [&b"5;x=y\r\nhel"[..], b"lo\r\n0\r\n\r\nGET /"] {
///     let used = decoder.decode(piece, |data| body.extend_from_slice(data)).unwrap();
///     if decoder.is_done() {
///         assert_eq!(&piece[used..], b"GET /");
///     }
/// }
/// assert_eq!(body, b"hello");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkedDecoder {
    state: State,
    /// Bytes of data left in this chunk; while reading a size, the size so far.
    left: u64,
    /// Bytes of the current size line, or of all trailers.
    line: u32,
}

impl Default for ChunkedDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl ChunkedDecoder {
    /// A decoder before the first byte of a body.
    pub const fn new() -> Self {
        Self { state: State::SizeStart, left: 0, line: 0 }
    }

    /// Whether the whole body has been decoded.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Bytes of data that the chunk now being read still holds, as it announced.
    pub fn remaining_in_chunk(&self) -> u64 {
        if self.state == State::Data { self.left } else { 0 }
    }

    /// Decodes `input`, hands the data to `sink` in order and returns how many bytes belonged to
    /// the body: all of them unless the body ended.
    ///
    /// # Errors
    /// [`ChunkError`] when the coding is broken; data before the fault has been handed over.
    pub fn decode(&mut self, input: &[u8], mut sink: impl FnMut(&[u8])) -> Result<usize, ChunkError> {
        let mut at = 0;
        while at < input.len() && self.state != State::Done {
            if self.state == State::Data {
                let take = usize::try_from(self.left).unwrap_or(usize::MAX).min(input.len() - at);
                sink(&input[at..at + take]);
                at += take;
                self.left -= take as u64;
                if self.left == 0 {
                    self.state = State::DataCr;
                }
            } else {
                self.state = self.framing_byte(input[at])?;
                at += 1;
            }
        }
        Ok(at)
    }

    /// The state after one byte that is not data.
    fn framing_byte(&mut self, byte: u8) -> Result<State, ChunkError> {
        self.line += 1;
        match self.state {
            State::SizeStart | State::Size | State::SizeSpace | State::Extension
                if self.line > MAX_SIZE_LINE =>
            {
                Err(ChunkError::ExtensionTooLong)
            }
            State::TrailerStart | State::Trailer if self.line > MAX_TRAILERS => {
                Err(ChunkError::TrailersTooLong)
            }
            State::SizeStart => self.digit(byte),
            State::Size => match byte {
                b' ' | b'\t' => Ok(State::SizeSpace),
                b';' => Ok(State::Extension),
                b'\r' => Ok(State::SizeLf),
                _ => self.digit(byte),
            },
            State::SizeSpace => match byte {
                b' ' | b'\t' => Ok(State::SizeSpace),
                b';' => Ok(State::Extension),
                b'\r' => Ok(State::SizeLf),
                _ => Err(ChunkError::Size),
            },
            State::Extension => match byte {
                b'\r' => Ok(State::SizeLf),
                b'\n' | 0 => Err(ChunkError::LineEnd),
                _ => Ok(State::Extension),
            },
            State::SizeLf => {
                expect(byte, b'\n')?;
                self.line = 0;
                Ok(if self.left == 0 { State::TrailerStart } else { State::Data })
            }
            State::DataCr => expect(byte, b'\r').map(|()| State::DataLf),
            State::DataLf => {
                expect(byte, b'\n')?;
                (self.left, self.line) = (0, 0);
                Ok(State::SizeStart)
            }
            State::TrailerStart if byte == b'\r' => Ok(State::EndLf),
            State::TrailerStart | State::Trailer => match byte {
                b'\r' => Ok(State::TrailerLf),
                b'\n' | 0 => Err(ChunkError::LineEnd),
                _ => Ok(State::Trailer),
            },
            State::TrailerLf => expect(byte, b'\n').map(|()| State::TrailerStart),
            State::EndLf => expect(byte, b'\n').map(|()| State::Done),
            State::Data | State::Done => unreachable!("no framing byte in data or after the end"),
        }
    }

    fn digit(&mut self, byte: u8) -> Result<State, ChunkError> {
        let value = char::from(byte).to_digit(16).ok_or(ChunkError::Size)?;
        if self.left >> 60 != 0 {
            return Err(ChunkError::Size);
        }
        self.left = self.left << 4 | u64::from(value);
        Ok(State::Size)
    }
}

fn expect(byte: u8, wanted: u8) -> Result<(), ChunkError> {
    if byte == wanted { Ok(()) } else { Err(ChunkError::LineEnd) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn decode(input: &[u8]) -> Result<(Vec<u8>, usize, bool), ChunkError> {
        let (mut decoder, mut body) = (ChunkedDecoder::new(), Vec::new());
        let used = decoder.decode(input, |data| body.extend_from_slice(data))?;
        Ok((body, used, decoder.is_done()))
    }

    #[test]
    fn chunks_extensions_and_trailers() {
        let coded = b"4 ; a=b\r\nWiki\r\n00A\r\n0123456789\r\n0;x\r\nExpires: never\r\nA: b\r\n\r\nrest";
        let (body, used, done) = decode(coded).unwrap();
        assert_eq!((body.as_slice(), &coded[used..], done), (&b"Wiki0123456789"[..], &b"rest"[..], true));
    }

    #[test]
    fn broken_coding_is_refused() {
        for (coded, error) in [
            (&b"\r\n"[..], ChunkError::Size),
            (b"-1\r\n", ChunkError::Size),
            (b"+1\r\n", ChunkError::Size),
            (b"0x1\r\n", ChunkError::Size),
            (b" 1\r\n", ChunkError::Size),
            (b"1 1\r\n", ChunkError::Size),
            (b"g\r\n", ChunkError::Size),
            (b"11111111111111111\r\n", ChunkError::Size),
            (b"1\n", ChunkError::Size),
            (b"1;a\nx", ChunkError::LineEnd),
            (b"1\rx", ChunkError::LineEnd),
            (b"1\r\nab", ChunkError::LineEnd),
            (b"1\r\na\n", ChunkError::LineEnd),
            (b"0\r\n\n", ChunkError::LineEnd),
            (b"0\r\nA: b\nC", ChunkError::LineEnd),
        ] {
            assert_eq!(decode(coded), Err(error), "{:?}", core::str::from_utf8(coded));
        }
    }

    #[test]
    fn lengths_are_bounded() {
        let mut long = b"1;".to_vec();
        long.resize(300, b'x');
        assert_eq!(decode(&long), Err(ChunkError::ExtensionTooLong));
        let mut trailers = b"0\r\n".to_vec();
        while trailers.len() < 9000 {
            trailers.extend_from_slice(b"A: b\r\n");
        }
        assert_eq!(decode(&trailers), Err(ChunkError::TrailersTooLong));
    }

    #[test]
    fn a_chunk_announces_its_size() {
        let mut decoder = ChunkedDecoder::new();
        decoder.decode(b"ffffffff\r\nx", |_| ()).unwrap();
        assert_eq!(decoder.remaining_in_chunk(), 0xffff_fffe);
    }
}
