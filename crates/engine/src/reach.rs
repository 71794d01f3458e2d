//! How the hosts of a plan are reached: their addresses, and what TLS needs.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicUsize};

use loadstone_workload::{Http, Place, Program};

use crate::tls::Credentials;

/// One host.
#[derive(Debug)]
pub(crate) struct Reach {
    pub addresses: Vec<SocketAddr>,
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
    /// A sentence when a host has no address, or its TLS no credentials.
    pub(crate) fn all(program: &Program) -> Result<Box<[Self]>, String> {
        program.places.iter().map(|place| Self::new(place, program.http)).collect()
    }

    fn new(place: &Place, http: Http) -> Result<Self, String> {
        Ok(Self {
            addresses: addresses_of(place)?,
            address: AtomicUsize::new(0),
            connected: AtomicBool::new(false),
            credentials: place
                .tls
                .as_ref()
                .map(|tls| Credentials::new(tls, &place.host, http))
                .transpose()?,
        })
    }
}

fn addresses_of(place: &Place) -> Result<Vec<SocketAddr>, String> {
    let (host, port) = (place.host.as_str(), place.port);
    let found =
        (host, port).to_socket_addrs().map_err(|why| format!("target: no address for `{host}`: {why}"))?;
    let addresses: Vec<_> = found.collect();
    if addresses.is_empty() { Err(format!("target: no address for `{host}`")) } else { Ok(addresses) }
}
