//! How the hosts of a plan are reached: their addresses, and what TLS needs.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicUsize};

use loadstone_workload::{ByProxy, Http, Place, Program};
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
    /// What a proxy is asked first, if it is to connect to the host.
    pub tunnel: Option<Box<[u8]>>,
    /// With TLS.
    pub credentials: Option<Credentials>,
}

impl Reach {
    /// All hosts of a program, in the order of its places.
    ///
    /// # Errors
    /// A sentence when a host has no address, or none that `sources` lead to, or its TLS no credentials.
    pub(crate) fn all(program: &Program, sources: &Sources) -> Result<Box<[Self]>, String> {
        program.places.iter().map(|place| Self::new(place, program, sources)).collect()
    }

    fn new(place: &Place, program: &Program, sources: &Sources) -> Result<Self, String> {
        let by_proxy = program.by_proxy(place);
        let (host, port) = match (&program.proxy, by_proxy) {
            (Some((host, port)), Some(_)) => (host.as_str(), *port),
            _ => (place.host.as_str(), place.port),
        };
        let addresses = match &place.socket {
            Some(path) => {
                let address = SocketAddrUnix::new(path.as_str());
                vec![Address::Unix(address.map_err(|why| format!("target: the socket `{path}`: {why}"))?)]
            }
            None => addresses_of(host, port, sources)?.into_iter().map(Address::Inet).collect(),
        };
        Ok(Self {
            addresses,
            address: AtomicUsize::new(0),
            connected: AtomicBool::new(false),
            tunnel: (by_proxy == Some(ByProxy::Tunnel))
                // Its connections are everybody's.
                .then(|| {
                    connect_request(place, &program.scenarios[0].browser.user_agent, &program.proxy_field)
                }),
            credentials: credentials_of(place, program.http)?,
        })
    }
}

fn credentials_of(place: &Place, http: Http) -> Result<Option<Credentials>, String> {
    place.tls.as_ref().map(|tls| Credentials::new(tls, &place.host, http)).transpose()
}

/// Asks a proxy to connect to `place` (RFC 9110 §9.3.6); `who`: the line that says who asks, if it is told.
fn connect_request(place: &Place, agent: &str, who: &str) -> Box<[u8]> {
    let host = if place.host.contains(':') { format!("[{}]", place.host) } else { place.host.clone() };
    let whole = format!("{host}:{}", place.port);
    let agent = if agent.is_empty() { String::new() } else { format!("User-Agent: {agent}\r\n") };
    format!("CONNECT {whole} HTTP/1.1\r\nHost: {whole}\r\n{agent}{who}\r\n").into_bytes().into()
}

fn addresses_of(host: &str, port: u16, sources: &Sources) -> Result<Vec<SocketAddr>, String> {
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
