//! What the engine hands out: one [`Window`] per second of the run, then one [`Summary`].

use serde::{Deserialize, Serialize};

/// Bucket counts of a histogram of microseconds, only the buckets in use, ascending.
/// Bucket bounds: see `loadstone_stats::Histogram`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sparse {
    /// Bucket indices.
    pub bucket: Vec<u32>,
    /// Counts, parallel to `bucket`.
    pub count: Vec<u64>,
}

impl Sparse {
    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.bucket.is_empty()
    }
}

/// Causes of failed operations; also their order in every count of failures.
pub const CAUSES: [&str; 12] = [
    "refused",
    "reset",
    "closed",
    "timeout",
    "status",
    "marker",
    "tls",
    "http2",
    "extract",
    "slow",
    "websocket",
    "hook",
];

/// Counters kept for every operation, summed over its executions; their order in
/// [`OperationWindow::counters`]. The counts of named steps (`count = "..."`) follow, in the order of the
/// plan. `image_refs`, `images` and `image_bytes` speak of what a page refers to outside `browser.cached`;
/// `cached_full` and `cached_304` of what `browser.cached` matches; `references_left_out` of the references
/// beyond [`MOST_REFERENCES`] and [`MOST_REFERENCE_BYTES`], repeated ones too; `references_other_host` of those
/// that lead to another host, which the engine asks for nothing, each once a page; `compressed` of answers with
/// a content coding; `body_bytes` of bodies as they came, without heads and framing; `content_bytes` of the same
/// decompressed, where the body was looked at.
pub const COUNTERS: [&str; 13] = [
    "requests",
    "bytes_in",
    "bytes_out",
    "image_refs",
    "images",
    "image_bytes",
    "cached_full",
    "cached_304",
    "references_left_out",
    "references_other_host",
    "compressed",
    "body_bytes",
    "content_bytes",
];

/// Most style sheets, scripts and images of one page that are looked at. Heavy pages have a thousand; a
/// hostile one of 64 MiB has millions, and would hold its user, and its thread, for the rest of the run.
pub const MOST_REFERENCES: usize = 4_096;
/// Most bytes of their addresses. If a page's own path is long, every address on it is as long.
pub const MOST_REFERENCE_BYTES: usize = 1 << 20;

/// One operation in one second, by phase. An operation belongs to the second of its last byte (or of its
/// failure).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OperationWindow {
    /// Index of the operation in the plan.
    pub operation: u32,
    /// 0 ramp-up, 1 steady state (began and ended in it), 2 ramp-down or straddling.
    pub phase: u8,
    /// Right answers, late ones included.
    pub ok: u64,
    /// Wrong answers and errors by cause ([`CAUSES`]).
    pub failed: [u64; CAUSES.len()],
    /// Right answers over the operation's limit.
    pub late: u64,
    /// Intended in this second but not sent.
    pub dropped: u64,
    /// Sums of [`COUNTERS`] and of the named steps.
    pub counters: Vec<u64>,
    /// Last byte - intended start, of right answers, microseconds; calls of functions are no part of it.
    pub response: Sparse,
    /// Last byte - actual start, of right answers, without calls.
    pub service: Sparse,
    /// Actual cycle (start to start) or think time (end to start) before this operation.
    pub pace: Sparse,
    /// Actual - intended start.
    pub lag: Sparse,
    /// First byte - actual start, of right answers, without calls. It is that of the answer to the first step that
    /// has one; a message of a WebSocket is none, and where redirects or waits made several the last one counts.
    #[serde(default, skip_serializing_if = "Sparse::is_empty")]
    pub first_byte: Sparse,
    /// Time that right operations spent on calls of functions, their wait for one included; of those that made any.
    #[serde(default, skip_serializing_if = "Sparse::is_empty")]
    pub called: Sparse,
    /// Where the time of right operations went, by step; empty of an operation that is one request.
    #[serde(default)]
    pub steps: Vec<StepWindow>,
}

/// One step of the right answers of an operation. Steps and their files fill the service time without a gap.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepWindow {
    /// Index of the step in its operation.
    pub step: u32,
    /// Connecting, where a connection was made.
    #[serde(default)]
    pub connect: Sparse,
    /// The TLS handshake after it.
    #[serde(default)]
    pub handshake: Sparse,
    /// From the end of the step before to the last byte of this one's answer, redirects and waits included,
    /// connecting and handshake not.
    pub answer: Sparse,
    /// From the end of the step before to the first byte of this one's answer, without connecting and handshake: a
    /// part of `answer`. Where redirects or waits made several, the last one counts. None of a WebSocket's messages.
    #[serde(default)]
    pub first_byte: Sparse,
    /// From the end of `answer` to the last byte of the last file that its page refers to; only where files were fetched.
    pub files: Sparse,
}

/// Calls of one function that returned in one second.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HookWindow {
    /// Index of the function in the plan.
    pub function: u32,
    /// Those that returned what they should,
    pub returned: u64,
    /// and those that did not.
    pub failed: u64,
    /// CPU time that they took, everything around the function included, seconds.
    pub cpu_s: f64,
    /// From when a user needed it to when it began, microseconds.
    pub waited: Sparse,
    /// From there to when it returned.
    pub took: Sparse,
}

