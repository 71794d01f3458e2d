//! The chunked transfer coding (RFC 9112 §7.1), decoded as the bytes arrive.

use crate::characters::{QUOTED, TOKEN, VALUE, is};

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
    /// What follows a chunk size is no extension.
    Extension,
    /// A chunk-size line is longer than 256 bytes.
    ExtensionTooLong,
    /// A line behind the last chunk is no field.
    Trailer,
    /// The trailer fields are longer than 8 KiB.
    TrailersTooLong,
}

impl core::fmt::Display for ChunkError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Size => "chunk size is not a hexadecimal number",
            Self::LineEnd => "chunk does not end in CRLF",
            Self::Extension => "chunk extension is malformed",
            Self::Trailer => "trailer line is no field",
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
    /// White space behind a size or an extension: only another extension may follow (RFC 9112 §7.1.1).
    Space,
    /// Behind the `;` of an extension, before its name.
    NameStart,
    Name,
    /// White space behind a name: a value or another extension must follow.
    NameSpace,
    /// Behind `=`.
    ValueStart,
    Value,
    /// Inside the quotes of a value.
    Quoted,
    /// Behind a backslash there.
    Escaped,
    /// Behind the closing quote.
    QuotedEnd,
    /// LF of the size line.
    SizeLf,
    /// In the data of a chunk.
    Data,
    /// CR, then LF, after the data.
    DataCr,
    DataLf,
    /// At the start of a trailer line, or of the empty line that ends the body.
    TrailerStart,
    TrailerName,
    TrailerValue,
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
    /// Whether white space at the end of a size line is forgiven.
    forgiving: bool,
}

impl Default for ChunkedDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl ChunkedDecoder {
    /// A decoder before the first byte of a body.
    pub const fn new() -> Self {
        Self { state: State::SizeStart, left: 0, line: 0, forgiving: false }
    }

