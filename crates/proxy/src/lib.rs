//! An application that does to its worker what one with a database does: it asks another server for each
//! request, and blocks until the answer is here.
//!
//! Every worker has a connection of its own, which is kept. The path and the query are passed on, the
//! answer's status, media type and body are passed back, a body of unknown length as it comes; whatever goes
//! wrong before that is 502, and what breaks off is broken off.

mod back;

use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use loadstone_http::{Handler, Method, Request, Response, Service};

use crate::back::Back;

/// How long the server behind may keep silent.
const PATIENCE: Duration = Duration::from_secs(60);

/// The application: where the server behind it is.
#[derive(Debug, Clone)]
pub struct Proxy {
    address: SocketAddr,
    authority: String,
}

impl Proxy {
    /// For a server at `http://HOST:PORT`; without a port it is 80.
    ///
    /// # Errors
    /// A sentence when the URL is another kind of thing, or the host has no address.
    pub fn new(url: &str) -> Result<Self, String> {
        let authority = url.strip_prefix("http://").map(|rest| rest.trim_end_matches('/'));
        let authority = authority
            .filter(|text| !text.is_empty() && !text.contains(['/', '?', '#', '@', ' ']))
            .ok_or_else(|| format!("{url} is not the URL of a server, such as http://127.0.0.1:9000"))?;
        let port_follows = authority.rfind(':') > authority.rfind(']');
        let full = if port_follows { authority.into() } else { format!("{authority}:80") };
        let mut found = full.to_socket_addrs().map_err(|error| format!("{authority}: {error}"))?;
        let address = found.next().ok_or_else(|| format!("{authority} has no address"))?;
        Ok(Self { address, authority: authority.into() })
    }
}

impl Service for Proxy {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        Ok(Box::new(Asking { back: Back::new(self.address, &self.authority, PATIENCE) }))
    }
}

/// One worker's side.
struct Asking {
    back: Back,
}

impl Handler for Asking {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        if !matches!(request.method, Method::Get | Method::Head) {
            response.status(405).header("Allow", "GET, HEAD");
            return;
        }
        if let Err(error) = self.back.ask(request, response) {
            response.clear();
            response.status(502).text(format!("the server behind does not answer: {error}\n"));
        }
    }
}
