//! One connection: received bytes become requests, responses become sent bytes. Never blocks.

use std::io;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use loadstone_http::{CONTINUE, Intake, Limits, Phase};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

use crate::counters::Tally;
use crate::outgoing::Outgoing;
use crate::socket::{Received, Socket};
use crate::watch::{Record, Watch, Watched};

/// How long a client may take to close after the last response (RFC 9112 §9.6).
pub(crate) const LINGER: Duration = Duration::from_secs(1);

/// Bytes read at a time of what a client still sends behind the last response.
const DISCARD_ROOM: usize = 64 * 1024;
/// Reads of what a client still sends behind the last response, in one round of the loop.
const MAX_DISCARDS: usize = 32;

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
    /// What the client has sent.
    pub intake: Intake,
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
    /// Bytes of its buffers that its connector has counted.
    pub counted: usize,
    watched: Option<Box<Watched>>,
}

impl Connection {
    /// A connection on an accepted socket.
    pub fn new(socket: Socket, slot: u32, watch: Option<&Arc<Watch>>) -> Self {
        Self {
            watched: watch.map(|watch| Watched::new(watch, &socket)),
            socket,
            slot,
            intake: Intake::new(),
            readable: false,
            hung_up: false,
            ended: false,
            ending: Ending::Open,
            outgoing: None,
            counted: 0,
        }
    }

    /// Reads until a request is complete, there is nothing to read, or the client has closed its
    /// side; returns the number of bytes.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn receive(&mut self, limits: &Limits) -> io::Result<usize> {
        let mut total = 0;
        while self.readable && matches!(self.intake.phase(), Phase::Head | Phase::Body { .. }) {
            match self.socket.receive(self.intake.room())? {
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
        match self.socket.receive_soon(self.intake.room())? {
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
    fn advance(&mut self, limits: &Limits) {
        let ready = self.intake.advance(limits);
        self.note_arrival(ready);
    }

    fn note_arrival(&mut self, ready: bool) {
        if let (true, Some(watched)) = (ready, &mut self.watched) {
            watched.arrived();
        }
    }

    /// Says `100 Continue`, once for each request, to a client that waits for it before it sends a body.
    pub fn say_continue(&mut self, tally: &Tally) {
        if self.intake.asks_to_continue() {
            // A client whose socket takes no 25 bytes sends its body without having been asked to.
            let _ = self.socket.send_parts(CONTINUE, &[], 0);
            tally.response(100);
        }
    }

    /// Whether the client has sent more than the request that has arrived as a whole, or may have.
    pub fn has_more(&self) -> bool {
        self.intake.has_more() || (self.readable && !self.hung_up)
    }

    /// Begins the record of its answer, of which the head takes so many bytes, if anyone wants it.
    pub fn record(&mut self, status: u16, head_bytes: usize) -> Option<Record> {
        let mut watched = self.watched.take()?;
        let request = self.intake.request().map(|(_, request)| request);
        let record = watched.record(request.as_ref(), self.intake.first_line(), status, head_bytes);
        self.watched = Some(watched);
        Some(record)
    }

    /// Forgets the request that was answered and parses what came behind it.
    pub fn next_request(&mut self, limits: &Limits) {
        let ready = self.intake.next_request(limits);
        self.note_arrival(ready);
    }

    /// Counts in `memory`, which is all connections', what its buffers take now.
    pub fn count(&mut self, memory: &AtomicUsize) {
        let bytes = self.intake.memory();
        if bytes != self.counted {
            memory.fetch_add(bytes, Ordering::Relaxed);
            memory.fetch_sub(self.counted, Ordering::Relaxed);
            self.counted = bytes;
        }
    }

    /// Whether nothing has been answered on it.
    pub fn is_new(&self) -> bool {
        !self.intake.is_used() && self.outgoing.is_none()
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
        let mut sink = [const { MaybeUninit::<u8>::uninit() }; DISCARD_ROOM];
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

impl Drop for Connection {
    fn drop(&mut self) {
        // Part of a response is on its way, and the rest will not follow.
        if self.outgoing.is_some() || self.ending == Ending::Broken {
            self.socket.abort();
        }
    }
}
