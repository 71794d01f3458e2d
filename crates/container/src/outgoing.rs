//! Bytes on their way out.

use std::io::{self, IoSlice};
use std::os::fd::OwnedFd;

use loadstone_http::Body;
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendFlags, send, sendmsg};

/// The rest of a response that the socket did not take at once.
#[derive(Debug)]
pub(crate) struct Outgoing {
    head: Vec<u8>,
    body: Body,
    sent: usize,
}

impl Outgoing {
    /// A response of which `sent` bytes, counted from the beginning of the head, are out.
    pub fn new(head: Vec<u8>, body: Body, sent: usize) -> Self {
        Self { head, body, sent }
    }

    /// Sends what the socket takes; returns the number of bytes and whether everything is out.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn flush(&mut self, socket: &OwnedFd) -> io::Result<(usize, bool)> {
        let body = self.body.as_slice();
        let sent = send_parts(socket, &self.head, body, self.sent)?;
        let before = std::mem::replace(&mut self.sent, sent);
        Ok((sent - before, sent == self.head.len() + body.len()))
    }
}

/// Sends `head` and `body`, of which `sent` bytes are out, in as few calls as the socket allows,
/// and returns how many bytes are out now: fewer than all when the socket would block.
///
/// # Errors
/// The connection is broken.
pub(crate) fn send_parts(socket: &OwnedFd, head: &[u8], body: &[u8], mut sent: usize) -> io::Result<usize> {
    let total = head.len() + body.len();
    while sent < total {
        let result = if body.is_empty() {
            send(socket, &head[sent..], SendFlags::NOSIGNAL)
        } else if sent >= head.len() {
            send(socket, &body[sent - head.len()..], SendFlags::NOSIGNAL)
        } else {
            let parts = [IoSlice::new(&head[sent..]), IoSlice::new(body)];
            sendmsg(socket, &parts, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL)
        };
        match result {
            Ok(count) => sent += count,
            Err(Errno::AGAIN) => break,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(sent)
}
