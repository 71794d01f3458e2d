//! How many workers: a pure function of what was measured, window by window.
//!
//! A worker that waits for something else leaves its processor to another worker; one that computes does not.
//! So the pool grows while requests wait for workers, workers are busy, and processors are not. Throughput
//! shows whether that helped. If the bottleneck is behind the workers, such as the few threads of a database,
//! more workers only wait there, and the pool goes back. It shrinks while most workers are idle.

use std::time::Duration;

/// Workers are busy beyond this share of their time, or idle below the other.
const BUSY: f64 = 0.8;
const IDLE: f64 = 0.4;
/// Windows in a row that are idle before a worker ends.
const CALM: u32 = 10;
/// The longest pause between two trials, in windows.
const MOST_PATIENCE: u32 = 64;

/// What was measured in a window.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Observation {
    pub span: Duration,
    /// Requests served.
    pub requests: u64,
    /// How long they waited for a worker, together.
    pub waited: Duration,
    /// How long workers were busy, together.
    pub busy: Duration,
    /// Processor time that they used, together.
    pub cpu: Duration,
    /// Requests that wait now.
    pub queued: usize,
    /// Workers that have worked on one request for so long that they count as stuck.
    pub stuck: usize,
}

/// A larger pool on trial.
#[derive(Debug, Clone, Copy)]
struct Trial {
    before: usize,
    /// Requests served a second before.
    rate: f64,
    /// Whether its first window, in which the new workers started, is over.
    begun: bool,
}

/// The size of a pool.
#[derive(Debug)]
pub(super) struct Sizer {
    least: usize,
    most: usize,
    cores: usize,
    size: usize,
    trial: Option<Trial>,
    /// Windows until the next trial, and after the next that fails.
    pause: u32,
    patience: u32,
    /// Idle windows in a row.
    calm: u32,
}

impl Sizer {
    pub fn new(least: usize, most: usize, cores: usize) -> Self {
        Self { least, most, cores, size: least, trial: None, pause: 0, patience: 1, calm: 0 }
    }

    /// The number of workers there should be from now on; each stuck one is replaced by another.
    pub fn next(&mut self, seen: &Observation) -> usize {
        let span = seen.span.as_secs_f64();
        let rate = seen.requests as f64 / span;
        let used = seen.busy.as_secs_f64() / (span * self.size as f64);
        match self.trial {
            Some(trial) if !trial.begun => self.trial = Some(Trial { begun: true, ..trial }),
            Some(trial) => self.judge(trial, rate),
            None if self.pause > 0 => self.pause -= 1,
            None if self.is_short(seen, used) => {
                let before = self.size;
                self.size = (before + (before / 2).max(1)).min(self.most);
                self.trial = Some(Trial { before, rate, begun: false });
            }
            None => {}
        }
        self.calm = if used < IDLE && self.trial.is_none() { self.calm + 1 } else { 0 };
        if self.calm >= CALM {
            self.calm = 0;
            self.size = (self.size - self.size / 8 - 1).max(self.least);
        }
        self.size + seen.stuck
    }

    /// Whether more workers might serve more.
    fn is_short(&self, seen: &Observation, used: f64) -> bool {
        let waits = seen.queued > 0 && seen.waited * 4 >= seen.busy;
        let computes = seen.cpu.as_secs_f64() > 0.9 * self.cores as f64 * seen.span.as_secs_f64();
        self.size < self.most && waits && used > BUSY && !computes
    }

    /// Keeps a larger pool if its throughput grew by at least half of the share by which its size did.
    fn judge(&mut self, trial: Trial, rate: f64) {
        let grown = self.size as f64 / trial.before as f64 - 1.0;
        self.trial = None;
        if rate >= trial.rate * (1.0 + grown / 2.0) {
            self.patience = 1;
        } else {
            self.size = trial.before;
            self.pause = self.patience;
            self.patience = (2 * self.patience).min(MOST_PATIENCE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second of a service whose requests block for 20 ms and compute for `cpu_ms`, at `offered` requests a
    /// second, where something behind the workers serves no more than `slots` at once.
    fn second(size: usize, offered: f64, slots: usize, cpu_ms: f64) -> Observation {
        let each_s = 0.02 + cpu_ms / 1000.0;
        let useful = size.min(slots) as f64 / each_s;
        let served = offered.min(useful).min(2000.0 / cpu_ms.max(0.001));
        let pressed = served < offered;
        Observation {
            span: Duration::from_secs(1),
            requests: served as u64,
            waited: if pressed { Duration::from_secs(100) } else { Duration::ZERO },
            busy: Duration::from_secs_f64(if pressed { size as f64 } else { served * each_s }),
            cpu: Duration::from_secs_f64(served * cpu_ms / 1000.0),
            queued: if pressed { 50 } else { 0 },
            stuck: 0,
        }
    }

    fn settle(sizer: &mut Sizer, seconds: usize, offered: f64, slots: usize, cpu_ms: f64) -> usize {
        (0..seconds).fold(sizer.size, |size, _| sizer.next(&second(size, offered, slots, cpu_ms)))
    }

    #[test]
    fn it_grows_as_far_as_blocking_requests_need() {
        let mut sizer = Sizer::new(4, 128, 2);
        let size = settle(&mut sizer, 60, 1000.0, usize::MAX, 0.01);
        assert!((21..=40).contains(&size), "1000 requests/s of 20 ms need 20 workers: {size}");
    }

    #[test]
    fn it_does_not_grow_for_a_bottleneck_behind_it() {
        let mut sizer = Sizer::new(4, 128, 2);
        let mut largest = 0;
        let mut total = 0;
        for _ in 0..1000 {
            let size = sizer.next(&second(sizer.size, 1000.0, 4, 0.01));
            largest = largest.max(size);
            total += size;
        }
        assert_eq!(largest, 6, "trials are small");
        assert!(total < 4100, "and rare: {total} worker-seconds in 1000 s of 4 workers");
    }

    #[test]
    fn it_does_not_grow_for_what_only_computes() {
        let mut sizer = Sizer::new(4, 128, 2);
        let busy = Observation { cpu: Duration::from_millis(1950), ..second(4, 1000.0, usize::MAX, 10.0) };
        assert!((0..100).all(|_| sizer.next(&busy) == 4));
    }

    #[test]
    fn it_shrinks_when_it_is_idle_and_keeps_between_its_bounds() {
        let mut sizer = Sizer::new(4, 32, 2);
        assert_eq!(settle(&mut sizer, 100, 1e6, usize::MAX, 0.001), 32);
        assert_eq!(settle(&mut sizer, 9, 10.0, usize::MAX, 0.001), 32, "not at once");
        assert_eq!(settle(&mut sizer, 300, 10.0, usize::MAX, 0.001), 4);
    }

    #[test]
    fn a_stuck_worker_is_replaced() {
        let mut sizer = Sizer::new(4, 32, 2);
        let calm = Observation { stuck: 3, ..second(4, 10.0, usize::MAX, 0.001) };
        assert_eq!(sizer.next(&calm), 7);
        assert_eq!(sizer.next(&Observation { stuck: 0, ..calm }), 4);
    }
}
