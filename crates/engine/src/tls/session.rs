//! The client side of one TLS connection over a non-blocking socket.

use std::io::{ErrorKind, IoSlice, Read, Write};

use rustix::fd::BorrowedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, recv, sendmsg};
use rustls::{ClientConnection, Error, HandshakeKind};

use crate::socket::{Broken, Received, retry};
use loadstone_trust::told;

/// Records are received into it; one of each thread. What is received at once, decrypted, fits into a buffer
/// twice as large, with what was left of the record before.
#[derive(Debug)]
pub struct Records(Box<[u8]>);

const RECORDS: usize = 128 << 10;

impl Records {
    /// Without TLS there is nothing to receive.
    pub fn new(needed: bool) -> Self {
        Self(vec![0; if needed { RECORDS } else { 0 }].into())
    }
}

/// A TLS connection.
#[derive(Debug)]
pub struct Session {
    connection: ClientConnection,
    /// The server said that it would send nothing more.
    said_goodbye: bool,
    /// What is wrong with what it sent, once something is.
    fault: Option<String>,
}

impl Session {
    /// Of a connection on which nothing was said.
    pub fn new(connection: ClientConnection) -> Box<Self> {
        Box::new(Self { connection, said_goodbye: false, fault: None })
    }

    /// Whether the server said that it would send nothing more.
    pub fn said_goodbye(&self) -> bool {
        self.said_goodbye
    }

    pub(crate) fn connection(&self) -> &ClientConnection {
        &self.connection
    }

    /// Whether both sides have agreed on HTTP/2.
    pub(crate) fn has_http2(&self) -> bool {
        self.connection.alpn_protocol() == Some(b"h2")
    }

    /// Whether the handshake that is done began from nothing; `None` as long as it goes on.
    pub fn handshake(&self) -> Option<HandshakeKind> {
        if self.connection.is_handshaking() { None } else { self.connection.handshake_kind() }
    }

    /// Goes on with the handshake as far as the socket lets it; whether it is done.
    pub fn shake_hands(
        &mut self,
        socket: BorrowedFd<'_>,
        records: &mut Records,
        wire: &mut Wire,
    ) -> Result<bool, Broken> {
        loop {
            self.flush(socket, wire)?;
            if !self.connection.is_handshaking() {
                return Ok(true);
            }
            let length = match retry(|| recv(socket, &mut *records.0, RecvFlags::empty()).map(|(_, n)| n)) {
                Err(Errno::AGAIN) => return Ok(false),
                Err(why) => return Err(why.into()),
                Ok(0) => {
                    return Err(Broken::Tls("the server closed the connection in the TLS handshake".into()));
                }
                Ok(length) => length,
            };
            wire.received += length as u64;
            let mut piece = &records.0[..length];
            while !piece.is_empty() {
                self.take(&mut piece, socket, wire)?;
            }
        }
    }

    /// Takes plain text to send; how much of it. `AGAIN` while earlier text still waits for the socket.
    pub fn send(&mut self, socket: BorrowedFd<'_>, text: &[u8], wire: &mut Wire) -> Result<usize, Errno> {
        if !self.flush(socket, wire)? {
            return Err(Errno::AGAIN);
        }
        // Writing into memory fails only before a handshake that was given up.
        let taken = self.connection.writer().write(text).map_err(|_| Errno::PIPE)?;
        self.flush(socket, wire)?;
        Ok(taken)
    }

    /// Sends what waits for the socket; whether that was all.
    pub(crate) fn flush(&mut self, socket: BorrowedFd<'_>, wire: &mut Wire) -> Result<bool, Errno> {
        while self.connection.wants_write() {
            match self.connection.write_tls(&mut Out(socket)) {
                Ok(sent) => wire.sent += sent as u64,
                Err(why) if why.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(why) => return Err(Errno::from_io_error(&why).unwrap_or(Errno::PIPE)),
            }
        }
        Ok(true)
    }

    /// Receives plain text into `buffer`, which holds all that can come at once.
    pub fn receive(
        &mut self,
        socket: BorrowedFd<'_>,
        buffer: &mut [u8],
        records: &mut Records,
        wire: &mut Wire,
    ) -> Result<Received, Broken> {
        loop {
            let mut length = 0;
            // What came with the last record of the handshake.
            self.drain(buffer, &mut length);
            if length > 0 || self.said_goodbye {
                return Ok(Received { length, drained: false, age: None });
            }
            if let Some(said) = &self.fault {
                return Err(Broken::Tls(said.clone()));
            }
            let got = retry(|| recv(socket, &mut *records.0, RecvFlags::empty()).map(|(_, n)| n))?;
            wire.received += got as u64;
            if got == 0 {
                return Ok(Received { length: 0, drained: true, age: None });
            }
            let mut piece = &records.0[..got];
            while !piece.is_empty() {
                let outcome = self.take(&mut piece, socket, wire);
                // What was decrypted before a fault is an answer, perhaps: the fault is told after it.
                self.drain(buffer, &mut length);
                match outcome {
                    Err(_) if length > 0 || self.said_goodbye => break,
                    outcome => outcome?,
                }
            }
            let drained = got < records.0.len();
            if length > 0 || self.said_goodbye {
                let drained = drained && !self.said_goodbye && self.fault.is_none();
                return Ok(Received { length, drained, age: None });
            }
            if drained {
                return Err(Errno::AGAIN.into());
            }
        }
    }

    /// Says that nothing more will be sent, if the socket takes it at once.
    pub(crate) fn say_goodbye(&mut self, socket: BorrowedFd<'_>) {
        if !self.connection.is_handshaking() {
            self.connection.send_close_notify();
            let _ = self.flush(socket, &mut Wire::default());
        }
    }

    /// Feeds a part of `piece`.
    fn take(&mut self, piece: &mut &[u8], socket: BorrowedFd<'_>, wire: &mut Wire) -> Result<(), Broken> {
        let fault = match self.connection.read_tls(piece) {
            Ok(_) => self.connection.process_new_packets().err(),
            Err(why) => Some(Error::General(why.to_string())),
        };
        if let Some(fault) = fault {
            // The alert tells the server why; it may not want to know.
            let _ = self.flush(socket, wire);
            let said = told(&fault);
            self.fault = Some(said.clone());
            return Err(Broken::Tls(said));
        }
        if self.connection.wants_write() && !self.connection.is_handshaking() {
            self.flush(socket, wire)?;
        }
        Ok(())
    }

    fn drain(&mut self, buffer: &mut [u8], length: &mut usize) {
        while *length < buffer.len() {
            match self.connection.reader().read(&mut buffer[*length..]) {
                Ok(0) => {
                    self.said_goodbye = true;
                    return;
                }
                Ok(more) => *length += more,
                Err(_) => return,
            }
        }
    }
}

/// Bytes of a connection that crossed the network and are not yet booked.
#[derive(Debug, Default)]
pub struct Wire {
    /// To the server,
    pub sent: u64,
    /// and from it.
    pub received: u64,
}

/// The sending side of a socket.
struct Out<'a>(BorrowedFd<'a>);

impl Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> std::io::Result<usize> {
        Ok(sendmsg(self.0, pieces, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL)?)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
