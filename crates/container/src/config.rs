//! What can be configured, with defaults that need no tuning.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use loadstone_http::Limits;

use crate::tls::Tls;

/// How sockets meet workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Connector {
    /// One event loop holds every connection and reads whole requests; a few workers run blocking
    /// application code, one request at a time.
    #[default]
    Hybrid,
    /// One thread for each connection, from its first request to its last.
    Threaded,
    /// One event loop for each core, which also runs the application.
    Event,
}

impl Connector {
    /// Every connector.
    pub const ALL: [Self; 3] = [Self::Hybrid, Self::Threaded, Self::Event];

    /// Its name in configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Threaded => "threaded",
            Self::Event => "event",
        }
    }
}

/// Configuration of a server.
#[derive(Debug, Clone)]
pub struct Config {
    /// Address to listen at; port 0 takes any free port.
    pub address: SocketAddr,
    /// How sockets meet workers.
    pub connector: Connector,
    /// Threads that run application code. 0: hybrid, twice the number of cores, at least 2; threaded, 64 for each core, as
    /// many as are in use being started; event, the number of cores.
    pub workers: usize,
    /// What may wait for a worker before no more connections are accepted: requests, or with the threaded connector connections.
    /// 0: 16 for each worker, threaded 1. The event connector has no queue.
    pub queue: usize,
    /// Most open connections; at this number no more are accepted. 0: as many as the limit of open files allows.
    pub max_connections: usize,
    /// Bytes that requests on their way in may take, all connections together: beyond it a body that still arrives is
    /// refused with 503, or slow senders could fill the memory.
    pub request_memory: usize,
    /// Connections the kernel completes and holds until they are accepted.
    pub backlog: u32,
    /// What is taken from a client.
    pub limits: Limits,
    /// How long a client may take.
    pub timeouts: Timeouts,
    /// The certificate of a server that speaks TLS; without, it speaks plain HTTP.
    pub tls: Option<Arc<Tls>>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            connector: Connector::default(),
            workers: 0,
            queue: 0,
            max_connections: 0,
            request_memory: 256 << 20,
            backlog: 1024,
            limits: Limits::default(),
            timeouts: Timeouts::default(),
            tls: None,
        }
    }
}

impl Config {
    /// Number of workers after defaults.
    pub(crate) fn worker_count(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        match self.connector {
            _ if self.workers > 0 => self.workers,
            Connector::Hybrid => (2 * cores).max(2),
            Connector::Threaded => 64 * cores,
            Connector::Event => cores,
        }
    }

    /// Number of workers that start at once.
    pub(crate) fn first_workers(&self) -> usize {
        match self.connector {
            Connector::Threaded => 1,
            Connector::Hybrid | Connector::Event => self.worker_count(),
        }
    }

    /// Bound of the queue after defaults.
    pub(crate) fn queue_bound(&self) -> usize {
        match self.connector {
            _ if self.queue > 0 => self.queue,
            Connector::Threaded => self.worker_count(),
            Connector::Hybrid | Connector::Event => 16 * self.worker_count(),
        }
    }
}

/// How long a client may take. A time-out ends within a quarter of the shortest one, or a second, of
/// its time.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// From the first byte of a head (of the first head: from the connection) to its last.
    pub head: Duration,
    /// Between two arrivals of body bytes.
    pub body: Duration,
    /// Without a request on a connection that has had one.
    pub idle: Duration,
    /// Between two departures of response bytes.
    pub write: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { head: seconds(10), body: seconds(20), idle: seconds(60), write: seconds(20) }
    }
}
