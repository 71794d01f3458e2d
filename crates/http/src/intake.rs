//! Received bytes become requests: what every server does between its socket and its application.

use alloc::vec::Vec;

use crate::{ChunkedDecoder, Limits, ParseStatus, Request, RequestFraming, RequestHead};

/// Capacity of a fresh input buffer: the head of nearly every request.
const HEAD_ROOM: usize = 2 * 1024;
/// Room for each read of a body.
const BODY_ROOM: usize = 64 * 1024;
/// A larger buffer is given back while the connection waits for its next request.
const KEPT_WHILE_IDLE: usize = 3 * 1024;

/// How far the next request has arrived.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Phase {
    /// Its head has not.
    Head,
    /// Its body has not.
    Body {
        /// The head.
        head: RequestHead,
        /// Its length.
        head_bytes: usize,
        /// How far a chunked body was decoded.
        chunks: ChunkedDecoder,
    },
    /// As a whole.
    Ready {
        /// The head.
        head: RequestHead,
        /// Its length.
        head_bytes: usize,
        /// Length of the whole request among the received bytes.
        bytes: usize,
    },
    /// It is refused with this status.
    Bad(u16),
}

/// The receiving half of a connection: bytes in, one request after the other out.
#[derive(Debug)]
pub(crate) struct Intake {
    phase: Phase,
    /// Whether `100 Continue` has been said for the request that arrives.
    continued: bool,
    used: bool,
    input: Vec<u8>,
    /// Bytes of `input` that belong to answered requests.
    answered: usize,
    /// The decoded body of a chunked request.
    body: Vec<u8>,
}

impl Intake {
    /// Of a connection on which nothing has been received. It allocates nothing.
    pub const fn new() -> Self {
        Self {
            phase: Phase::Head,
            continued: false,
            used: false,
            input: Vec::new(),
            answered: 0,
            body: Vec::new(),
        }
    }

    /// How far the next request has arrived.
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    /// Whether a request has been answered.
    pub fn is_used(&self) -> bool {
        self.used
    }

