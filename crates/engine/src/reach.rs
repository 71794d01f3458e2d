//! How the hosts of a plan are reached: their addresses, and what TLS needs.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicUsize};

use loadstone_workload::{Http, Place, Program};
use rustix::net::SocketAddrUnix;

use crate::sources::Sources;
use crate::tls::Credentials;

/// Where a connection leads.
#[derive(Debug)]
pub(crate) enum Address {
    Inet(SocketAddr),
    Unix(SocketAddrUnix),
}

/// One host.
#[derive(Debug)]
pub(crate) struct Reach {
    pub addresses: Vec<Address>,
    /// The one that answered first.
    pub address: AtomicUsize,
    /// A connection to it succeeded.
    pub connected: AtomicBool,
    /// With TLS.
    pub credentials: Option<Credentials>,
}

impl Reach {
    /// All hosts of a program, in the order of its places.
    ///
    /// # Errors
    /// A sentence when a host has no address, or none that `sources` lead to, or its TLS no credentials.
    pub(crate) fn all(program: &Program, sources: &Sources) -> Result<Box<[Self]>, String> {
        program.places.iter().map(|place| Self::new(place, program.http, sources)).collect()
    }

    fn new(place: &Place, http: Http, sources: &Sources) -> Result<Self, String> {
        let addresses = match &place.socket {
            Some(path) => {
                let address = SocketAddrUnix::new(path.as_str());
                vec![Address::Unix(address.map_err(|why| format!("target: the socket `{path}`: {why}"))?)]
            }
            None => addresses_of(place, sources)?.into_iter().map(Address::Inet).collect(),
        };
        Ok(Self {
            addresses,
            address: AtomicUsize::new(0),
            connected: AtomicBool::new(false),
            credentials: place.tls.as_ref().map(|tls| Credentials::new(tls, &place.host, http)).transpose()?,
        })
    }
}

fn addresses_of(place: &Place, sources: &Sources) -> Result<Vec<SocketAddr>, String> {
    let (host, port) = (place.host.as_str(), place.port);
    let found =
        (host, port).to_socket_addrs().map_err(|why| format!("target: no address for `{host}`: {why}"))?;
    let addresses: Vec<_> = found.collect();
    let Some(first) = addresses.first() else { return Err(format!("target: no address for `{host}`")) };
    let version = if first.is_ipv4() { 4 } else { 6 };
    let reached: Vec<_> = addresses.into_iter().filter(|address| sources.lead_to(*address)).collect();
    if reached.is_empty() {
        return Err(format!("target.from: none of these addresses is of IPv{version}, and `{host}` is"));
    }
    Ok(reached)
}
