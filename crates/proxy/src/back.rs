//! The connection to the server behind.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use loadstone_http::{
    Body, BodyFraming, ChunkedDecoder, Method, Produce, Request, Response, ResponseHead, Stream,
};

/// Bytes read at once.
const PIECE: usize = 16 << 10;
/// Longest head taken.
const MAX_HEAD: usize = 64 << 10;

/// A connection that is kept from one request to the next.
pub(crate) struct Back {
    address: SocketAddr,
    authority: String,
    patience: Duration,
    kept: Kept,
    buffer: Vec<u8>,
}

impl Back {
    pub(crate) fn new(address: SocketAddr, authority: &str, patience: Duration) -> Self {
        Self { address, authority: authority.into(), patience, kept: Kept::default(), buffer: Vec::new() }
    }

    /// Asks for what `request` asks for, and fills `response` with the answer.
    pub(crate) fn ask(&mut self, request: &Request<'_>, response: &mut Response) -> io::Result<()> {
        let kept = take(&self.kept).take();
        if let Some(stream) = kept {
            match self.exchange(stream, request, response) {
                // It was closed while nobody looked. Nothing of an answer has come, and GET may be asked
                // twice.
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
        let (start, framing, keep_alive) = self.read_head(&mut stream, response)?;
        if matches!(framing, BodyFraming::Chunked | BodyFraming::Close) {
            let chunks = matches!(framing, BodyFraming::Chunked).then(ChunkedDecoder::of_answer);
            let keep = keep_alive.then(|| self.kept.clone());
            let came = self.buffer.split_off(start);
            let passing = Passing { stream: Some(stream), chunks, came, keep, begun: false };
            response.body = Body::Stream(Stream::new(passing));
            return Ok(());
        }
        let (body, whole) = self.read_body(&mut stream, start, framing)?;
        response.body = body.into();
        if keep_alive && whole {
            *take(&self.kept) = Some(stream);
        }
        Ok(())
    }

    /// Takes status and media type over; where the body begins, its framing, and whether the connection may
    /// be kept.
    fn read_head(
        &mut self,
        stream: &mut TcpStream,
        response: &mut Response,
    ) -> io::Result<(usize, BodyFraming, bool)> {
        let mut from = 0;
        loop {
            let parsed = ResponseHead::parse(&self.buffer[from..]);
            if let Some((head, length)) = parsed.map_err(|error| wrong(error.to_string()))? {
                from += length;
                if head.status >= 200 {
                    response.status(head.status);
                    if let Some(media_type) = head.headers.get("content-type") {
                        response.header("Content-Type", media_type);
                    }
                    return Ok((from, head.framing(Method::Get), head.keep_alive));
                }
            } else if self.buffer.len() > MAX_HEAD {
                return Err(wrong("its head is longer than 64 KiB"));
            } else {
                self.more_or_fail(stream)?;
            }
        }
    }

    /// A body of known length behind a head of `start` bytes; whether it ended before the connection, with
    /// nothing behind it.
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
            BodyFraming::Chunked | BodyFraming::Close => Err(wrong("its length is not known")),
        }
    }

    fn more_or_fail(&mut self, stream: &mut TcpStream) -> io::Result<()> {
        if self.more(stream)? == 0 { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    fn more(&mut self, stream: &mut TcpStream) -> io::Result<usize> {
        read_more(stream, &mut self.buffer)
    }
}

/// The connection that is free for the next request, if it is.
type Kept = Arc<Mutex<Option<TcpStream>>>;

fn take(kept: &Kept) -> MutexGuard<'_, Option<TcpStream>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads what is there, at least one byte unless the connection has ended.
fn read_more(stream: &mut TcpStream, into: &mut Vec<u8>) -> io::Result<usize> {
    let before = into.len();
    into.resize(before + PIECE, 0);
    let read = loop {
        match stream.read(&mut into[before..]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => break done,
        }
    };
    into.truncate(before + *read.as_ref().unwrap_or(&0));
    read
}

/// A body of unknown length, passed on as it comes.
struct Passing {
    stream: Option<TcpStream>,
    /// None: the end of the connection is its end.
    chunks: Option<ChunkedDecoder>,
    /// What has come and was not passed on.
    came: Vec<u8>,
    /// Where the connection goes that may be kept.
    keep: Option<Kept>,
    /// Whether what came with the head has been looked at.
    begun: bool,
}

impl Produce for Passing {
    fn produce(&mut self, into: &mut Vec<u8>) -> Result<bool, String> {
        let Some(stream) = &mut self.stream else { return Ok(false) };
        let waits = std::mem::replace(&mut self.begun, true) || self.came.is_empty();
        if waits && read_more(stream, &mut self.came).map_err(|error| error.to_string())? == 0 {
            return if self.chunks.is_none() { Ok(false) } else { Err("it ends in mid-answer".into()) };
        }
        let Some(chunks) = &mut self.chunks else {
            into.append(&mut self.came);
            return Ok(true);
        };
        let used = chunks.decode(&self.came, |data| into.extend_from_slice(data));
        self.came.drain(..used.map_err(|_| "its chunks are malformed")?);
        if !chunks.is_done() {
            return Ok(true);
        }
        if let Some(kept) = self.keep.take().filter(|_| self.came.is_empty()) {
            *take(&kept) = self.stream.take();
        }
        Ok(false)
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
