//! Non-blocking sockets.

use std::net::{Ipv4Addr, SocketAddr};

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SocketFlags, SocketType, bind, connect, recv, socket_with, sockopt,
};

/// Users that share a source address on the loopback. With half of an address's 28,000 ports in use the
/// kernel looks at thousands of them in each connect(): 14,000 users stood still for two seconds while more
/// came. A port stays in use for a minute after its connection, so the next runs need room beside this one.
const USERS_PER_SOURCE: u32 = 1_024;

/// What epoll reports of a connection, by edges.
const INTEREST: EventFlags =
    EventFlags::IN.union(EventFlags::OUT).union(EventFlags::RDHUP).union(EventFlags::ET);

/// A connection of a user.
#[derive(Debug)]
pub(crate) struct Connection {
    socket: OwnedFd,
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
    /// the whole life of the connection. `user` is the user's number in the plan.
    pub(crate) fn open(
        address: SocketAddr,
        user: u32,
        poll: BorrowedFd<'_>,
        token: u64,
    ) -> Result<Self, Errno> {
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let socket =
            socket_with(family, SocketType::STREAM, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC, None)?;
        sockopt::set_tcp_nodelay(&socket, true)?;
        if let Some(source) = source(address, user) {
            bind(&socket, &source)?;
        }
        match connect(&socket, &address) {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(why) => return Err(why),
        }
        epoll::add(poll, &socket, EventData::new_u64(token), INTEREST)?;
        Ok(Self { socket, established: false, reused: false, broken: false, dying: false })
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

    /// Receives into `buffer`; 0 at the end of the stream.
    #[inline]
    pub(crate) fn receive(&self, buffer: &mut [u8]) -> Result<usize, Errno> {
        retry(|| recv(&self.socket, &mut *buffer, RecvFlags::empty()).map(|(_, length)| length))
    }

    /// Receives and drops up to `buffer.len()` bytes: the kernel does not copy them, `buffer` stays
    /// untouched.
    pub(crate) fn discard(&self, buffer: &mut [u8]) -> Result<usize, Errno> {
        retry(|| recv(&self.socket, &mut *buffer, RecvFlags::TRUNC).map(|(_, length)| length))
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The local address that a user connects from; none: the kernel's choice. Only the loopback has addresses to
/// spare.
fn source(address: SocketAddr, user: u32) -> Option<SocketAddr> {
    let SocketAddr::V4(address) = address else { return None };
    let number = user / USERS_PER_SOURCE;
    let spread = address.ip().is_loopback() && number > 0;
    spread.then(|| (Ipv4Addr::from_bits(Ipv4Addr::LOCALHOST.to_bits() + number), 0).into())
}

fn retry(mut call: impl FnMut() -> Result<usize, Errno>) -> Result<usize, Errno> {
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
        Errno::ADDRNOTAVAIL => "no local port left on this machine (net.ipv4.ip_local_port_range)",
        Errno::MFILE | Errno::NFILE => "no open file left on this machine (`ulimit -n`)",
        Errno::TIMEDOUT => "the host does not answer",
        _ => "the socket failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_users_of_the_loopback_come_from_several_addresses() {
        let at = |user| source("127.0.0.1:80".parse().unwrap(), user).map(|source| source.to_string());
        assert_eq!(at(1_023), None);
        assert_eq!(at(1_024).as_deref(), Some("127.0.0.2:0"));
        assert_eq!(at(20_000).as_deref(), Some("127.0.0.20:0"));
        assert_eq!(source("192.0.2.1:80".parse().unwrap(), 20_000), None);
        assert_eq!(source("[::1]:80".parse().unwrap(), 20_000), None);
    }
}
