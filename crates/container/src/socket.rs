//! A client's socket, plain or with TLS. Nothing blocks unless its documentation says so.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::io::Errno;
use rustix::io::ioctl_fionbio;
use rustix::net::{
    RecvFlags, SendAncillaryBuffer, SendFlags, Shutdown, recv, send, sendmsg, shutdown, sockopt,
};

use crate::tls::{Tls, TlsSocket};

/// What a read brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Received {
    /// The number of bytes, and whether more may be there. If not, the next ones raise a new edge.
    Bytes(usize, bool),
    /// Nothing has arrived.
    Nothing,
    /// The client has closed its side.
    End,
}

/// An accepted socket.
#[derive(Debug)]
pub(crate) enum Socket {
    Plain(OwnedFd),
    /// Behind a pointer: a plain connection is not to grow by what a session needs.
    Tls(Box<TlsSocket>),
}

impl Socket {
    /// An accepted socket, with `tls` where that is configured.
    ///
    /// # Errors
    /// No session can be made of the configuration.
    pub fn new(socket: OwnedFd, tls: Option<&Tls>) -> io::Result<Self> {
        Ok(match tls {
            None => Self::Plain(socket),
            Some(tls) => Self::Tls(Box::new(tls.session(socket)?)),
        })
    }

    /// Reads into the spare capacity of `into`, of which there must be some.
    ///
    /// # Errors
    /// The connection is broken, or the bytes are not TLS.
    #[inline]
    pub fn receive(&mut self, into: &mut Vec<u8>) -> io::Result<Received> {
        let socket = match self {
            Self::Plain(socket) => socket,
            Self::Tls(tls) => return tls.receive(into),
        };
        receive(socket, into, RecvFlags::DONTWAIT)
    }

    /// Lets `receive_soon` wait for this long; no other call waits. Returns whether it can: not with TLS,
    /// which reads for reasons of its own.
    pub fn wait_in_reads(&self, patience: Duration) -> bool {
        let Self::Plain(socket) = self else { return false };
        sockopt::set_socket_timeout(socket, sockopt::Timeout::Recv, Some(patience)).is_ok()
            && ioctl_fionbio(socket, false).is_ok()
    }

    /// As `receive`, and waits for the first byte for as long as `wait_in_reads` allowed.
    ///
    /// # Errors
    /// The connection is broken.
    #[inline]
    pub fn receive_soon(&mut self, into: &mut Vec<u8>) -> io::Result<Received> {
        match self {
            Self::Plain(socket) => receive(socket, into, RecvFlags::empty()),
            Self::Tls(tls) => tls.receive(into),
        }
    }

    /// Sends `head` and `body`, of which `sent` bytes are out, in as few calls as the socket allows,
    /// and returns how many bytes are out now: fewer than all when the socket would block.
    ///
    /// # Errors
    /// The connection is broken.
    #[inline]
    pub fn send_parts(&mut self, head: &[u8], body: &[u8], sent: usize) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => send_parts(socket, head, body, sent),
            Self::Tls(tls) => tls.send_parts(head, body, sent),
        }
    }

    /// Whether bytes that count as sent still wait for room in the socket, as only encrypted ones do.
    #[inline]
    pub fn is_behind(&self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::Tls(tls) => tls.is_behind(),
        }
    }

    /// Whether the client has not yet proved to speak TLS; a plain connection has nothing to prove.
    pub fn is_handshaking(&self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::Tls(tls) => tls.is_handshaking(),
        }
    }

    /// Closes our side.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn shut(&mut self) -> io::Result<()> {
        if let Self::Tls(tls) = self {
            tls.say_goodbye();
        }
        Ok(shutdown(self.as_fd(), Shutdown::Write)?)
    }
}

impl Socket {
    /// Ends the connection with a reset and without TLS's `close_notify`, so that no client takes what it has
    /// for the whole.
    pub fn abort(&mut self) {
        // If this fails, the socket is broken already.
        let _ = sockopt::set_socket_linger(&*self, Some(Duration::ZERO));
        if let Self::Tls(tls) = self {
            tls.abandon();
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Plain(socket) => socket.as_fd(),
            Self::Tls(tls) => tls.as_fd(),
        }
    }
}

#[inline]
fn receive(socket: &OwnedFd, into: &mut Vec<u8>, flags: RecvFlags) -> io::Result<Received> {
    let room = into.capacity() - into.len();
    loop {
        return match recv(socket, spare_capacity(into), flags) {
            Ok((0, _)) => Ok(Received::End),
            // A short read empties the socket, which saves a second call that would only say so.
            Ok((count, _)) => Ok(Received::Bytes(count, count == room)),
            Err(Errno::AGAIN) => Ok(Received::Nothing),
            Err(Errno::INTR) => continue,
            Err(error) => Err(error.into()),
        };
    }
}

/// Not `NOSIGNAL` alone: a socket whose reads may wait is in blocking mode.
const SENDING: SendFlags = SendFlags::NOSIGNAL.union(SendFlags::DONTWAIT);

fn send_parts(socket: &OwnedFd, head: &[u8], body: &[u8], mut sent: usize) -> io::Result<usize> {
    let total = head.len() + body.len();
    while sent < total {
        let result = if body.is_empty() {
            send(socket, &head[sent..], SENDING)
        } else if sent >= head.len() {
            send(socket, &body[sent - head.len()..], SENDING)
        } else {
            let parts = [IoSlice::new(&head[sent..]), IoSlice::new(body)];
            sendmsg(socket, &parts, &mut SendAncillaryBuffer::default(), SENDING)
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
