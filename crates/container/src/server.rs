//! A running server, whatever its connector.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use std::{error, fmt, io};

use loadstone_http::Service;

use crate::config::{Config, Connector};
use crate::counters::Counters;
use crate::tls::{Tls, TlsError};
use crate::watch::{AccessLog, LogError, Watch};
use crate::{event, files, hybrid, listener, metrics, threaded};

/// Why a server did not start.
#[derive(Debug)]
pub enum StartError {
    /// The connector cannot do what the configuration asks of it, in a sentence.
    Configuration(String),
    /// The address cannot be listened at.
    Listen(SocketAddr, io::Error),
    /// The application cannot start, in its own words.
    Application(String),
    /// The system gave no thread, event loop or descriptor.
    System(io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Configuration(sentence) => write!(f, "{sentence}"),
            Self::Listen(address, error) => write!(f, "cannot listen at {address}: {error}"),
            Self::Application(sentence) => write!(f, "the application cannot start: {sentence}"),
            Self::System(error) => write!(f, "the server cannot start: {error}"),
        }
    }
}

impl error::Error for StartError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Listen(_, error) | Self::System(error) => Some(error),
            Self::Configuration(_) | Self::Application(_) => None,
        }
    }
}

/// Why something was not exchanged.
#[derive(Debug)]
pub enum ReloadError {
    /// The certificate or its key.
    Tls(TlsError),
    /// The access log.
    Log(LogError),
}

impl fmt::Display for ReloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tls(error) => write!(f, "{error}"),
            Self::Log(error) => write!(f, "{error}"),
        }
    }
}

impl error::Error for ReloadError {}

/// What every connector can do once it runs. Dropping it ends it at once: connections are cut, the
/// call waits only for application code that still runs.
pub(crate) trait Running: Send + Sync {
    fn counters(&self) -> Counters;
    /// See [`Server::drain`].
    fn drain(&self, timeout: Duration) -> bool;
}

/// A server that accepts connections until it is drained or dropped.
///
/// Dropping it cuts every connection; it waits only for application code that still runs.
pub struct Server {
    address: SocketAddr,
    tls: Option<Arc<Tls>>,
    watch: Option<Arc<Watch>>,
    max_connections: usize,
    /// Before the connector, which it reports on, because it must be dropped first.
    metrics: Option<Box<Server>>,
    connector: Arc<dyn Running>,
}

impl Server {
    /// Starts serving `service`. The process's soft limit of open files is raised to the hard one, and fewer
    /// connections than `config.max_connections` are held where that allows no more.
    ///
    /// # Errors
    /// [`StartError`] when the configuration contradicts itself, the address is taken, the application cannot
    /// make a handler for every worker, or the system is out of threads or descriptors. Nothing keeps running
    /// then.
    pub fn start(mut config: Config, service: Arc<dyn Service>) -> Result<Self, StartError> {
        if let Some(sentence) = config.contradiction() {
            return Err(StartError::Configuration(sentence));
        }
        let handlers = (0..config.first_workers())
            .map(|_| service.handler())
            .collect::<Result<Vec<_>, _>>()
            .map_err(StartError::Application)?;
        let (listener, address) = listener::open(config.address, config.backlog)
            .map_err(|error| StartError::Listen(config.address, error))?;
        // The application has opened what it needs by now.
        config.max_connections =
            files::connections_that_fit(config.max_connections, config.worker_count(), service.open_files());
        let max_connections = config.max_connections;
        let (tls, watch) = (config.tls.clone(), config.watch.clone());
        let started: io::Result<Arc<dyn Running>> = match config.connector {
            Connector::Hybrid => {
                hybrid::start(config, listener, service, handlers).map(|it| Arc::new(it) as _)
            }
            Connector::Threaded => {
                threaded::start(config, listener, service, handlers).map(|it| Arc::new(it) as _)
            }
            Connector::Event => event::start(config, listener, service, handlers).map(|it| Arc::new(it) as _),
        };
        let connector = started.map_err(StartError::System)?;
        let metrics = match watch.as_ref().and_then(|watch| Some((watch.metrics?, watch))) {
            Some((address, watch)) => Some(Box::new(metrics::serve(address, &connector, watch)?)),
            None => None,
        };
        Ok(Self { address, tls, watch, max_connections, metrics, connector })
    }

    /// Where it listens, with the port it got when the configuration said 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Most connections that it holds: what was configured, or what the limit of open files allows.
    pub fn max_connections(&self) -> usize {
        self.max_connections
    }

    /// What it has done so far.
    pub fn counters(&self) -> Counters {
        self.connector.counters()
    }

    /// Where the metrics are served, if they are.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics.as_ref().map(|server| server.address)
    }

    /// Reads the certificate and its key again and opens the access log anew, without closing a connection.
    ///
    /// # Errors
    /// A file cannot be used; what was in use before stays in use, and the others are exchanged all the same.
    pub fn reload(&self) -> Result<(), ReloadError> {
        let read = self.tls.as_ref().map_or(Ok(()), |tls| tls.reload());
        let log = self.watch.as_ref().and_then(|watch| watch.log());
        let opened = log.map_or(Ok(()), AccessLog::reopen);
        read.map_err(ReloadError::Tls).and(opened.map_err(ReloadError::Log))
    }

    /// Ends the service without losing a request: takes what has already connected, stops accepting, answers
    /// every request that has begun to arrive with `Connection: close` and closes idle connections.
    /// Returns whether all connections were closed within `timeout`; calling it again waits on.
    pub fn drain(&self, timeout: Duration) -> bool {
        self.connector.drain(timeout)
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}
