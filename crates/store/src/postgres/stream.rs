//! A socket to the server, with or without TLS on it.

use alloc::boxed::Box;
use alloc::format;
use core::time::Duration;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};

use bytes::BytesMut;
use postgres_protocol::message::frontend;
use rustix::net::sockopt;
use rustls::{ClientConnection, StreamOwned};

use crate::address::Address;
use crate::error::Kind;
use crate::{Error, Result};

/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(2);
/// After this long without a sign of life the operating system gives a connection up: a network that was cut
/// must not hold a worker for minutes.
const SILENCE: Duration = Duration::from_secs(5);
/// The server's answer to the request for TLS.
const WILLING: u8 = b'S';
const UNWILLING: u8 = b'N';

pub(super) enum Stream {
    Plain(TcpStream),
    Secure(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Stream {
    /// Connects, and has the server prove who it is as far as the address wants it.
    pub(super) fn connect(address: &Address) -> Result<Self> {
        let Address { host, port, .. } = address;
        let told = |why: &str| Error::other(format!("{host} port {port}: {why}"));
        // What is wrong with the files of the address is known before.
        let client = address.tls.client(host).map_err(|why| told(&why))?;
        let gone = |error: io::Error| Error { kind: Kind::Unavailable, ..told(&format!("{error}")) };
        let mut socket = dial(address).map_err(gone)?;
        let Some(client) = client else { return Ok(Self::Plain(socket)) };
        match asked(&mut socket).map_err(gone)? {
            WILLING => {}
            UNWILLING => return Err(told("the server offers no TLS, which `sslmode` asks for")),
            _ => return Err(told("the server does not understand the request for TLS")),
        }
        let mut stream = StreamOwned::new(client, socket);
        while stream.conn.is_handshaking() {
            if let Err(error) = stream.conn.complete_io(&mut stream.sock) {
                let why = error.get_ref().and_then(|why| why.downcast_ref::<rustls::Error>());
                return Err(why.map_or_else(
                    || gone(io::Error::from(error.kind())),
                    |why| {
                        let roots = address.tls.roots.as_deref().map(|file| format!(" (sslrootcert={file})"));
                        told(&format!("{}{}", loadstone_trust::told(why), roots.unwrap_or_default()))
                    },
                ));
            }
        }
        Ok(Self::Secure(Box::new(stream)))
    }
}

impl Read for Stream {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(to),
            Self::Secure(stream) => stream.read(to),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.write(bytes),
            Self::Secure(stream) => stream.write(bytes),
        }
    }

    /// Records that the socket did not take yet.
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Secure(stream) => stream.flush(),
        }
    }
}

/// What the server says to the request for TLS: one byte, and nothing that could pass for its first record.
fn asked(socket: &mut TcpStream) -> io::Result<u8> {
    let mut request = BytesMut::new();
    frontend::ssl_request(&mut request);
    socket.write_all(&request)?;
    let mut answer = [0];
    socket.read_exact(&mut answer)?;
    Ok(answer[0])
}

fn dial(address: &Address) -> io::Result<TcpStream> {
    let mut outcome = Err(io::Error::from(io::ErrorKind::NotFound));
    for place in (address.host.as_str(), address.port).to_socket_addrs()? {
        outcome = TcpStream::connect_timeout(&place, CONNECT);
        if outcome.is_ok() {
            break;
        }
    }
    let stream = outcome?;
    stream.set_nodelay(true)?;
    sockopt::set_socket_keepalive(&stream, true)?;
    sockopt::set_tcp_keepidle(&stream, Duration::from_secs(2))?;
    sockopt::set_tcp_keepintvl(&stream, Duration::from_secs(1))?;
    sockopt::set_tcp_keepcnt(&stream, 3)?;
    sockopt::set_tcp_user_timeout(&stream, SILENCE.as_millis() as u32)?;
    Ok(stream)
}
