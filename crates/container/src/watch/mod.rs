//! What a running server reports about requests: a line each in the access log, and their times in the
//! metrics.

mod line;
mod log;
mod times;

use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use loadstone_http::{Request, Version};
use rustix::net::getpeername;

pub use line::LogFormat;
pub use log::{AccessLog, LogError};

pub(crate) use times::{BOUNDS_US, Times};

use line::{Asked, Entry};

/// Most bytes of a line that was no request which the access log repeats.
const FIRST_LINE: usize = 256;

/// Who watches a server's requests. A server without a watch looks at no clock for it.
#[derive(Debug)]
pub struct Watch {
    pub(crate) log: Option<AccessLog>,
    /// Where the metrics are served.
    pub(crate) metrics: Option<SocketAddr>,
    pub(crate) times: Times,
}

impl Watch {
    /// With an access log, metrics in Prometheus's text format at `http://{metrics}/metrics`, or both.
    pub fn new(log: Option<AccessLog>, metrics: Option<SocketAddr>) -> Self {
        Self { log, metrics, times: Times::default() }
    }

    /// The access log.
    pub fn log(&self) -> Option<&AccessLog> {
        self.log.as_ref()
    }
}

/// What is kept of a connection for its watch.
#[derive(Debug)]
pub(crate) struct Watched {
    watch: Arc<Watch>,
    client: Option<IpAddr>,
    /// When the present request had arrived as a whole.
    arrived: Option<Instant>,
}

impl Watched {
    pub fn new(watch: &Arc<Watch>, socket: impl AsFd) -> Box<Self> {
        let name = || SocketAddr::try_from(getpeername(socket).ok()??).ok();
        // Only the log says which client asked.
        let client = watch.log.as_ref().and_then(|_| name()).map(|address| address.ip().to_canonical());
        Box::new(Self { watch: watch.clone(), client, arrived: None })
    }

    /// The request has arrived as a whole.
    pub fn arrived(&mut self) {
        self.arrived = Some(Instant::now());
    }

    /// Begins the record of an answer to `request`, or to bytes that were not a request and began with
    /// `first_line`.
    pub fn record(
        &mut self,
        request: Option<&Request<'_>>,
        first_line: &[u8],
        status: u16,
        head_bytes: usize,
    ) -> Record {
        let asked = self.watch.log.as_ref().map(|_| match request {
            Some(request) => Asked::request(request),
            None => Asked::nonsense(&first_line[..first_line.len().min(FIRST_LINE)]),
        });
        let (watch, client, arrived) = (self.watch.clone(), self.client, self.arrived.take());
        Record { watch, client, arrived, asked, status, head_bytes, sent: 0 }
    }
}

/// An answer on its way. It is reported when it is dropped: all is sent, or the client is gone.
#[derive(Debug)]
pub(crate) struct Record {
    watch: Arc<Watch>,
    client: Option<IpAddr>,
    arrived: Option<Instant>,
    asked: Option<Asked>,
    status: u16,
    head_bytes: usize,
    /// Bytes that are out.
    pub sent: usize,
}

impl Drop for Record {
    fn drop(&mut self) {
        let took = self.arrived.map(|arrived| arrived.elapsed());
        if let Some(took) = took {
            self.watch.times.add(self.status, took);
        }
        if let (Some(log), Some(asked)) = (&self.watch.log, self.asked.take()) {
            log.push(Entry {
                client: self.client,
                ended: SystemTime::now(),
                took_us: took.map_or(0, |took| took.as_micros() as u64),
                status: self.status,
                body_bytes: self.sent.saturating_sub(self.head_bytes) as u64,
                asked,
            });
        }
    }
}

/// A version as it stands in a request line.
fn version_name(version: Version) -> &'static str {
    match version {
        Version::Http10 => "HTTP/1.0",
        Version::Http11 => "HTTP/1.1",
    }
}
