//! Counters: each thread counts for itself, a snapshot adds up.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::waiting::Waiting;

/// What a server has done since it started, and its state now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Connections accepted.
    pub accepted: u64,
    /// Times that accepting stopped because the queue was full or there were too many connections.
    pub pauses: u64,
    /// Newcomers answered 503 because others had to come first.
    pub refused: u64,
    /// Newcomers that closed while they waited for their turn.
    pub abandoned: u64,
    /// Complete requests given to a worker.
    pub requests: u64,
    /// Responses by class: `[1xx, 2xx, 3xx, 4xx, 5xx]`, with those to bad requests.
    pub responses: [u64; 5],
    /// Requests refused by the server itself: malformed, over a limit.
    pub bad_requests: u64,
    /// Connections closed because the client was slow: in a head, a body or at reading a response.
    pub closed_by_timeout: u64,
    /// Of these, clients slow in a head, in a body, at reading.
    pub slow: [u64; 3],
    /// Connections closed after no request had come for long.
    pub closed_idle: u64,
    /// Of these, closed before their time because others waited for the thread or the place.
    pub evicted: u64,
    /// Connections that ended before their TLS handshake was done, whichever side ended them.
    pub failed_handshakes: u64,
    /// Requests that ended in a panic of the application.
    pub worker_panics: u64,
    /// Bytes received.
    pub bytes_in: u64,
    /// Bytes sent.
    pub bytes_out: u64,
    /// Open connections now.
    pub open_connections: u64,
    /// Requests waiting for a worker now.
    pub queue_depth: u64,
    /// Workers running application code now.
    pub workers_busy: u64,
    /// Workers now.
    pub workers: u64,
    /// Workers that have been at one request for longer than `Timeouts::stuck`.
    pub workers_stuck: u64,
    /// Newcomers that wait inside for their turn now.
    pub newcomers: u64,
    /// Connections that may have begun at the same time now; 0: no such limit.
    pub admitted_limit: u64,
    /// Sum of the microseconds that requests waited in the queue, counted when they leave it.
    pub queue_wait_us: u64,
    /// Sum of the microseconds that workers were busy.
    pub worker_busy_us: u64,
}

impl Counters {
    /// Every number with its name, and whether it only ever grows.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, bool, u64)> {
        let [informed, ok, moved, wrong, failed] = self.responses;
        let grow = [
            ("accepted", self.accepted),
            ("pauses", self.pauses),
            ("refused", self.refused),
            ("abandoned", self.abandoned),
            ("requests", self.requests),
            ("responses_1xx", informed),
            ("responses_2xx", ok),
            ("responses_3xx", moved),
            ("responses_4xx", wrong),
            ("responses_5xx", failed),
            ("bad_requests", self.bad_requests),
            ("closed_by_timeout", self.closed_by_timeout),
            ("slow_heads", self.slow[0]),
            ("slow_bodies", self.slow[1]),
            ("slow_reads", self.slow[2]),
            ("closed_idle", self.closed_idle),
            ("evicted", self.evicted),
            ("failed_handshakes", self.failed_handshakes),
            ("worker_panics", self.worker_panics),
            ("bytes_in", self.bytes_in),
            ("bytes_out", self.bytes_out),
            ("queue_wait_us", self.queue_wait_us),
            ("worker_busy_us", self.worker_busy_us),
        ];
        let now = [
            ("open_connections", self.open_connections),
            ("queue_depth", self.queue_depth),
            ("newcomers", self.newcomers),
            ("admitted_limit", self.admitted_limit),
            ("workers", self.workers),
            ("workers_busy", self.workers_busy),
            ("workers_stuck", self.workers_stuck),
        ];
        let named = |grows| move |(name, value)| (name, grows, value);
        grow.into_iter().map(named(true)).chain(now.into_iter().map(named(false)))
    }
}

/// One number that a single thread writes and any thread reads, so that no two threads contend
/// for it and an addition is a plain load and store.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    pub fn add(&self, amount: u64) {
        self.set(self.get() + amount);
    }

    pub fn add_time(&self, time: Duration) {
        self.add(time.as_nanos() as u64);
    }

    pub fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Requests served, how long they waited and how long they took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Work {
    pub requests: u64,
    pub waited: Duration,
    pub served: Duration,
}

