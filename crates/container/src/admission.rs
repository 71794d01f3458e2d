//! Admission control: who may begin a session while there is more demand than capacity.
//!
//! A *newcomer* is a connection of which no request has been served. A policy is a value that says when
//! newcomers may begin, and where they wait until then; it never holds up a connection that has begun.

use std::time::Duration;

use crate::config::{Admission, Config};

/// How often a policy learns how the service has done.
pub(crate) const WINDOW_MS: u64 = 100;
/// How long requests of sessions that have begun may wait for a worker before newcomers wait instead: what
/// people do not notice.
const TARGET: Duration = Duration::from_millis(50);

/// What was done since the policy last learned.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Window {
    /// Its length.
    pub span: Duration,
    /// Requests served in it.
    pub requests: u64,
    /// How long they waited for a worker, together.
    pub waited: Duration,
    /// How long they were served, together.
    pub served: Duration,
    /// Connections that have begun, at its end.
    pub begun: usize,
}

/// When newcomers may begin.
pub(crate) trait Policy: Send {
    /// Requests that may wait for a worker before newcomers wait.
    fn queue(&self) -> usize;

    /// Connections that may have begun before newcomers wait.
    fn connections(&self) -> usize {
        usize::MAX
    }

    /// Whether newcomers wait inside, accepted and their first request read, and the latest begins first;
    /// else they wait in the kernel's backlog.
    fn receives(&self) -> bool {
        false
    }

    /// Learns how the service has done.
    fn learn(&mut self, _window: &Window) {}
}

/// The policy of a configuration, for a connector that has `workers` for its requests.
pub(crate) fn policy(config: &Config, workers: usize) -> Box<dyn Policy> {
    match config.policy() {
        Admission::None => Box::new(Everyone),
        Admission::Busy => Box::new(WhileIdle),
        Admission::Queue => Box::new(WhileShort { bound: config.queue_bound() }),
        Admission::Adaptive => Box::new(Adaptive::new(workers)),
        Admission::Session => Box::new(BegunFirst { workers, rate: 0.0 }),
    }
}

/// No admission control.
struct Everyone;

impl Policy for Everyone {
    fn queue(&self) -> usize {
        usize::MAX
    }
}

/// Newcomers wait while every worker is busy: the rule of the hybrid architecture's paper.
struct WhileIdle;

impl Policy for WhileIdle {
    fn queue(&self) -> usize {
        0
    }
}

/// Newcomers wait while the queue is at its bound.
struct WhileShort {
    bound: usize,
}

impl Policy for WhileShort {
    fn queue(&self) -> usize {
        self.bound
    }
}

/// Newcomers wait while more connections have begun than the service has been seen to carry. Additive
/// increase, multiplicative decrease: as long as the limit is used up and requests are served about as fast
/// as they ever were, it grows by a 32nd and one; once waiting takes longer than being served, it falls to
/// 7/8 of those that have begun.
struct Adaptive {
    limit: usize,
}

impl Adaptive {
    fn new(workers: usize) -> Self {
        Self { limit: 4 * workers }
    }
}

impl Policy for Adaptive {
    fn queue(&self) -> usize {
        usize::MAX
    }

    fn connections(&self) -> usize {
        self.limit
    }

    fn learn(&mut self, window: &Window) {
        if window.waited > window.served {
            // Those inside stay: the limit follows them down, not ahead of them.
            self.limit = self.limit.min(window.begun - window.begun / 8).max(1);
        } else if window.begun >= self.limit {
            self.limit += 1 + self.limit / 32;
        }
    }
}

/// A request of a session that has begun comes before one that would begin another. Newcomers begin only
/// while the requests of the others wait no longer than [`TARGET`]: that keeps every worker at work and
/// leaves no session half done. The bound is that time at the measured rate of service, and at least a
/// request in reserve for each worker.
struct BegunFirst {
    workers: usize,
    /// Requests served a second.
    rate: f64,
}

impl Policy for BegunFirst {
    fn queue(&self) -> usize {
        self.workers.max((self.rate * TARGET.as_secs_f64()) as usize)
    }

    fn receives(&self) -> bool {
        true
    }

    fn learn(&mut self, window: &Window) {
        let now = window.requests as f64 / window.span.as_secs_f64();
        self.rate = (self.rate + now) / 2.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn the_adaptive_limit_grows_while_it_is_used_and_follows_the_begun_down() {
        let mut policy = Adaptive::new(4);
        let calm = Window { span: 100 * MS, requests: 20, waited: MS, served: 400 * MS, begun: 16 };
        policy.learn(&Window { begun: 15, ..calm });
        assert_eq!(policy.connections(), 16, "nobody was kept out by it");
        policy.learn(&calm);
        assert_eq!(policy.connections(), 17);
        policy.limit = 160;
        policy.learn(&Window { begun: 160, ..calm });
        assert_eq!(policy.connections(), 166);
        let pressed = Window { waited: 401 * MS, begun: 160, ..calm };
        for _ in 0..100 {
            policy.learn(&pressed);
        }
        assert_eq!(policy.connections(), 140, "it does not sink while nobody has left");
        policy.learn(&Window { begun: 0, ..pressed });
        assert_eq!(policy.connections(), 1);
    }

    #[test]
    fn those_who_have_begun_may_wait_as_long_as_nobody_notices() {
        let mut policy = BegunFirst { workers: 4, rate: 0.0 };
        assert_eq!(policy.queue(), 4);
        for _ in 0..20 {
            policy.learn(&Window { span: 100 * MS, requests: 2000, ..Window::default() });
        }
        assert_eq!(policy.queue(), 999, "50 ms at 20,000 requests/s");
        for _ in 0..20 {
            policy.learn(&Window { span: 100 * MS, requests: 1, ..Window::default() });
        }
        assert_eq!(policy.queue(), 4);
    }
}
