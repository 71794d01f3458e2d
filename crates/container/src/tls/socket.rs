//! A socket with a TLS session on it.

use std::io::{self, BufRead, ErrorKind, IoSlice, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, recv, sendmsg};
use rustls::{ServerConfig, ServerConnection};

use crate::socket::Received;

/// Most bytes encrypted before the socket has taken those before them: two records. So much memory a client
/// that does not read may hold.
const AHEAD: usize = 32 * 1024;

/// A non-blocking socket with a session. What the session has encrypted and the socket has not taken stays in
/// the session.
#[derive(Debug)]
pub(crate) struct TlsSocket {
    session: ServerConnection,
    wire: Wire,
    /// Whether the session's end has been announced.
    parted: bool,
}

impl TlsSocket {
    pub fn new(socket: OwnedFd, config: Arc<ServerConfig>) -> io::Result<Self> {
        let session = ServerConnection::new(config).map_err(io::Error::other)?;
        Ok(Self { session, wire: Wire { socket, drained: false }, parted: false })
    }

    /// As [`crate::socket::Socket::receive`].
    pub fn receive(&mut self, into: &mut Vec<u8>) -> io::Result<Received> {
        // What an earlier call found says nothing any more: an edge may have been raised since.
        self.wire.drained = false;
        loop {
            if let Some(received) = self.take(into)? {
                return Ok(received);
            }
            self.flush()?;
            match self.session.read_tls(&mut self.wire) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Received::Nothing),
                Err(error) => return Err(error),
            }
            if let Err(error) = self.session.process_new_packets() {
                // The client hears why, if it listens.
                let _ = self.flush();
                return Err(io::Error::new(ErrorKind::InvalidData, error));
            }
        }
    }

    /// Takes what has been decrypted; none when the socket must be read first.
    fn take(&mut self, into: &mut Vec<u8>) -> io::Result<Option<Received>> {
        let mut taken = 0;
        let mut reader = self.session.reader();
        loop {
            let room = into.capacity() - into.len();
            if room == 0 {
                return Ok(Some(Received::Bytes(taken, true)));
            }
            match reader.fill_buf() {
                // That a client goes without a word cuts no request short: each says how long it is.
                Ok([]) if taken == 0 => return Ok(Some(Received::End)),
                Err(error) if error.kind() == ErrorKind::UnexpectedEof && taken == 0 => {
                    return Ok(Some(Received::End));
                }
                Ok([]) => return Ok(Some(Received::Bytes(taken, true))),
                Ok(piece) => {
                    let count = piece.len().min(room);
                    into.extend_from_slice(&piece[..count]);
                    reader.consume(count);
                    taken += count;
                }
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock if taken == 0 => return Ok(None),
                    ErrorKind::WouldBlock => return Ok(Some(Received::Bytes(taken, !self.wire.drained))),
                    ErrorKind::UnexpectedEof => return Ok(Some(Received::Bytes(taken, true))),
                    _ => return Err(error),
                },
            }
        }
    }

    /// As [`crate::socket::Socket::send_parts`]; bytes count as sent once they are encrypted.
    pub fn send_parts(&mut self, head: &[u8], body: &[u8], mut sent: usize) -> io::Result<usize> {
        while self.flush()? && sent < head.len() + body.len() {
            let first = &head[sent.min(head.len())..];
            let second = &body[sent.saturating_sub(head.len())..];
            let first = &first[..first.len().min(AHEAD)];
            let second = &second[..second.len().min(AHEAD - first.len())];
            sent += self.session.writer().write_vectored(&[IoSlice::new(first), IoSlice::new(second)])?;
        }
        Ok(sent)
    }

    /// Sends what has been encrypted; whether all of it is out.
    fn flush(&mut self) -> io::Result<bool> {
        while self.session.wants_write() {
            match self.session.write_tls(&mut self.wire) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    pub fn is_behind(&self) -> bool {
        self.session.wants_write()
    }

    pub fn is_handshaking(&self) -> bool {
        self.session.is_handshaking()
    }

    /// Leaves the goodbye unsaid.
    pub fn abandon(&mut self) {
        self.parted = true;
    }

    /// Announces the end of the session, so that the client knows that nothing was cut off.
    pub fn say_goodbye(&mut self) {
        if !self.parted && !self.session.is_handshaking() {
            self.parted = true;
            self.session.send_close_notify();
            // Who does not take it does not wait for it either.
            let _ = self.flush();
        }
    }
}

impl AsFd for TlsSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wire.socket.as_fd()
    }
}

impl Drop for TlsSocket {
    fn drop(&mut self) {
        self.say_goodbye();
    }
}

/// The socket beneath a session, as the session wants to read and write it.
#[derive(Debug)]
struct Wire {
    socket: OwnedFd,
    /// Whether the last read of this round emptied the socket.
    drained: bool,
}

/// Without the calls that a signal interrupted.
fn unbroken<T>(mut call: impl FnMut() -> Result<T, Errno>) -> io::Result<T> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            other => return other.map_err(io::Error::from),
        }
    }
}

impl Read for Wire {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let (count, _) = unbroken(|| recv(&self.socket, &mut *into, RecvFlags::empty()))?;
        // At the end there is one thing more to read: the end again.
        self.drained = count > 0 && count < into.len();
        Ok(count)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        unbroken(|| sendmsg(&self.socket, parts, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
