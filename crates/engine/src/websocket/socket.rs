//! A WebSocket of a session (RFC 6455): its connection, what it carries, and what was heard on it.
//!
//! Frames, masks and closing are tungstenite's. It is given bytes that were received and a connection to send on,
//! and never waits for either.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};

use rustix::io::Errno;
use tungstenite::error::{CapacityError, Error};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, Role, WebSocketConfig, WebSocketContext};
use tungstenite::{Bytes, Message};

use crate::recorder::Cause;
use crate::socket::{Connection, sentence};

/// Longest message that is taken.
const LONGEST: usize = 16 << 20;
/// Messages, and their bytes, that wait for a step to look at them; the oldest go first.
const MOST_KEPT: usize = 1_024;
/// Most bytes of a reason that are told.
const LONGEST_REASON: usize = 100;

/// Why nothing more comes.
#[derive(Debug, Clone)]
pub(crate) struct Ended {
    pub cause: Cause,
    pub said: String,
    /// It was closed in good order.
    pub whole: bool,
}

/// An open WebSocket.
#[derive(Debug)]
pub(crate) struct Socket {
    pub connection: Connection,
    context: WebSocketContext,
    inbox: VecDeque<Vec<u8>>,
    kept: usize,
    pub ended: Option<Ended>,
    closed_by: Option<(u16, String)>,
    /// Messages that were not as the step expects.
    pub passed_over: u32,
}

impl Socket {
    /// On a connection whose server agreed; `rest` came behind its answer.
    pub(crate) fn new(connection: Connection, rest: &[u8]) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(4 << 10)
            .write_buffer_size(0)
            .max_message_size(Some(LONGEST))
            .max_frame_size(Some(LONGEST));
        let context = WebSocketContext::from_partially_read(rest.to_vec(), Role::Client, Some(config));
        Self {
            connection,
            context,
            inbox: VecDeque::new(),
            kept: 0,
            ended: None,
            closed_by: None,
            passed_over: 0,
        }
    }

    /// Takes what was received, none at first: what came with the answer. Pings are answered.
    pub(crate) fn take(&mut self, received: &[u8]) {
        let mut pipe = Pipe { received, connection: &mut self.connection };
        while self.ended.is_none() {
            match self.context.read(&mut pipe) {
                Ok(Message::Text(text)) => keep(&mut self.inbox, &mut self.kept, text.as_bytes()),
                Ok(Message::Binary(bytes)) => keep(&mut self.inbox, &mut self.kept, &bytes),
                Ok(Message::Close(frame)) => {
                    self.closed_by = Some(match frame {
                        Some(CloseFrame { code, reason }) => (code.into(), reason.to_string()),
                        None => (1005, String::new()),
                    });
                    // The server ends the connection; what it sends until then is nothing to a step.
                    let _ = self.context.flush(&mut pipe);
                    self.ended = Some(end_of(&self.closed_by, &Error::ConnectionClosed));
                }
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
                Err(Error::Io(why)) if why.kind() == ErrorKind::WouldBlock => break,
                Err(why) => self.ended = Some(end_of(&self.closed_by, &why)),
            }
        }
    }

    /// The server has closed the connection.
    pub(crate) fn cut(&mut self, cause: Cause, said: &str) {
        let ended = match &self.closed_by {
            Some(_) => end_of(&self.closed_by, &Error::ConnectionClosed),
            None => Ended { cause, said: said.into(), whole: false },
        };
        self.ended.get_or_insert(ended);
    }

    /// Sends a message; whether all of it left.
    pub(crate) fn send(&mut self, bytes: &[u8], binary: bool) -> bool {
        let message = match std::str::from_utf8(bytes) {
            Ok(text) if !binary => Message::text(text),
            _ => Message::Binary(Bytes::copy_from_slice(bytes)),
        };
        let mut pipe = Pipe { received: &[], connection: &mut self.connection };
        let written = self.context.write(&mut pipe, message);
        self.left(written)
    }

    /// Says that nothing more will be sent; whether that left.
    pub(crate) fn close(&mut self, code: u16) -> bool {
        let mut pipe = Pipe { received: &[], connection: &mut self.connection };
        let frame = CloseFrame { code: CloseCode::from(code), reason: "".into() };
        let written = self.context.close(&mut pipe, Some(frame));
        self.left(written)
    }

    /// Sends what still waits; whether that was all.
    pub(crate) fn flush(&mut self) -> bool {
        let mut pipe = Pipe { received: &[], connection: &mut self.connection };
        let flushed = self.context.flush(&mut pipe);
        self.left(flushed)
    }

    fn left(&mut self, outcome: Result<(), Error>) -> bool {
        match outcome {
            Ok(()) => true,
            Err(Error::Io(why)) if why.kind() == ErrorKind::WouldBlock => false,
            Err(why) => {
                self.ended.get_or_insert_with(|| end_of(&self.closed_by, &why));
                true
            }
        }
    }

    /// The oldest message that nobody has looked at.
    pub(crate) fn next(&mut self) -> Option<Vec<u8>> {
        let message = self.inbox.pop_front()?;
        self.kept -= message.len();
        Some(message)
    }

    /// Forgets what has come so far.
    pub(crate) fn forget(&mut self) {
        self.inbox.clear();
        self.kept = 0;
    }
}

/// What an error means to those who listen.
fn end_of(closed_by: &Option<(u16, String)>, why: &Error) -> Ended {
    let of = |said: String, whole| Ended { cause: Cause::WebSocket, said, whole };
    match why {
        Error::ConnectionClosed | Error::AlreadyClosed => {
            let (code, reason) = closed_by.clone().unwrap_or((1005, String::new()));
            let mut said = format!("the server closed the WebSocket with {code}");
            if !reason.is_empty() {
                said += &format!(" ({})", reason.chars().take(LONGEST_REASON).collect::<String>());
            }
            of(said, true)
        }
        Error::Io(why) => Ended { cause: Cause::Reset, said: told(why), whole: false },
        Error::Capacity(CapacityError::MessageTooLong { .. }) => {
            of(format!("a message is longer than {} MiB", LONGEST >> 20), false)
        }
        Error::Utf8(_) => of("a text message is not UTF-8".into(), false),
        why => of(format!("the server broke the rules of WebSocket: {why}"), false),
    }
}

fn keep(inbox: &mut VecDeque<Vec<u8>>, kept: &mut usize, message: &[u8]) {
    inbox.push_back(message.to_vec());
    *kept += message.len();
    while inbox.len() > MOST_KEPT || (*kept > LONGEST && inbox.len() > 1) {
        let Some(oldest) = inbox.pop_front() else { return };
        *kept -= oldest.len();
    }
}

fn told(why: &io::Error) -> String {
    Errno::from_io_error(why).map_or_else(|| why.to_string(), |errno| sentence(errno).into())
}

/// Bytes that were received, and the connection that takes others.
struct Pipe<'a> {
    received: &'a [u8],
    connection: &'a mut Connection,
}

impl Read for Pipe<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.received.is_empty() {
            return Err(ErrorKind::WouldBlock.into());
        }
        self.received.read(buffer)
    }
}

impl Write for Pipe<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(self.connection.send(bytes, false)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.connection.flush()? { Ok(()) } else { Err(ErrorKind::WouldBlock.into()) }
    }
}
