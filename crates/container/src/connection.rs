//! One connection: received bytes become requests, responses become sent bytes. Never blocks.

use std::io;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::time::Duration;

use loadstone_http::{ChunkedDecoder, Limits, ParseStatus, Request, RequestFraming, RequestHead};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use crate::counters::Tally;
use crate::outgoing::Outgoing;
use crate::socket::{Received, Socket};
use crate::watch::{Record, Watch, Watched};

/// How long a client may take to close after the last response (RFC 9112 §9.6).
pub(crate) const LINGER: Duration = Duration::from_secs(1);

const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// Capacity of a fresh input buffer: the head of nearly every request.
const HEAD_ROOM: usize = 2 * 1024;
/// Room for each read of a body.
const BODY_ROOM: usize = 64 * 1024;
/// A larger buffer is given back while the connection waits for its next request.
const KEPT_WHILE_IDLE: usize = 3 * 1024;

/// Reads of what a client still sends behind the last response, in one round of the loop.
const MAX_DISCARDS: usize = 32;

/// How far the next request has arrived.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Phase {
    /// Its head has not.
    Head,
    /// Its body has not. Chunks decoded so far stand in `Connection::body`.
    Body { head: RequestHead, head_bytes: usize, chunks: ChunkedDecoder },
    /// As a whole: `bytes` of the input belong to it.
    Ready { head: RequestHead, head_bytes: usize, bytes: usize },
    /// It is refused with this status.
    Bad(u16),
}

/// What becomes of a connection behind its present response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It serves the next request.
    Open,
    /// It closes: the client sends nothing more.
    Close,
    /// It closes although the client may be sending.
    Linger,
    /// Our side is closed; what the client still sends is dropped until it closes, too.
    Shut,
    /// The socket has failed.
    Broken,
}

/// How much of what a client still sent was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Discarded {
    /// All that has arrived.
    All,
    /// Not all.
    Part,
    /// All, and nothing follows.
    End,
}

/// A client's connection. It belongs to one thread at a time.
#[derive(Debug)]
pub(crate) struct Connection {
    /// The socket.
    pub socket: Socket,
    /// Index of the connection in its connector.
    pub slot: u32,
    /// How far the next request has arrived.
    pub phase: Phase,
    /// Whether the kernel may hold bytes that were not read.
    pub readable: bool,
    /// Whether the client may have closed its side: then read up to the end, whatever a short
    /// read says.
    pub hung_up: bool,
    /// Whether the client has closed its side and everything it sent was read.
    pub ended: bool,
    /// What becomes of it when its output is gone.
    pub ending: Ending,
    /// The rest of a response that the socket did not take at once.
    pub outgoing: Option<Outgoing>,
    /// Whether a request has been answered.
    pub used: bool,
    /// Bytes of its buffers that its connector has counted.
    pub counted: usize,
    /// Whether `100 Continue` has been said for the request that arrives.
    continued: bool,
    input: Vec<u8>,
    /// Bytes of `input` that belong to answered requests.
    answered: usize,
    /// The decoded body of a chunked request.
    body: Vec<u8>,
    watched: Option<Box<Watched>>,
}

impl Connection {
    /// A connection on an accepted socket.
    pub fn new(socket: Socket, slot: u32, watch: Option<&Arc<Watch>>) -> Self {
        Self {
            watched: watch.map(|watch| Watched::new(watch, &socket)),
            socket,
            slot,
            phase: Phase::Head,
            readable: false,
            hung_up: false,
            ended: false,
            ending: Ending::Open,
            outgoing: None,
            used: false,
            counted: 0,
            continued: false,
            input: Vec::new(),
            answered: 0,
            body: Vec::new(),
        }
    }