/// Sessions of one scenario and one phase in one second.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionWindow {
    /// Index of the scenario in the plan; 0 where it is one.
    #[serde(default)]
    pub scenario: u32,
    /// When they began or, in an open workload, should have arrived: 0 ramp-up, 1 steady state, 2 ramp-down.
    pub phase: u8,
    /// Begun in this second.
    pub begun: u64,
    /// Ended in this second as the walk had it.
    pub completed: u64,
    /// Ended in this second by a failed operation, by its cause ([`CAUSES`]).
    pub lost: [u64; CAUSES.len()],
    /// Arrived in this second without a free socket.
    pub dropped: u64,
    /// Milliseconds from the beginning (in an open workload: the intended arrival) of completed ones to their
    /// end.
    pub life_ms: Sparse,
    /// The same of lost ones.
    pub lost_life_ms: Sparse,
    /// Operations in completed ones.
    pub operations: Sparse,
}

/// One second of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Seconds since the run began; the window is [second, second + 1).
    pub second: u32,
    /// Users started and not stopped at its end. Where sessions arrive: those that live. Where operations
    /// arrive at a rate: those that have not ended, the waiting ones included.
    pub users: u32,
    /// Seconds that all users together were started and not stopped in it; of operations that arrive, from
    /// their intended start.
    pub users_s: f64,
    /// Seconds that all sessions together lived in it, from the beginning (in an open workload: the intended
    /// arrival) to the end of the last operation, or to when the user stopped. What a late engine notices in
    /// the next second counts there, whole: the sum over a run is exact.
    pub sessions_s: f64,
    /// Users inside an operation at its end.
    pub in_flight: u32,
    /// Operations that arrived at a rate in it.
    #[serde(default)]
    pub arrived: u64,
    /// Those of them that had to wait for a connection.
    #[serde(default)]
    pub waited: u64,
    /// Those of them that found no room to wait, and were dropped.
    #[serde(default)]
    pub turned_away: u64,
    /// Open connections at its end.
    pub connections: u32,
    /// Connections opened.
    pub connects: u64,
    /// Those of them that a session opened after it had one already, and has no more.
    pub reconnects: u64,
    /// Those of them that a session opened beside others to the same host, for files of a page.
    #[serde(default)]
    pub beside: u64,
    /// Connections that the server closed between two requests of a session.
    pub closed_idle: u64,
    /// Connections that the server closed with an answer.
    pub closed_with_answer: u64,
    /// 503 answers after which the request waited for as long as they asked.
    pub waits: u64,
    /// Requests completed.
    pub requests: u64,
    /// Bytes received.
    pub bytes_in: u64,
    /// Bytes sent.
    pub bytes_out: u64,
    /// CPU time of the engine's threads, seconds.
    pub cpu_user_s: f64,
    /// CPU time of the engine's threads in the kernel, seconds.
    pub cpu_sys_s: f64,
    /// What an exchange of a few bytes with a thread of this machine that does nothing else took, from when it
    /// should have begun: the machine's own noise. Empty if it has no loopback interface.
    pub control: Sparse,
    /// CPU time of that exchange, both ends, seconds.
    pub control_cpu_s: f64,
    /// How late the engine itself woke up for an operation that could start: a loaded generator shows here.
    pub wake_lag: Sparse,
    /// How long TLS handshakes took, from the end of connecting, microseconds: those that began from nothing,
    #[serde(default)]
    pub handshake_full: Sparse,
    /// and those that resumed the TLS session of an earlier connection.
    #[serde(default)]
    pub handshake_resumed: Sparse,
    /// Operations.
    pub operations: Vec<OperationWindow>,
    /// Sessions.
    pub sessions: Vec<SessionWindow>,
    /// Calls of functions, by function.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<HookWindow>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// complete, stopped (asked to), or unreachable (no connection ever succeeded).
    pub outcome: String,
    /// Seconds since the run began, to the microsecond. In a run with a fixed number of operations: the last
    /// byte of the last one.
    pub ended_s: f64,
    /// Threads of the engine.
    pub threads: u32,
    /// The first example of each cause of failure, and of a reference to another host, of each operation, in
    /// the order of time.
    pub examples: Vec<Example>,
    /// What was agreed on in TLS handshakes, the most frequent first.
    pub tls: Vec<Negotiated>,
    /// What was seen of HTTP/2; none if the plan did not ask for it.
    pub http2: Option<Http2>,
    /// Answers that were read when the next operation had been sent; their times are the kernel's.
    pub read_later: u64,
}

/// What a run saw of HTTP/2.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Http2 {
    /// Connections that spoke it,
    pub connections: u64,
    /// and those for which the server chose HTTP/1.1.
    pub http1_connections: u64,
    /// Streams and connections that were given up, the most frequent first.
    pub given_up: Vec<GivenUp>,
}

/// A frame by which streams, or connections, were given up, and how often.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GivenUp {
    /// `server` or `engine`.
    pub by: String,
    /// `RST_STREAM` or `GOAWAY`.
    pub frame: String,
    /// `REFUSED_STREAM`, say.
    pub code: String,
    /// How often.
    pub count: u64,
}

/// What was agreed on in TLS handshakes, and in how many.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Negotiated {
    /// `TLS 1.3`.
    pub protocol: String,
    /// `TLS_AES_128_GCM_SHA256`.
    pub cipher: String,
    /// Group of the key exchange, such as `X25519`; none where a resumed session had no exchange.
    pub group: Option<String>,
    /// Handshakes that began from nothing.
    pub full: u64,
    /// Handshakes that resumed an earlier session.
    pub resumed: u64,
}

/// The first of its kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// Name of the operation.
    pub operation: String,
    /// A cause of failure ([`CAUSES`]) or a counter ([`COUNTERS`]).
    pub of: String,
    /// Seconds since the run began.
    pub at_s: f64,
    /// `GET /cart: status 500, expected 200`, or the address as the page has it.
    pub said: String,
}
