//! What can be configured, with defaults that need no tuning.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use loadstone_http::Limits;

use crate::tls::Tls;
use crate::watch::Watch;

/// The share of the idle time-out that every client keeps, even if others wait for its place.
pub(crate) const GRACE: u32 = 64;

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

/// When connections of which no request has been served may begin, if there is more demand than capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Admission {
    /// At once.
    None,
    /// While a worker is idle; else they wait in the kernel's backlog.
    Busy,
    /// While the queue is below its bound; else they wait in the kernel's backlog.
    Queue,
    /// While fewer connections have begun than the service has been seen to carry; else they wait in the
    /// kernel's backlog.
    Adaptive,
    /// While the requests of those that have begun are served in time; else they wait inside, the latest to
    /// begin first.
    Session,
}

impl Admission {
    /// Every policy.
    pub const ALL: [Self; 5] = [Self::None, Self::Busy, Self::Queue, Self::Adaptive, Self::Session];

    /// Its name in configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Busy => "busy",
            Self::Queue => "queue",
            Self::Adaptive => "adaptive",
            Self::Session => "session",
        }
    }

    /// Whether the connector can follow it: one without a queue has no bound for it, and one whose clients
    /// hold their threads cannot prefer any.
    pub fn suits(self, connector: Connector) -> bool {
        match connector {
            Connector::Hybrid => true,
            Connector::Threaded => matches!(self, Self::None | Self::Busy | Self::Queue),
            Connector::Event => matches!(self, Self::None | Self::Session),
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
    /// Threads that run application code. 0: hybrid, twice the number of cores, at least 2; threaded, 64 for
    /// each core, as many as are in use being started; event, the number of cores.
    pub workers: usize,
    /// Whether the hybrid connector adapts the number of workers to what they wait for; `workers` is then the
    /// most (0: 64 for each core).
    pub auto: bool,
    /// Whether idle clients keep their threads for all of `timeouts.idle` even when others wait for one; only
    /// the threaded connector ever takes them away.
    pub fixed_keep_alive: bool,
    /// What may wait for a worker under [`Admission::Queue`] before no more connections are accepted:
    /// requests, or with the threaded connector connections. 0: 16 for each worker, threaded 1.
    pub queue: usize,
    /// When newcomers may begin. None: the best that the connector can: `Session`, threaded `Queue`.
    pub admission: Option<Admission>,
    /// Whether newcomers that may not begin soon are answered 503 with `Retry-After` instead of being left
    /// waiting. The threaded connector, which has no thread for them, cannot.
    pub refuse: bool,
    /// Most open connections; at this number no more are accepted. 0: as many as the limit of open files
    /// allows.
    pub max_connections: usize,
    /// Bytes that requests on their way in may take, all connections together: beyond it a body that still
    /// arrives is refused with 503, or slow senders could fill the memory.
    pub request_memory: usize,
    /// Connections the kernel completes and holds until they are accepted.
    pub backlog: u32,
    /// What is taken from a client.
    pub limits: Limits,
    /// Level from 1 to 9 at which content that shrinks is compressed for clients that take gzip; none: it is
    /// not.
    pub compress: Option<u32>,
    /// How long a client may take.
    pub timeouts: Timeouts,
    /// The certificate of a server that speaks TLS; without, it speaks plain HTTP.
    pub tls: Option<Arc<Tls>>,
    /// Access log and metrics.
    pub watch: Option<Arc<Watch>>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            connector: Connector::default(),
            workers: 0,
            auto: false,
            fixed_keep_alive: false,
            queue: 0,
            admission: None,
            refuse: false,
            max_connections: 0,
            request_memory: 256 << 20,
            backlog: 1024,
            limits: Limits::default(),
            compress: None,
            timeouts: Timeouts::default(),
            tls: None,
            watch: None,
        }
    }
}

impl Config {
    /// Number of workers after defaults.
    pub(crate) fn worker_count(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        match self.connector {
            _ if self.workers > 0 => self.workers,
            Connector::Hybrid if !self.auto => (2 * cores).max(2),
            Connector::Hybrid => 64 * cores,
            Connector::Threaded => 64 * cores,
            Connector::Event => cores,
        }
    }

    /// Number of workers that start at once.
    pub(crate) fn first_workers(&self) -> usize {
        match self.connector {
            Connector::Threaded => 1,
            Connector::Hybrid if self.auto => {
                Self { workers: 0, auto: false, ..self.clone() }.worker_count().min(self.worker_count())
            }
            Connector::Hybrid | Connector::Event => self.worker_count(),
        }
    }

    /// Admission control after defaults.
    pub(crate) fn policy(&self) -> Admission {
        self.admission.unwrap_or(match self.connector {
            Connector::Threaded => Admission::Queue,
            Connector::Hybrid | Connector::Event => Admission::Session,
        })
    }

    /// Why the connector cannot do what is asked of it.
    pub(crate) fn contradiction(&self) -> Option<String> {
        let (policy, connector) = (self.policy(), self.connector);
        if !policy.suits(connector) {
            let known = Admission::ALL.into_iter().filter(|policy| policy.suits(connector));
            let known: Vec<_> = known.map(Admission::name).collect();
            return Some(format!(
                "the {} connector has no admission policy `{}`, it has {}",
                connector.name(),
                policy.name(),
                known.join(", ")
            ));
        }
        if self.auto && connector != Connector::Hybrid {
            return Some(format!("the {} connector has no pool of workers to adapt", connector.name()));
        }
        (self.refuse && connector == Connector::Threaded)
            .then(|| "the threaded connector has no thread to refuse a client with".into())
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
    /// At one request, until its worker counts as stuck: it is replaced where there is a pool that adapts,
    /// and not waited for at the end.
    pub stuck: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            head: seconds(10),
            body: seconds(20),
            idle: seconds(60),
            write: seconds(20),
            stuck: seconds(60),
        }
    }
}
