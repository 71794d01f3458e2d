//! Non-blocking sockets, plain or with TLS.

use std::net::SocketAddr;
use std::time::Duration;

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, bind, connect, recv, send, socket_with,
    sockopt,
};

use crate::reach::Address;
use crate::tls::{Records, Session, Wire};
use crate::unread;

/// What epoll reports of a connection, by edges.
const INTEREST: EventFlags =
    EventFlags::IN.union(EventFlags::OUT).union(EventFlags::RDHUP).union(EventFlags::ET);

/// A connection of a user.
#[derive(Debug)]
pub(crate) struct Connection {
    socket: OwnedFd,
    tls: Option<Box<Session>>,
    /// The kernel stamps what it receives.
    stamped: bool,
    /// The host that it leads to, by its place, and which of the user's connections to it this is.
    pub host: usize,
    pub number: u8,
    /// What crossed the network and is not yet booked.
    pub wire: Wire,
    /// The server accepted it.
    pub established: bool,
    /// It carried a whole answer before.
    pub reused: bool,
    /// Sending failed; what was received before may still be read.
    pub broken: bool,
    /// Not to be used again after the answer under way.
    pub dying: bool,
}

impl Connection {
    /// Begins to connect and to report events of the socket with `token`, by edges: one registration serves
    /// the whole life of the connection. `token` is a user's ([`User::new_token`]), `source` the local address;
    /// without one the system chooses.
    ///
    /// [`User::new_token`]: crate::user::User::new_token
    pub(crate) fn open(
        address: &Address,
        source: Option<SocketAddr>,
        poll: BorrowedFd<'_>,
        token: u64,
    ) -> Result<Self, Errno> {
        let family = match address {
            Address::Inet(SocketAddr::V4(_)) => AddressFamily::INET,
            Address::Inet(SocketAddr::V6(_)) => AddressFamily::INET6,
            Address::Unix(_) => AddressFamily::UNIX,
        };
        let socket =
            socket_with(family, SocketType::STREAM, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC, None)?;
        if family != AddressFamily::UNIX {
            sockopt::set_tcp_nodelay(&socket, true)?;
        }
        if let Some(source) = source {
            bind(&socket, &source)?;
        }
        let begun = match address {
            Address::Inet(address) => connect(&socket, address),
            Address::Unix(address) => connect(&socket, address),
        };
        match begun {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(why) => return Err(why),
        }
        epoll::add(poll, &socket, EventData::new_u64(token), INTEREST)?;
        let (host, number) = ((token >> 32) as usize & 0xff, (token >> 40) as u8);
        Ok(Self {
            socket,
            tls: None,
            stamped: false,
            host,
            number,
            wire: Wire::default(),
            established: false,
            reused: false,
            broken: false,
            dying: false,
        })
    }

    /// What tells it from other connections of its user.
    pub(crate) fn tag(&self) -> u32 {
        u32::from(self.number) << 8 | self.host as u32
    }

    /// Has the kernel stamp what it receives: it may be read later.
    pub(crate) fn stamp(&mut self) {
        self.stamped = unread::stamp(self.socket.as_fd());
    }

    /// What became of connecting.
    pub(crate) fn outcome(&self) -> Result<(), Errno> {
        sockopt::socket_error(&self.socket)?
    }

    /// Has epoll report what is there already once more: a reader that leaves some of it for later sees no
    /// edge.
    pub(crate) fn report_again(&self, poll: BorrowedFd<'_>, token: u64) -> Result<(), Errno> {
        epoll::modify(poll, &self.socket, EventData::new_u64(token), INTEREST)
    }

    /// Begins TLS.
    pub(crate) fn secure(&mut self, session: Box<Session>) {
        self.tls = Some(session);
    }

    /// Its TLS, if it has any.
    pub(crate) fn tls(&self) -> Option<&Session> {
        self.tls.as_deref()
    }

    /// Goes on with the TLS handshake; whether it is done.
    pub(crate) fn shake_hands(&mut self, records: &mut Records) -> Result<bool, Broken> {
        match &mut self.tls {
            Some(tls) => tls.shake_hands(self.socket.as_fd(), records, &mut self.wire),
            None => Ok(true),
        }
    }

    /// Sends as much of `piece` as goes; how much. `more`: the rest of a message follows at once; without
    /// this a small head would leave in a packet of its own.
    #[inline]
    pub(crate) fn send(&mut self, piece: &[u8], more: bool) -> Result<usize, Errno> {
        if let Some(tls) = &mut self.tls {
            return tls.send(self.socket.as_fd(), piece, &mut self.wire);
        }
        let flags = if more { SendFlags::NOSIGNAL | SendFlags::MORE } else { SendFlags::NOSIGNAL };
        let sent = retry(|| send(&self.socket, piece, flags))?;
        self.wire.sent += sent as u64;
        Ok(sent)
    }

