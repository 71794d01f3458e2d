//! The listening socket.

use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, accept_with, bind, getsockname, listen, socket_with, sockopt,
};

const FLAGS: SocketFlags = SocketFlags::NONBLOCK.union(SocketFlags::CLOEXEC);

/// A non-blocking socket that listens at `address`, and the address it got.
///
/// # Errors
/// The address cannot be bound.
pub(crate) fn open(address: SocketAddr, backlog: u32) -> io::Result<(OwnedFd, SocketAddr)> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket_with(family, SocketType::STREAM, FLAGS, None)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    // Accepted sockets inherit it: one call here instead of one for each connection.
    sockopt::set_tcp_nodelay(&socket, true)?;
    bind(&socket, &address)?;
    listen(&socket, i32::try_from(backlog).unwrap_or(i32::MAX))?;
    let bound = SocketAddr::try_from(getsockname(&socket)?)?;
    Ok((socket, bound))
}

/// Whether a connection waits in the backlog.
pub(crate) fn is_pending(listener: &OwnedFd) -> bool {
    let mut watched = [PollFd::new(listener, PollFlags::IN)];
    matches!(poll(&mut watched, Some(&Timespec::default())), Ok(1..))
}

/// The next connection in the backlog, none when it is empty.
///
/// # Errors
/// No descriptor or memory is left for another connection.
pub(crate) fn accept(listener: &OwnedFd) -> io::Result<Option<OwnedFd>> {
    loop {
        match accept_with(listener, FLAGS) {
            Ok(socket) => return Ok(Some(socket)),
            Err(Errno::AGAIN) => return Ok(None),
            // The client went away while it waited, or its network failed (accept(2)): the next one may be
            // well.
            Err(
                Errno::INTR
                | Errno::CONNABORTED
                | Errno::PROTO
                | Errno::PERM
                | Errno::NETDOWN
                | Errno::NETUNREACH
                | Errno::HOSTDOWN
                | Errno::HOSTUNREACH
                | Errno::NONET
                | Errno::NOPROTOOPT
                | Errno::OPNOTSUPP,
            ) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
