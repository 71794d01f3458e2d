//! One connection: a conversation on a socket. Never blocks.

use std::io;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use loadstone_http::{CONTINUE, Composer, Conversation, Limits, Need};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use rustix::time::{ClockId, clock_gettime};

use crate::counters::Tally;
use crate::outgoing::send_response;
use crate::socket::{Received, Socket};
use crate::watch::{Record, Watch, Watched};

/// How long a client may take to close after the last response (RFC 9112 §9.6).
pub(crate) const LINGER: Duration = Duration::from_secs(1);

/// Bytes read at a time of what a client still sends behind the last response.
const DISCARD_ROOM: usize = 64 * 1024;
/// Reads of what a client still sends behind the last response, in one round of the loop.
const MAX_DISCARDS: usize = 32;

/// How far an answer has gone out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flushed {
    /// As far as it has been made.
    Out,
    /// A turn's worth: the socket may take more, but others come in between.
    Turn,
    /// The socket takes no more for now; whether it took any.
    Full(bool),
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
    /// What is said on it.
    pub talk: Conversation,
    /// Whether the kernel may hold bytes that were not read.
    pub readable: bool,
    /// Whether the client may have closed its side: then read up to the end, whatever a short
    /// read says.
    pub hung_up: bool,
    /// Whether the socket may take more at once, and only waits for others to have their turn. Otherwise its
    /// next edge says when.
    pub more: bool,
    /// Whether our side is closed; what the client still sends is dropped until it closes, too.
    shut: bool,
    /// Whether the socket has failed, or the conversation on it cannot be completed.
    pub broken: bool,
    /// Bytes of its buffers that its connector has counted.
    pub counted: usize,
    watched: Option<Box<Watched>>,
    /// Of the answer that is on its way.
    record: Option<Record>,
}

impl Connection {
    /// A connection on an accepted socket.
    pub fn new(socket: Socket, slot: u32, watch: Option<&Arc<Watch>>) -> Self {
        Self {
            watched: watch.map(|watch| Watched::new(watch, &socket)),
            socket,
            slot,
            talk: Conversation::new(),
            readable: false,
            hung_up: false,
            more: false,
            shut: false,
            broken: false,
            counted: 0,
            record: None,
        }
    }

    /// Reads until a request is complete, there is nothing to read, or the client has closed its
    /// side; returns the number of bytes.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn receive(&mut self, limits: &Limits) -> io::Result<usize> {
        let mut total = 0;
        while self.readable && matches!(self.talk.need(), Need::Bytes(_)) {
            let received = self.socket.receive(self.talk.room())?;
            total += self.take(received, limits);
        }
        Ok(total)
    }

    /// Reads once, waiting for a little while: see [`Socket::wait_in_reads`]. Returns the number of bytes.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn receive_soon(&mut self, limits: &Limits) -> io::Result<usize> {
        let received = self.socket.receive_soon(self.talk.room())?;
        Ok(self.take(received, limits))
    }

    fn take(&mut self, received: Received, limits: &Limits) -> usize {
        // The end of the stream may have raised its edge already.
        self.readable = matches!(received, Received::Bytes(_, more) if more || self.hung_up);
        match received {
            Received::Bytes(count, _) => {
                let ready = self.talk.received(limits);
                self.note_arrival(ready);
                return count;
            }
            Received::Nothing => {}
            Received::End => self.talk.end(),
        }
        0
    }

    fn note_arrival(&mut self, ready: bool) {
        if let (true, Some(watched)) = (ready, &mut self.watched) {
            watched.arrived();
        }
    }

    /// Says `100 Continue`, once for each request, to a client that waits for it before it sends a body.
    pub fn say_continue(&mut self, tally: &Tally) {
        if self.talk.asks_to_continue() {
            // A client whose socket takes no 25 bytes sends its body without having been asked to.
            let _ = self.socket.send_parts(CONTINUE, &[], 0);
            tally.response(100);
        }
    }

    /// Whether the client may have sent more than was read.
    pub fn may_hold_more(&self) -> bool {
        self.readable && !self.hung_up
    }

    /// Answers `status` from the server itself; the connection closes behind it.
    pub fn refuse(&mut self, status: u16, composer: &mut Composer, tally: &Tally) {
        composer.set_time(now_s());
        self.talk.refuse(status, composer);
        self.begin_answer(composer, tally);
        self.talk.shrink();
    }

    /// Counts the answer that was put together, and begins its record if anyone wants it.
    pub fn begin_answer(&mut self, composer: &Composer, tally: &Tally) {
        tally.response(composer.status());
        if let Some(watched) = &mut self.watched {
            let (request, line) = (self.talk.request(), self.talk.first_line());
            self.record =
                Some(watched.record(request.as_ref(), line, composer.status(), composer.head_bytes()));
        }
    }

    /// Sends what the socket takes of an answer.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn flush(&mut self, composer: &mut Composer, limits: &Limits, tally: &Tally) -> io::Result<Flushed> {
        let Some(unsent) = self.talk.unsent() else { return Ok(Flushed::Out) };
        let before = unsent.sent;
        let (sent, more) = send_response(&mut self.socket, &unsent)?;
        self.more = more;
        tally.bytes_out.add((sent - before) as u64);
        if let Some(record) = &mut self.record {
            record.sent += sent - before;
        }
        let ready = self.talk.sent(sent, self.socket.is_behind(), composer, limits);
        if !self.talk.is_answering() {
            self.record = None;
        }
        self.note_arrival(ready);
        Ok(match self.talk.need() {
            Need::Room if more => Flushed::Turn,
            Need::Room => Flushed::Full(sent > before),
            _ => Flushed::Out,
        })
    }

    /// Counts in `memory`, which is all connections', what its buffers take now.
    pub fn count(&mut self, memory: &AtomicUsize) {
        let bytes = self.talk.memory();
        if bytes != self.counted {
            memory.fetch_add(bytes, Ordering::Relaxed);
            memory.fetch_sub(self.counted, Ordering::Relaxed);
            self.counted = bytes;
        }
    }

    /// Closes our side and drops what the client still sends; `End` when the socket can be closed.
    pub fn linger(&mut self) -> Discarded {
        if !self.shut && self.socket.shut().is_err() {
            self.broken = true;
            return Discarded::End;
        }
        self.shut = true;
        self.discard()
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
        if self.talk.is_answering() || self.broken {
            self.socket.abort();
        }
    }
}

/// Seconds since 1970; the coarse clock costs a few nanoseconds.
pub(crate) fn now_s() -> u64 {
    clock_gettime(ClockId::RealtimeCoarse).tv_sec as u64
}
