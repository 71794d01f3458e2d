//! The connection to the server behind.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use loadstone_http::{BodyFraming, ChunkedDecoder, Method, Request, Response, ResponseHead};

/// Bytes read at once.
const PIECE: usize = 16 << 10;
/// Longest head taken.
const MAX_HEAD: usize = 64 << 10;

/// A connection that is kept from one request to the next.
pub(crate) struct Back {
    address: SocketAddr,
    authority: String,
    patience: Duration,
    stream: Option<TcpStream>,
    buffer: Vec<u8>,
}

impl Back {
    pub(crate) fn new(address: SocketAddr, authority: &str, patience: Duration) -> Self {
        Self { address, authority: authority.into(), patience, stream: None, buffer: Vec::new() }
    }

    /// Asks for what `request` asks for, and fills `response` with the answer.
    pub(crate) fn ask(&mut self, request: &Request<'_>, response: &mut Response) -> io::Result<()> {
        let kept = self.stream.take();
        if let Some(stream) = kept {
            match self.exchange(stream, request, response) {
                // It was closed while nobody looked. Nothing of an answer has come, and GET may be asked twice.
                Err(error) if is_stale(&error) && self.buffer.is_empty() => {}
                done => return done,
            }
        }
        let stream = TcpStream::connect_timeout(&self.address, self.patience)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(self.patience))?;
        stream.set_write_timeout(Some(self.patience))?;
        self.exchange(stream, request, response)
    }

    /// One request and its answer; the connection is kept when it may be.
    fn exchange(
        &mut self,
        mut stream: TcpStream,
        request: &Request<'_>,
        response: &mut Response,
    ) -> io::Result<()> {
        self.buffer.clear();
        let query = if request.query.is_empty() { "" } else { "?" };
        let (path, authority) = (request.path, &self.authority);
        write!(self.buffer, "GET {path}{query}{} HTTP/1.1\r\nHost: {authority}\r\n\r\n", request.query)?;
        stream.write_all(&self.buffer)?;
        self.buffer.clear();
        if self.read_answer(&mut stream, response)? {
            self.stream = Some(stream);
        }
        Ok(())
    }

    /// Fills `response`; whether the connection may be kept.
    fn read_answer(&mut self, stream: &mut TcpStream, response: &mut Response) -> io::Result<bool> {
        let mut from = 0;
        let (length, framing, keep_alive) = loop {
            let parsed = ResponseHead::parse(&self.buffer[from..]);
            if let Some((head, length)) = parsed.map_err(|error| wrong(error.to_string()))? {
                from += length;
                if head.status >= 200 {
                    response.status(head.status);
                    if let Some(media_type) = head.headers.get("content-type") {
                        response.header("Content-Type", media_type);
                    }
                    break (from, head.framing(Method::Get), head.keep_alive);
                }
            } else if self.buffer.len() > MAX_HEAD {
                return Err(wrong("its head is longer than 64 KiB"));
            } else {
                self.more_or_fail(stream)?;
            }
        };
        let (body, whole) = self.read_body(stream, length, framing)?;
        response.body = body.into();
        Ok(keep_alive && whole)
    }

    /// The body behind a head of `start` bytes; whether it ended before the connection, with nothing behind it.
    fn read_body(
        &mut self,
        stream: &mut TcpStream,
        start: usize,
        framing: BodyFraming,
    ) -> io::Result<(Vec<u8>, bool)> {
        match framing {
            BodyFraming::None => Ok((Vec::new(), self.buffer.len() == start)),
            BodyFraming::Length(length) => {
                let end = usize::try_from(length).ok().and_then(|length| start.checked_add(length));
                let end = end.ok_or_else(|| wrong("its body is too long"))?;
                while self.buffer.len() < end {
                    self.more_or_fail(stream)?;
                }
                Ok((self.buffer[start..end].to_vec(), self.buffer.len() == end))
            }
            BodyFraming::Chunked => {
                let (mut decoder, mut body, mut at) = (ChunkedDecoder::new(), Vec::new(), start);
                loop {
                    let taken = decoder
                        .decode(&self.buffer[at..], |data| body.extend_from_slice(data))
                        .map_err(|_| wrong("its chunks are malformed"))?;
                    at += taken;
                    if decoder.is_done() {
                        return Ok((body, at == self.buffer.len()));
                    }
                    self.more_or_fail(stream)?;
                }
            }
            BodyFraming::Close => {
                while self.more(stream)? > 0 {}
                Ok((self.buffer[start..].to_vec(), false))
            }
        }
    }

    fn more_or_fail(&mut self, stream: &mut TcpStream) -> io::Result<()> {
        if self.more(stream)? == 0 { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    /// Reads what is there, at least one byte unless the connection has ended.
    fn more(&mut self, stream: &mut TcpStream) -> io::Result<usize> {
        let before = self.buffer.len();
        self.buffer.resize(before + PIECE, 0);
        let read = loop {
            match stream.read(&mut self.buffer[before..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                done => break done,
            }
        };
        self.buffer.truncate(before + *read.as_ref().unwrap_or(&0));
        read
    }
}

fn is_stale(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::BrokenPipe
            | ErrorKind::ConnectionAborted
    )
}

fn wrong(what: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what.into())
}