    /// A client's, before the first byte of an answer: some servers fill their size lines up with spaces,
    /// which lead nobody astray who does not pass them on.
    pub const fn of_answer() -> Self {
        Self { forgiving: true, ..Self::new() }
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
            State::TrailerStart | State::TrailerName | State::TrailerValue if self.line > MAX_TRAILERS => {
                Err(ChunkError::TrailersTooLong)
            }
            State::TrailerStart if byte == b'\r' => Ok(State::EndLf),
            State::TrailerStart if is(byte, TOKEN) => Ok(State::TrailerName),
            State::TrailerName if is(byte, TOKEN) => Ok(State::TrailerName),
            State::TrailerName if byte == b':' => Ok(State::TrailerValue),
            State::TrailerStart | State::TrailerName => {
                Err(if byte == b'\n' { ChunkError::LineEnd } else { ChunkError::Trailer })
            }
            State::TrailerValue => match byte {
                b'\r' => Ok(State::TrailerLf),
                b'\n' => Err(ChunkError::LineEnd),
                _ if is(byte, VALUE) => Ok(State::TrailerValue),
                _ => Err(ChunkError::Trailer),
            },
            State::TrailerLf => expect(byte, b'\n').map(|()| State::TrailerStart),
            State::EndLf => expect(byte, b'\n').map(|()| State::Done),
            State::DataCr => expect(byte, b'\r').map(|()| State::DataLf),
            State::DataLf => {
                expect(byte, b'\n')?;
                (self.left, self.line) = (0, 0);
                Ok(State::SizeStart)
            }
            State::SizeLf => {
                expect(byte, b'\n')?;
                self.line = 0;
                Ok(if self.left == 0 { State::TrailerStart } else { State::Data })
            }
            State::Data | State::Done => unreachable!("no framing byte in data or after the end"),
            _ if self.line > MAX_SIZE_LINE => Err(ChunkError::ExtensionTooLong),
            _ => self.size_line_byte(byte),
        }
    }

    /// The same in a size line: a size, then extensions (RFC 9112 §7.1.1).
    fn size_line_byte(&mut self, byte: u8) -> Result<State, ChunkError> {
        match (self.state, byte) {
            // Quotes hide everything else.
            (State::Quoted, b'"') => Ok(State::QuotedEnd),
            (State::Quoted, b'\\') => Ok(State::Escaped),
            (State::Quoted, _) if is(byte, QUOTED) => Ok(State::Quoted),
            (State::Escaped, _) if is(byte, VALUE) => Ok(State::Quoted),
            (State::Space, b'\r') if self.forgiving => Ok(State::SizeLf),
            (State::Size | State::Name | State::Value | State::QuotedEnd, b'\r') => Ok(State::SizeLf),
            (State::SizeStart | State::Size, _) if !matches!(byte, b' ' | b'\t' | b';') => self.digit(byte),
            (_, b'\n') => Err(ChunkError::LineEnd),
            (State::Size | State::Space | State::Value | State::QuotedEnd, b' ' | b'\t') => Ok(State::Space),
            (State::Name | State::NameSpace, b' ' | b'\t') => Ok(State::NameSpace),
            (State::NameStart | State::ValueStart, b' ' | b'\t') => Ok(self.state),
            (State::Name | State::NameSpace, b'=') => Ok(State::ValueStart),
            (State::NameStart | State::Name, _) if is(byte, TOKEN) => Ok(State::Name),
            (State::ValueStart, b'"') => Ok(State::Quoted),
            (State::ValueStart | State::Value, _) if is(byte, TOKEN) => Ok(State::Value),
            (
                State::Size | State::Space | State::Name | State::NameSpace | State::Value | State::QuotedEnd,
                b';',
            ) => Ok(State::NameStart),
            (State::SizeStart | State::Space, _) => Err(ChunkError::Size),
            _ => Err(ChunkError::Extension),
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
        let coded = b"4 ; a = b\t;c=\" \\\";\xe9\" ;d\r\nWiki\r\n00A\r\n0123456789\r\n0;x\r\nExpires: never\r\nA: b\r\n\r\nrest";
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
            (b"1 \r\n", ChunkError::Size),
            (b"1\t\r\n", ChunkError::Size),
            (b"1 ;a \r\n", ChunkError::Extension),
            (b"1;\r\n", ChunkError::Extension),
            (b"1;;a\r\n", ChunkError::Extension),
            (b"1;=x\r\n", ChunkError::Extension),
            (b"1;a=\r\n", ChunkError::Extension),
            (b"1;a==b\r\n", ChunkError::Extension),
            (b"1;a b\r\n", ChunkError::Extension),
            (b"1;a=b c\r\n", ChunkError::Size),
            (b"1;[\r\n", ChunkError::Extension),
            (b"1;a=[\r\n", ChunkError::Extension),
            (b"1;a=\"b\r\n", ChunkError::Extension),
            (b"1;a=\"b\"c\r\n", ChunkError::Extension),
            (b"1;a=\"b\\\r\n", ChunkError::Extension),
            (b"1;a=\"\0\"\r\n", ChunkError::Extension),
            (b"1;a\nx", ChunkError::LineEnd),
            (b"0\r\nA\r\n", ChunkError::Trailer),
            (b"0\r\nA : b\r\n", ChunkError::Trailer),
            (b"0\r\n: b\r\n", ChunkError::Trailer),
            (b"0\r\nGET / HTTP/1.1\r\n", ChunkError::Trailer),
            (b"0\r\nA: b\r\n c\r\n", ChunkError::Trailer),
            (b"0\r\nA: \x07\r\n", ChunkError::Trailer),
            (b"0\r\nA: \0\r\n", ChunkError::Trailer),
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
    fn a_client_forgives_spaces_behind_a_size() {
        let mut decoder = ChunkedDecoder::of_answer();
        let used = decoder.decode(b"1  \r\na\r\n0 \r\n\r\n", |data| assert_eq!(data, b"a"));
        assert!(used == Ok(14) && decoder.is_done());
        assert_eq!(ChunkedDecoder::of_answer().decode(b"1 1\r\n", |_| ()), Err(ChunkError::Size));
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
