//! Bytes on their way out.

use std::io;
use std::mem::MaybeUninit;

use loadstone_http::{Body, FilePart, Flow};
use rustix::fs::fstat;
use rustix::io::pread;

use crate::socket::Socket;
use crate::watch::Record;

/// Most bytes of a file sent in a row: a client that takes a large one as fast as it comes must not hold up the others.
const FILE_TURN: usize = 1 << 20;
/// Bytes of a file read at a time.
const PIECE: usize = 64 * 1024;
/// The same where they are encrypted: a TLS record. What the socket does not take of a piece is read again.
const ENCRYPTED_PIECE: usize = 16 * 1024;

/// The rest of a response that the socket did not take at once.
#[derive(Debug)]
pub(crate) struct Outgoing {
    head: Vec<u8>,
    body: Body,
    sent: usize,
    /// Whether the socket may take more at once, others having had their turn. Else its next edge tells.
    pub more: bool,
    record: Option<Record>,
    /// What follows.
    flow: Option<Flow>,
    /// Bytes that went out before what is here.
    gone: usize,
}

impl Outgoing {
    /// A response of which `sent` bytes, counted from the beginning of the head, are out.
    pub fn new(head: Vec<u8>, body: Body, sent: usize, more: bool, record: Option<Record>) -> Self {
        Self { head, body, sent, more, record, flow: None, gone: 0 }
    }

    /// A response of which only the head is here, and nothing is out.
    pub fn flowing(head: Vec<u8>, flow: Flow, record: Option<Record>) -> Self {
        Self { flow: Some(flow), ..Self::new(head, Body::Empty, 0, true, record) }
    }

    /// Whether the content has not ended.
    pub fn is_unfinished(&self) -> bool {
        self.flow.as_ref().is_some_and(|flow| !flow.is_over())
    }

    /// Whether the client has taken what there was, and the application is to make more.
    pub fn is_hungry(&self, socket: &Socket) -> bool {
        self.is_unfinished() && self.sent == self.head.len() && !socket.is_behind()
    }

    /// Makes the next piece of the content. Runs code of the application.
    ///
    /// # Errors
    /// The content cannot be completed.
    pub fn refill(&mut self) -> Result<(), String> {
        let Some(flow) = &mut self.flow else { return Ok(()) };
        self.gone += std::mem::take(&mut self.sent);
        flow.next(&mut self.head)
    }

    /// Sends what the socket takes; returns the number of bytes and whether everything is out.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn flush(&mut self, socket: &mut Socket) -> io::Result<(usize, bool)> {
        let before = self.sent;
        (self.sent, self.more) = send_response(socket, &self.head, &self.body, before)?;
        if let Some(record) = &mut self.record {
            record.sent = self.gone + self.sent;
        }
        let all = !self.is_unfinished() && self.sent == self.head.len() + self.body.len();
        Ok((self.sent - before, all && !socket.is_behind()))
    }
}

/// Sends `head` and `body`, of which `sent` bytes are out. Returns how many bytes are out now, and whether the socket may
/// take more at once: when it is neither, it would block.
///
/// # Errors
/// The connection is broken, or a file has become shorter than its length that was told.
pub(crate) fn send_response(
    socket: &mut Socket,
    head: &[u8],
    body: &Body,
    sent: usize,
) -> io::Result<(usize, bool)> {
    match body {
        Body::File(part) => send_file(socket, head, part, sent),
        _ => Ok((socket.send_parts(head, body.as_slice(), sent)?, false)),
    }
}

/// The same of a body that is part of a file. What is sent was read before, and the file was still long enough after: the
/// system's `sendfile` lends its pages to the socket instead, and when the file is cut short, zeros go out in the place of
/// what it had.
fn send_file(
    socket: &mut Socket,
    head: &[u8],
    part: &FilePart,
    mut sent: usize,
) -> io::Result<(usize, bool)> {
    let mut room = [const { MaybeUninit::<u8>::uninit() }; PIECE];
    let most = if matches!(socket, Socket::Plain(_)) { PIECE } else { ENCRYPTED_PIECE };
    let total = head.len() + part.bytes;
    let turn = total.min(sent + FILE_TURN);
    while sent < turn {
        let at = sent.saturating_sub(head.len());
        let wanted = most.min(part.bytes - at);
        let (piece, _) = pread(&*part.file, &mut room[..wanted], part.start + at as u64)?;
        let end = part.start + (at + piece.len()) as u64;
        if piece.is_empty() || (fstat(&*part.file)?.st_size as u64) < end {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "a file became shorter while it was sent",
            ));
        }
        let rest = head.get(sent..).unwrap_or_default();
        let taken = socket.send_parts(rest, piece, 0)?;
        sent += taken;
        if taken < rest.len() + piece.len() {
            return Ok((sent, false));
        }
    }
    Ok((sent, sent < total))
}
