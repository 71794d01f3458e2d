//! Bytes on their way out.

use std::io;

use loadstone_http::Body;

use crate::socket::Socket;

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
    pub fn flush(&mut self, socket: &mut Socket) -> io::Result<(usize, bool)> {
        let body = self.body.as_slice();
        let sent = socket.send_parts(&self.head, body, self.sent)?;
        let before = std::mem::replace(&mut self.sent, sent);
        Ok((sent - before, sent == self.head.len() + body.len() && !socket.is_behind()))
    }
}
