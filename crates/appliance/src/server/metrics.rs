//! The machine's figures in Prometheus's text format, under the names that the container uses where they mean
//! the same.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt::Write;

use loadstone_http::{Handler, Method, Request, Response};

use super::Counters;

/// What is told of the machine beside its server's counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures {
    /// The server's.
    pub counters: Counters,
    /// Bytes of the heap, and of these in use.
    pub heap: (usize, usize),
    /// Seconds since 1970 at boot.
    pub started_s: u64,
    /// Microseconds that the processor was not halted.
    pub busy_us: u64,
    /// Segments dropped because their checksum was wrong.
    pub damaged: u64,
    /// Times that a connection was asked for while there was no socket for it.
    pub dropped: u64,
    /// Answers to who asked for a connection that took no memory, and connections that came of them.
    pub cookies: [u64; 2],
    /// Frames of IPv6 that were dropped before TCP saw them.
    #[cfg(feature = "ipv6")]
    pub dropped_six: crate::net::Dropped,
}

/// Serves `/metrics`.
pub struct Metrics {
    figures: fn() -> Figures,
}

impl Metrics {
    /// With where the figures come from.
    pub fn new(figures: fn() -> Figures) -> Box<Self> {
        Box::new(Self { figures })
    }
}

impl Handler for Metrics {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        match (request.path, request.method) {
            ("/metrics", Method::Get | Method::Head) => {
                let page = write(&(self.figures)());
                response.header("Cache-Control", "no-store");
                response.content("text/plain; version=0.0.4; charset=utf-8", page);
            }
            ("/metrics", _) => drop(response.status(405).header("Allow", "GET, HEAD").text("GET, please\n")),
            _ => drop(response.status(404).text("the metrics are at /metrics\n")),
        }
    }
}

fn write(figures: &Figures) -> String {
    let counters = &figures.counters;
    let mut page = Page(String::new());
    let mut count = |name, help, value| page.family(name, "counter", help, &[("", value)]);
    count("loadstone_accepted_total", "Connections accepted.", counters.accepted);
    count("loadstone_requests_total", "Complete requests given to the application.", counters.requests);
    count("loadstone_bad_requests_total", "Requests refused by the server itself.", counters.bad_requests);
    let slow: u64 = counters.slow.iter().sum();
    count("loadstone_closed_by_timeout_total", "Connections closed because the client was slow.", slow);
    let closed_idle = "Connections closed after no request had come for long.";
    count("loadstone_closed_idle_total", closed_idle, counters.closed_idle);
    let evicted = "Connections closed idle before their time because others asked for one.";
    count("loadstone_evicted_total", evicted, counters.evicted);
    count("loadstone_bytes_in_total", "Bytes received.", counters.bytes_in);
    count("loadstone_bytes_out_total", "Bytes sent.", counters.bytes_out);
    let damaged = "TCP segments dropped because their checksum was wrong.";
    count("loadstone_damaged_segments_total", damaged, figures.damaged);
    let dropped = "Times that a connection was asked for while there was no memory for it.";
    count("loadstone_dropped_opens_total", dropped, figures.dropped);
    let [sent, taken] = figures.cookies;
    let cookies_sent = "Answers to who asked for a connection that took no memory (SYN cookies).";
    count("loadstone_syn_cookies_sent_total", cookies_sent, sent);
    let cookies_taken = "Connections that came of SYN cookies.";
    count("loadstone_syn_cookies_taken_total", cookies_taken, taken);
    #[cfg(feature = "ipv6")]
    {
        let dropped = figures.dropped_six;
        let reasons = [
            ("{reason=\"packet\"}", dropped.packets),
            ("{reason=\"neighbour\"}", dropped.neighbours),
            ("{reason=\"echo\"}", dropped.echoes),
        ];
        let help = "Frames of IPv6 that were dropped before TCP saw them.";
        page.family("loadstone_ipv6_dropped_frames_total", "counter", help, &reasons);
    }
    let [informed, ok, moved, wrong, failed] = counters.responses;
    let classes = [
        ("{class=\"1xx\"}", informed),
        ("{class=\"2xx\"}", ok),
        ("{class=\"3xx\"}", moved),
        ("{class=\"4xx\"}", wrong),
        ("{class=\"5xx\"}", failed),
    ];
    page.family("loadstone_responses_total", "counter", "Responses by class of status.", &classes);
    let mut gauge = |name, help, value| page.family(name, "gauge", help, &[("", value)]);
    gauge("loadstone_open_connections", "Open connections.", counters.open_connections);
    gauge("loadstone_heap_bytes", "Memory that the machine's programs share.", figures.heap.0 as u64);
    gauge("loadstone_heap_used_bytes", "Memory in use.", figures.heap.1 as u64);
    gauge("process_start_time_seconds", "When the machine started, seconds since 1970.", figures.started_s);
    let busy = "Time that the processor was not halted.";
    page.seconds("process_cpu_seconds_total", busy, figures.busy_us);
    page.0
}

/// The exposition as it grows.
struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str, samples: &[(&str, u64)]) {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (label, value) in samples {
            let _ = writeln!(self.0, "{name}{label} {value}");
        }
    }

    fn seconds(&mut self, name: &str, help: &str, us: u64) {
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} counter\n");
        let _ = writeln!(self.0, "{name} {}.{:06}", us / 1_000_000, us % 1_000_000);
    }
}