/// The counters of one thread, on cache lines of their own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Tally {
    pub accepted: Count,
    pub pauses: Count,
    pub refused: Count,
    pub abandoned: Count,
    pub newcomers: Count,
    pub admitted_limit: Count,
    pub queue_wait_ns: Count,
    pub busy_ns: Count,
    pub requests: Count,
    pub responses: [Count; 5],
    pub bad_requests: Count,
    /// As in [`Counters::slow`].
    pub slow: [Count; 3],
    pub closed_idle: Count,
    pub evicted: Count,
    pub failed_handshakes: Count,
    pub worker_panics: Count,
    pub bytes_in: Count,
    pub bytes_out: Count,
    pub open_connections: Count,
    /// Processor time of a worker, where that is asked for.
    pub cpu_ns: Count,
    /// 1 while the thread runs application code.
    pub busy: Count,
    /// When the thread began what it is at, in milliseconds since [`EPOCH`], and 1; 0 between requests.
    began_ms: Count,
}

/// Some instant before every other.
static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);

fn since_epoch_ms(at: Instant) -> u64 {
    at.saturating_duration_since(*EPOCH).as_millis() as u64 + 1
}

impl Tally {
    /// The thread begins something that may take long.
    pub fn begin(&self, at: Instant) {
        self.began_ms.set(since_epoch_ms(at));
    }

    /// The thread has done what it began at `began`. Returns when.
    pub fn end(&self, began: Instant) -> Instant {
        let now = Instant::now();
        self.busy_ns.add_time(now - began);
        self.began_ms.set(0);
        now
    }

    /// Whether it has worked on the same thing for longer than `patience`.
    pub fn is_stuck(&self, patience: Duration) -> bool {
        let began = self.began_ms.get();
        began > 0 && since_epoch_ms(Instant::now()).saturating_sub(began) > patience.as_millis() as u64
    }

    /// Counts a client that was too slow.
    pub fn timed_out(&self, waiting: Waiting) {
        let kind = match waiting {
            Waiting::Body => 1,
            Waiting::Write => 2,
            Waiting::Head | Waiting::Idle | Waiting::Turn | Waiting::Linger => 0,
        };
        self.slow[kind].add(1);
    }

    /// Counts a response.
    pub fn response(&self, status: u16) {
        let class = usize::from(status / 100).clamp(1, 5) - 1;
        self.responses[class].add(1);
    }

    /// What these threads have done.
    pub fn work<'t>(tallies: impl IntoIterator<Item = &'t Self>) -> Work {
        tallies.into_iter().fold(Work::default(), |sum, tally| Work {
            requests: sum.requests + tally.requests.get(),
            waited: sum.waited + Duration::from_nanos(tally.queue_wait_ns.get()),
            served: sum.served + Duration::from_nanos(tally.busy_ns.get()),
        })
    }

    /// Adds these counts to a snapshot.
    pub fn add_to(&self, total: &mut Counters) {
        total.accepted += self.accepted.get();
        total.pauses += self.pauses.get();
        total.refused += self.refused.get();
        total.abandoned += self.abandoned.get();
        total.newcomers += self.newcomers.get();
        total.admitted_limit += self.admitted_limit.get();
        total.queue_wait_us += self.queue_wait_ns.get() / 1000;
        total.worker_busy_us += self.busy_ns.get() / 1000;
        total.requests += self.requests.get();
        for (sum, count) in total.responses.iter_mut().zip(&self.responses) {
            *sum += count.get();
        }
        total.bad_requests += self.bad_requests.get();
        for (sum, count) in total.slow.iter_mut().zip(&self.slow) {
            *sum += count.get();
            total.closed_by_timeout += count.get();
        }
        total.evicted += self.evicted.get();
        total.closed_idle += self.closed_idle.get();
        total.failed_handshakes += self.failed_handshakes.get();
        total.worker_panics += self.worker_panics.get();
        total.bytes_in += self.bytes_in.get();
        total.bytes_out += self.bytes_out.get();
        total.open_connections += self.open_connections.get();
        total.workers_busy += self.busy.get();
    }
}