    /// Reads until a request is complete, there is nothing to read, or the client has closed its
    /// side; returns the number of bytes.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn receive(&mut self, limits: &Limits) -> io::Result<usize> {
        let mut total = 0;
        while self.readable && matches!(self.phase, Phase::Head | Phase::Body { .. }) {
            self.make_room();
            match self.socket.receive(&mut self.input)? {
                Received::Bytes(count, more) => {
                    total += count;
                    // The end of the stream may have raised its edge already.
                    self.readable = more || self.hung_up;
                    self.advance(limits);
                }
                Received::Nothing => self.readable = false,
                Received::End => (self.readable, self.ended) = (false, true),
            }
        }
        Ok(total)
    }

    /// Reads once, waiting for a little while: see [`Socket::wait_in_reads`]. Returns the number of bytes.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn receive_soon(&mut self, limits: &Limits) -> io::Result<usize> {
        self.make_room();
        match self.socket.receive_soon(&mut self.input)? {
            Received::Bytes(count, more) => {
                self.readable = more;
                self.advance(limits);
                Ok(count)
            }
            Received::Nothing => Ok(0),
            Received::End => {
                self.ended = true;
                Ok(0)
            }
        }
    }

    /// Parses what has been received.
    pub fn advance(&mut self, limits: &Limits) {
        if matches!(self.phase, Phase::Head) {
            match RequestHead::parse(&self.input[self.answered..], limits) {
                ParseStatus::Incomplete => return,
                ParseStatus::Bad(status, _) => self.phase = Phase::Bad(status),
                ParseStatus::Complete(head, head_bytes) => {
                    self.phase = Phase::Body { head, head_bytes, chunks: ChunkedDecoder::new() };
                }
            }
        }
        if let Phase::Body { head, head_bytes, chunks } = self.phase {
            self.phase = match head.framing {
                RequestFraming::Length(length) => {
                    let bytes = head_bytes + length as usize;
                    if self.input.len() - self.answered < bytes {
                        return;
                    }
                    Phase::Ready { head, head_bytes, bytes }
                }
                RequestFraming::Chunked => self.decode_chunks(head, head_bytes, chunks, limits),
            };
            if let (Phase::Ready { .. }, Some(watched)) = (self.phase, &mut self.watched) {
                watched.arrived();
            }
        }
    }

    /// Moves chunks from the input to the body; the input keeps the head, and what follows the body.
    fn decode_chunks(
        &mut self,
        head: RequestHead,
        head_bytes: usize,
        mut chunks: ChunkedDecoder,
        limits: &Limits,
    ) -> Phase {
        let start = self.answered + head_bytes;
        let body = &mut self.body;
        let Ok(used) = chunks.decode(&self.input[start..], |data| body.extend_from_slice(data)) else {
            return Phase::Bad(400);
        };
        if self.body.len() as u64 + chunks.remaining_in_chunk() > limits.body_bytes {
            return Phase::Bad(413);
        }
        if chunks.is_done() {
            return Phase::Ready { head, head_bytes, bytes: head_bytes + used };
        }
        self.input.truncate(start);
        Phase::Body { head, head_bytes, chunks }
    }

    fn make_room(&mut self) {
        if self.answered > 0 {
            self.input.drain(..self.answered);
            self.answered = 0;
        }
        let want = match self.phase {
            Phase::Body { head, head_bytes, .. } => match head.framing {
                RequestFraming::Length(length) => {
                    (head_bytes + length as usize).saturating_sub(self.input.len()).clamp(1, BODY_ROOM)
                }
                RequestFraming::Chunked => BODY_ROOM / 4,
            },
            _ => HEAD_ROOM / 4,
        };
        if self.input.capacity() - self.input.len() < want {
            self.input.reserve(want.max(HEAD_ROOM - self.input.len().min(HEAD_ROOM)));
        }
    }

    /// Says `100 Continue`, once for each request, to a client that waits for it before it sends a body.
    pub fn say_continue(&mut self, tally: &Tally) {
        let Phase::Body { head, head_bytes, .. } = self.phase else { return };
        let begun = self.input.len() - self.answered > head_bytes || !self.body.is_empty();
        if head.expects_continue && !begun && !self.continued {
            self.continued = true;
            // A client whose socket takes no 25 bytes sends its body without having been asked to.
            let _ = self.socket.send_parts(CONTINUE, &[], 0);
            tally.response(100);
        }
    }

    /// Whether a request has arrived as a whole.
    pub fn is_ready(&self) -> bool {
        matches!(self.phase, Phase::Ready { .. })
    }

    /// Whether bytes of the next request have arrived.
    pub fn has_input(&self) -> bool {
        self.input.len() > self.answered
    }

    /// Whether the client has sent more than the request that has arrived as a whole, or may have.
    pub fn has_more(&self) -> bool {
        let Phase::Ready { bytes, .. } = self.phase else { return true };
        self.input.len() > self.answered + bytes || (self.readable && !self.hung_up)
    }

    /// The request that has arrived as a whole.
    pub fn request(&self) -> Option<(RequestHead, Request<'_>)> {
        let Phase::Ready { head, head_bytes, bytes } = self.phase else { return None };
        let message = &self.input[self.answered..self.answered + bytes];
        let body = match head.framing {
            RequestFraming::Length(_) => &message[head_bytes..],
            RequestFraming::Chunked => &self.body,
        };
        Some((head, head.request(&message[..head_bytes], body)))
    }

    /// Begins the record of its answer, of which the head takes so many bytes, if anyone wants it.
    pub fn record(&mut self, status: u16, head_bytes: usize) -> Option<Record> {
        let mut watched = self.watched.take()?;
        let came = &self.input[self.answered..];
        let first_line = came.split(|&byte| byte == b'\r' || byte == b'\n').next().unwrap_or_default();
        let request = self.request().map(|(_, request)| request);
        let record = watched.record(request.as_ref(), first_line, status, head_bytes);
        self.watched = Some(watched);
        Some(record)
    }

    /// Forgets the request that was answered and parses what came behind it.
    pub fn next_request(&mut self, limits: &Limits) {
        if let Phase::Ready { bytes, .. } = self.phase {
            self.answered += bytes;
        }
        self.phase = Phase::Head;
        self.used = true;
        self.continued = false;
        self.body.clear();
        if self.has_input() {
            self.advance(limits);
        } else {
            self.input.clear();
            self.answered = 0;
        }
    }

    /// Bytes that its buffers take.
    pub fn memory(&self) -> usize {
        self.input.capacity() + self.body.capacity()
    }

    /// Gives memory back that an idle connection does not need.
    pub fn shrink(&mut self) {
        if self.input.capacity() > KEPT_WHILE_IDLE {
            self.input = Vec::new();
        }
        if self.body.capacity() > 0 {
            self.body = Vec::new();
        }
    }

    /// Closes behind the last response; `End` when the socket can be closed. Closing one with unread input resets
    /// the connection and may destroy the response on its way (RFC 9112 §9.6): then only our side is closed
    /// until the client closes, too.
    pub fn part(&mut self) -> Discarded {
        if self.ending == Ending::Linger && !self.ended {
            self.ending = match self.socket.shut() {
                Ok(()) => Ending::Shut,
                Err(_) => Ending::Broken,
            };
        }
        if self.ending == Ending::Shut { self.discard() } else { Discarded::End }
    }

    /// Reads and drops what the client still sends, as much as does not hold up the others.
    fn discard(&self) -> Discarded {
        let mut sink = [const { MaybeUninit::<u8>::uninit() }; BODY_ROOM];
        for _ in 0..MAX_DISCARDS {
            match recv(&self.socket, &mut sink[..], RecvFlags::DONTWAIT) {
                Ok((_, 0)) => return Discarded::End,
                Ok(_) => {}
                Err(Errno::AGAIN) => return Discarded::All,
                Err(Errno::INTR) => {}
                Err(_) => return Discarded::End,
            }
        }
        Discarded::Part
    }
}
