//! Bytes on their way out.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;

use loadstone_http::{Body, FilePart, Flow};
use rustix::fs::sendfile;
use rustix::io::Errno;
use rustix::net::{SendFlags, send};

use crate::socket::Socket;
use crate::watch::Record;

/// Most bytes of a file sent in a row: a client that takes a large one as fast as it comes must not hold up the others.
const FILE_TURN: usize = 1 << 20;
/// Bytes of a file read at a time where it must be read: a TLS record.
const COPIED_PIECE: usize = 16 * 1024;

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

    /// Whether the content was of unknown length: not all of it is out while this is here.
    pub fn flows(&self) -> bool {
        self.flow.is_some()
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
    match (body, socket) {
        (Body::File(part), Socket::Plain(socket)) => send_file(socket, head, part, sent),
        (Body::File(part), socket) => copy_file(socket, head, part, sent),
        (_, socket) => Ok((socket.send_parts(head, body.as_slice(), sent)?, false)),
    }
}

/// The same of a body that is part of a file: from the system's page cache to the socket, without a copy in between.
fn send_file(socket: &OwnedFd, head: &[u8], part: &FilePart, mut sent: usize) -> io::Result<(usize, bool)> {
    while sent < head.len() {
        // The head waits for the first bytes of the body, to leave in the same packet.
        match send(socket, &head[sent..], SendFlags::NOSIGNAL | SendFlags::DONTWAIT | SendFlags::MORE) {
            Ok(count) => sent += count,
            Err(Errno::AGAIN) => return Ok((sent, false)),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let total = head.len() + part.bytes;
    let turn = total.min(sent + FILE_TURN);
    while sent < turn {
        let mut offset = part.start + (sent - head.len()) as u64;
        match sendfile(socket, &*part.file, Some(&mut offset), turn - sent) {
            Ok(0) => return Err(cut_short()),
            Ok(count) => sent += count,
            Err(Errno::AGAIN) => return Ok((sent, false)),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok((sent, sent < total))
}

/// The same where what is sent must be seen first, to be encrypted.
fn copy_file(
    socket: &mut Socket,
    head: &[u8],
    part: &FilePart,
    mut sent: usize,
) -> io::Result<(usize, bool)> {
    let mut piece = [0; COPIED_PIECE];
    let total = head.len() + part.bytes;
    let turn = total.min(sent + FILE_TURN);
    while sent < turn {
        let at = sent.saturating_sub(head.len());
        let piece = &mut piece[..COPIED_PIECE.min(part.bytes - at)];
        let read = part.file.read_at(piece, part.start + at as u64)?;
        if read == 0 {
            return Err(cut_short());
        }
        let rest = head.get(sent..).unwrap_or_default();
        let taken = socket.send_parts(rest, &piece[..read], 0)?;
        sent += taken;
        if taken < rest.len() + read {
            return Ok((sent, false));
        }
    }
    Ok((sent, sent < total))
}

/// A file's length has been told, and nothing else may stand in for what is missing.
fn cut_short() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "a file became shorter while it was sent")
}
