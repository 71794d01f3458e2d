//! The server's figures in Prometheus's text format, on a listener of their own.

use std::fmt::Write;
use std::fs;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use loadstone_http::{Handler, Method, Request, Response, Service};
use rustix::process::{Resource, getrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::config::{Config, Connector, Timeouts};
use crate::files;
use crate::server::{Running, Server, StartError};
use crate::watch::{BOUNDS_US, Watch};

/// Who may be connected at the same time.
const READERS: usize = 256;
/// Readers ask at once and take what they get; who keeps a connection between two scrapes loses it when
/// another reader needs the place.
const TIMEOUTS: Timeouts = Timeouts {
    head: Duration::from_secs(2),
    body: Duration::from_secs(2),
    idle: Duration::from_secs(15),
    write: Duration::from_secs(2),
    stuck: Duration::from_secs(60),
};

/// Serves the figures of `connector` until the server that is returned is dropped, which must be before the
/// connector is.
///
/// # Errors
/// As [`Server::start`].
pub(crate) fn serve(
    address: SocketAddr,
    connector: &Arc<dyn Running>,
    watch: &Arc<Watch>,
) -> Result<Server, StartError> {
    let config = Config {
        address,
        connector: Connector::Event,
        workers: 1,
        max_connections: READERS,
        timeouts: TIMEOUTS,
        ..Config::default()
    };
    let started_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    Server::start(
        config,
        Arc::new(Figures { connector: Arc::downgrade(connector), watch: watch.clone(), started_s }),
    )
}

#[derive(Clone)]
struct Figures {
    connector: Weak<dyn Running>,
    watch: Arc<Watch>,
    started_s: f64,
}

impl Service for Figures {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        Ok(Box::new(self.clone()))
    }
}

impl Handler for Figures {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        match (request.path, request.method) {
            ("/metrics", Method::Get | Method::Head) => {
                let mut page = Page::default();
                self.write(&mut page);
                response.header("Cache-Control", "no-store");
                response.content("text/plain; version=0.0.4; charset=utf-8", page.0);
            }
            ("/metrics", _) => drop(response.status(405).header("Allow", "GET, HEAD").text("GET, please\n")),
            _ => drop(response.status(404).text("the metrics are at /metrics\n")),
        }
    }
}

impl Figures {
    fn write(&self, page: &mut Page) {
        if let Some(connector) = self.connector.upgrade() {
            let counters = connector.counters();
            let mut last = String::new();
            for (name, grows, value) in counters.named() {
                let figure = Figure::of(name, grows);
                if figure.name != last {
                    page.family(&figure.name, if grows { "counter" } else { "gauge" }, help(name));
                }
                page.sample(&figure.name, &figure.label, value as f64 * figure.unit);
                last = figure.name;
            }
        }
        self.write_times(page);
        if let Some(log) = self.watch.log() {
            let (written, dropped) = log.counts();
            page.single(
                "loadstone_log_lines_total",
                "counter",
                "Lines of the access log written.",
                written as f64,
            );
            let what = "Lines of the access log lost because too many waited or they could not be written.";
            page.single("loadstone_log_lines_dropped_total", "counter", what, dropped as f64);
        }
        self.write_process(page);
    }

    /// Classes without an answer are left out.
    fn write_times(&self, page: &mut Page) {
        let name = "loadstone_response_seconds";
        page.family(
            name,
            "histogram",
            "Time from the last byte of a request to the last byte of its response handed to the system.",
        );
        for class in 0..5 {
            let (counts, sum_us) = self.watch.times.cumulative(class);
            let all = counts[BOUNDS_US.len()];
            if all == 0 {
                continue;
            }
            let class = class + 1;
            for (count, bound_us) in counts.iter().zip(BOUNDS_US) {
                let label = format!("{{class=\"{class}xx\",le=\"{}\"}}", bound_us as f64 / 1e6);
                page.sample("loadstone_response_seconds_bucket", &label, *count as f64);
            }
            let label = format!("{{class=\"{class}xx\",le=\"+Inf\"}}");
            page.sample("loadstone_response_seconds_bucket", &label, all as f64);
            let label = format!("{{class=\"{class}xx\"}}");
            page.sample("loadstone_response_seconds_sum", &label, sum_us as f64 / 1e6);
            page.sample("loadstone_response_seconds_count", &label, all as f64);
        }
    }