    /// Sends what TLS still holds; whether that was all.
    #[inline]
    pub(crate) fn flush(&mut self) -> Result<bool, Errno> {
        match &mut self.tls {
            Some(tls) => tls.flush(self.socket.as_fd(), &mut self.wire),
            None => Ok(true),
        }
    }

    /// Receives into `buffer`; nothing at the end of the stream. `records` is used for TLS.
    #[inline]
    pub(crate) fn receive(&mut self, buffer: &mut [u8], records: &mut Records) -> Result<Received, Broken> {
        if let Some(tls) = &mut self.tls {
            return tls.receive(self.socket.as_fd(), buffer, records, &mut self.wire);
        }
        let mut age = None;
        let length = if self.stamped {
            retry(|| {
                let (length, since) = unread::receive(self.socket.as_fd(), buffer)?;
                age = since;
                Ok(length)
            })?
        } else {
            retry(|| recv(&self.socket, &mut *buffer, RecvFlags::empty()).map(|(_, length)| length))?
        };
        self.wire.received += length as u64;
        Ok(Received { length, drained: length < buffer.len(), age })
    }

    /// Looks at what there is without taking it; nothing at the end of the stream.
    pub(crate) fn peek(&self, buffer: &mut [u8]) -> Result<usize, Errno> {
        retry(|| recv(&self.socket, &mut *buffer, RecvFlags::PEEK).map(|(_, length)| length))
    }

    /// Whether it is worth to wait for the server to close it: it has not, and nothing else has come. TLS
    /// tells of its end by itself.
    pub(crate) fn is_open_there(&self) -> bool {
        self.tls.is_none() && self.peek(&mut [0]) == Err(Errno::AGAIN)
    }

    /// Takes what was looked at, before there is TLS.
    pub(crate) fn take(&mut self, buffer: &mut [u8]) -> Result<usize, Errno> {
        let length =
            retry(|| recv(&self.socket, &mut *buffer, RecvFlags::empty()).map(|(_, length)| length))?;
        self.wire.received += length as u64;
        Ok(length)
    }

    /// Receives and drops up to `buffer.len()` bytes: the kernel does not copy them, `buffer` stays
    /// untouched.
    pub(crate) fn discard(&mut self, buffer: &mut [u8]) -> Result<Received, Broken> {
        let length = retry(|| recv(&self.socket, &mut *buffer, RecvFlags::TRUNC).map(|(_, length)| length))?;
        self.wire.received += length as u64;
        Ok(Received { length, drained: length < buffer.len(), age: None })
    }

    /// Whether the end of the stream may be a cut: TLS says when a stream ends.
    pub(crate) fn may_be_cut(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| !tls.said_goodbye())
    }

    /// Ends TLS in good order, if that can be done at once.
    pub(crate) fn say_goodbye(&mut self) {
        if let Some(tls) = self.tls.as_mut().filter(|_| !self.broken) {
            tls.say_goodbye(self.socket.as_fd());
        }
    }
}

/// What was received.
#[derive(Debug, Clone, Copy)]
pub struct Received {
    /// Bytes; none at the end of the stream.
    pub length: usize,
    /// There was no more in the socket.
    pub drained: bool,
    /// How long ago the last byte arrived, where the kernel stamps it.
    pub age: Option<Duration>,
}

/// Why a connection cannot go on.
#[derive(Debug)]
pub enum Broken {
    /// The socket says so.
    Socket(Errno),
    /// What is wrong with its TLS, as a sentence's end.
    Tls(String),
}

impl From<Errno> for Broken {
    fn from(why: Errno) -> Self {
        Self::Socket(why)
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

#[inline]
pub(crate) fn retry(mut call: impl FnMut() -> Result<usize, Errno>) -> Result<usize, Errno> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            other => return other,
        }
    }
}

/// What went wrong, without the number.
pub(crate) fn sentence(why: Errno) -> &'static str {
    match why {
        Errno::CONNREFUSED => "connection refused",
        Errno::CONNRESET => "connection reset by the server",
        Errno::PIPE => "connection closed by the server",
        Errno::HOSTUNREACH | Errno::NETUNREACH => "the host is unreachable",
        Errno::ADDRNOTAVAIL | Errno::ADDRINUSE => {
            "no local port left: name more addresses of this machine in `from` of [target], or widen \
             net.ipv4.ip_local_port_range"
        }
        Errno::NOENT => "there is no such socket",
        Errno::ACCESS => "the socket may not be written to",
        Errno::MFILE | Errno::NFILE => "no open file left on this machine (`ulimit -n`)",
        Errno::TIMEDOUT => "the host does not answer",
        _ => "the socket failed",
    }
}