    /// Parses what has been received; whether a request has become complete.
    pub fn advance(&mut self, limits: &Limits) -> bool {
        if matches!(self.phase, Phase::Head) {
            match RequestHead::parse(&self.input[self.answered..], limits) {
                ParseStatus::Incomplete => return false,
                ParseStatus::Bad(status, _) => self.phase = Phase::Bad(status),
                ParseStatus::Complete(head, head_bytes) => {
                    self.phase = Phase::Body { head, head_bytes, chunks: ChunkedDecoder::new() };
                }
            }
        }
        let Phase::Body { head, head_bytes, chunks } = self.phase else { return false };
        self.phase = match head.framing {
            RequestFraming::Length(length) => {
                let bytes = head_bytes + length as usize;
                if self.input.len() - self.answered < bytes {
                    return false;
                }
                Phase::Ready { head, head_bytes, bytes }
            }
            RequestFraming::Chunked => self.decode_chunks(head, head_bytes, chunks, limits),
        };
        self.is_ready()
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

    /// The buffer to which the next bytes are to be appended, with spare capacity for them.
    pub fn room(&mut self) -> &mut Vec<u8> {
        if self.answered > 0 {
            self.input.drain(..self.answered);
            self.answered = 0;
        }
        let more = self.more_room();
        if more > 0 {
            self.input.reserve_exact(more);
        }
        &mut self.input
    }

    /// Bytes that the input must be able to take beyond those that it has; 0 while there is room enough.
    fn more_room(&self) -> usize {
        let length = self.input.len() - self.answered;
        // A body's buffer doubles up to the body's length, and is never longer.
        let (want, most) = match self.phase {
            Phase::Body { head, head_bytes, .. } => match head.framing {
                RequestFraming::Length(body) => {
                    let left = (head_bytes + body as usize).saturating_sub(length).max(1);
                    (left.min(BODY_ROOM), left)
                }
                RequestFraming::Chunked => (BODY_ROOM / 4, usize::MAX),
            },
            _ => (HEAD_ROOM / 4, usize::MAX),
        };
        if self.input.capacity() - length >= want {
            return 0;
        }
        want.max(length).max(HEAD_ROOM - length.min(HEAD_ROOM)).min(most.max(want))
    }

    /// Bytes of memory that receiving more may take at once, before what it replaces comes back.
    pub fn cost(&self) -> usize {
        let input = match self.more_room() {
            0 => 0,
            more => self.input.len() + more,
        };
        let chunked =
            matches!(self.phase, Phase::Body { head, .. } if head.framing == RequestFraming::Chunked);
        input + if chunked { 2 * self.body.capacity() + BODY_ROOM } else { 0 }
    }

    /// Whether the client waits for `100 Continue` before it sends a body; true once for each request.
    pub fn asks_to_continue(&mut self) -> bool {
        let Phase::Body { head, head_bytes, .. } = self.phase else { return false };
        let begun = self.input.len() - self.answered > head_bytes || !self.body.is_empty();
        head.expects_continue && !begun && !core::mem::replace(&mut self.continued, true)
    }

    /// Whether a request has arrived as a whole.
    pub fn is_ready(&self) -> bool {
        matches!(self.phase, Phase::Ready { .. })
    }

    /// Whether bytes of the next request have arrived.
    pub fn has_input(&self) -> bool {
        self.input.len() > self.answered
    }

    /// Whether more than the request that has arrived as a whole is here.
    pub fn has_more(&self) -> bool {
        let Phase::Ready { bytes, .. } = self.phase else { return true };
        self.input.len() > self.answered + bytes
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

    /// The first line of what arrives, as far as it has, for a log.
    pub fn first_line(&self) -> &[u8] {
        let came = &self.input[self.answered..];
        came.split(|&byte| byte == b'\r' || byte == b'\n').next().unwrap_or_default()
    }

    /// Forgets the request that was answered and parses what came behind it; whether the next is complete.
    pub fn next_request(&mut self, limits: &Limits) -> bool {
        if let Phase::Ready { bytes, .. } = self.phase {
            self.answered += bytes;
        }
        self.phase = Phase::Head;
        self.used = true;
        self.continued = false;
        self.body.clear();
        if self.has_input() {
            return self.advance(limits);
        }
        self.input.clear();
        self.answered = 0;
        false
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
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { head_bytes: 200, target_bytes: 100, fields: 8, body_bytes: 10 };

    /// Feeds bytes one by one, as the slowest network does; the paths and bodies of what became complete.
    fn fed(bytes: &[u8]) -> (Vec<(alloc::string::String, Vec<u8>)>, Intake) {
        let (mut intake, mut found) = (Intake::new(), Vec::new());
        for byte in bytes {
            intake.room().push(*byte);
            intake.advance(&LIMITS);
            while let Some((_, request)) = intake.request() {
                found.push((request.path.into(), request.body.to_vec()));
                intake.next_request(&LIMITS);
            }
        }
        (found, intake)
    }

    #[test]
    fn requests_come_one_after_the_other() {
        let (found, intake) = fed(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n\
            POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi\
            POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\n");
        let expected = [("/a", &b""[..]), ("/b", b"hi"), ("/c", b"yes")];
        assert_eq!(found, expected.map(|(path, body)| (path.into(), body.to_vec())));
        assert!(intake.is_used() && !intake.has_input());
    }

    #[test]
    fn what_is_refused_stays_refused() {
        for (bytes, status) in [
            (&b"GET /a HTTP/1.1\r\n\r\n"[..], 400),
            (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n", 413),
        ] {
            let (found, mut intake) = fed(bytes);
            assert!(found.is_empty());
            intake.advance(&LIMITS);
            assert!(matches!(intake.phase(), Phase::Bad(found) if *found == status), "{status}");
        }
    }

    #[test]
    fn continue_is_asked_for_once() {
        let (_, mut intake) =
            fed(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
        assert_eq!((intake.asks_to_continue(), intake.asks_to_continue()), (true, false));
    }

    #[test]
    fn a_body_takes_no_more_than_its_length_and_says_before_what_it_takes() {
        let limits = Limits { body_bytes: 1 << 20, ..LIMITS };
        let head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n";
        let mut intake = Intake::new();
        intake.room().extend_from_slice(head);
        intake.advance(&limits);
        while !intake.is_ready() {
            let (before, cost) = (intake.memory(), intake.cost());
            let room = intake.room();
            let free = room.capacity() - room.len();
            room.resize(room.len() + free.min(8192).min(head.len() + 1_000_000 - room.len()), b'x');
            let grown = if intake.memory() > before { intake.memory() } else { 0 };
            assert_eq!(grown, cost);
            intake.advance(&limits);
        }
        assert_eq!(intake.memory(), head.len() + 1_000_000);
    }

    #[test]
    fn an_idle_connection_gives_large_buffers_back() {
        let mut intake = Intake::new();
        intake.room().extend_from_slice(&[b'x'; KEPT_WHILE_IDLE + 1]);
        assert!(intake.memory() > KEPT_WHILE_IDLE);
        intake.shrink();
        assert_eq!(intake.memory(), 0);
    }
}