    /// Of the whole process, by the names that every Prometheus client library uses.
    fn write_process(&self, page: &mut Page) {
        let cpu = clock_gettime(ClockId::ProcessCPUTime);
        let cpu_s = cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9;
        page.single("process_cpu_seconds_total", "counter", "Processor time used, user and system.", cpu_s);
        if let Some(bytes) = resident_bytes() {
            page.single(
                "process_resident_memory_bytes",
                "gauge",
                "Memory in use that is not swapped out.",
                bytes as f64,
            );
        }
        page.single("process_open_fds", "gauge", "Open files.", files::open_now() as f64);
        if let Some(most) = getrlimit(Resource::Nofile).current {
            page.single("process_max_fds", "gauge", "Most open files.", most as f64);
        }
        page.single(
            "process_start_time_seconds",
            "gauge",
            "When the server started, seconds since 1970.",
            self.started_s,
        );
    }
}

fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

/// How a counter is called in the exposition, where times are seconds and classes are labels.
struct Figure {
    name: String,
    label: String,
    unit: f64,
}

impl Figure {
    fn of(name: &str, grows: bool) -> Self {
        let total = if grows { "_total" } else { "" };
        if let Some(class) = name.strip_prefix("responses_") {
            let label = format!("{{class=\"{class}\"}}");
            return Self { name: format!("loadstone_responses{total}"), label, unit: 1.0 };
        }
        match name.strip_suffix("_us") {
            Some(stem) => {
                Self { name: format!("loadstone_{stem}_seconds{total}"), label: String::new(), unit: 1e-6 }
            }
            None => Self { name: format!("loadstone_{name}{total}"), label: String::new(), unit: 1.0 },
        }
    }
}

fn help(counter: &str) -> &'static str {
    match counter {
        "accepted" => "Connections accepted.",
        "pauses" => "Times that accepting stopped.",
        "refused" => "Newcomers answered 503 because others had to come first.",
        "abandoned" => "Newcomers that closed while they waited for their turn.",
        "requests" => "Complete requests given to a worker.",
        "bad_requests" => "Requests refused by the server itself.",
        "closed_by_timeout" => "Connections closed because the client was slow.",
        "slow_heads" => "Connections closed because a request's head was slow to come.",
        "slow_bodies" => "Connections closed because a request's body was slow to come.",
        "slow_reads" => "Connections closed because a response was slow to be read.",
        "evicted" => {
            "Connections closed idle before their time because others waited for the thread or the place."
        }
        "closed_idle" => "Connections closed after no request had come for long.",
        "failed_handshakes" => "Connections that ended before their TLS handshake was done.",
        "worker_panics" => "Requests that ended in a panic of the application.",
        "bytes_in" => "Bytes received, decrypted.",
        "bytes_out" => "Bytes sent, before encryption.",
        "queue_wait_us" => "Time that requests waited for a worker.",
        "worker_busy_us" => "Time that workers were busy.",
        "open_connections" => "Open connections.",
        "queue_depth" => "Requests waiting for a worker.",
        "newcomers" => "Newcomers that wait inside for their turn.",
        "admitted_limit" => "Connections that may have begun at the same time; 0: no such limit.",
        "workers" => "Workers.",
        "workers_stuck" => "Workers that have been at one request for very long.",
        "workers_busy" => "Workers running application code.",
        _ if counter.starts_with("responses_") => "Responses by class of status.",
        _ => "See the reference of the container.",
    }
}

/// The exposition as it grows.
#[derive(Default)]
struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn sample(&mut self, name: &str, label: &str, value: f64) {
        let _ = writeln!(self.0, "{name}{label} {value}");
    }

    fn single(&mut self, name: &str, kind: &str, help: &str, value: f64) {
        self.family(name, kind, help);
        self.sample(name, "", value);
    }
}
