//! The workers: started, counted, and with `auto` as many as can help.

use std::io;
use std::sync::Arc;
use std::thread::{self, Builder, JoinHandle};
use std::time::{Duration, Instant};

use loadstone_http::Handler;

use super::sizer::{Observation, Sizer};
use super::{Shared, worker};
use crate::counters::{Tally, Work};

/// How often the number of workers is looked at.
const WINDOW: Duration = Duration::from_millis(250);

/// Threads by the index of their tally; none where a worker has ended or was never started.
#[derive(Default)]
pub(super) struct Pool {
    workers: Vec<Option<JoinHandle<()>>>,
}

impl Pool {
    /// Starts a worker; without a handler it makes its own.
    ///
    /// # Errors
    /// The system gave no thread.
    pub fn start(&mut self, shared: &Arc<Shared>, handler: Option<Box<dyn Handler>>) -> io::Result<()> {
        let free = self.workers.iter().position(Option::is_none);
        let index = free.unwrap_or(self.workers.len());
        let own = shared.clone();
        let work = move || worker::run(&own, handler, index);
        let thread = Builder::new().name(format!("worker-{index}")).spawn(work)?;
        if index == self.workers.len() {
            self.workers.push(None);
        }
        self.workers[index] = Some(thread);
        Ok(())
    }

    /// Workers that have not ended.
    pub fn len(&self) -> usize {
        self.workers.iter().flatten().filter(|thread| !thread.is_finished()).count()
    }

    /// Forgets those that have ended, so that their tallies serve others.
    fn sweep(&mut self) {
        for place in &mut self.workers {
            if place.as_ref().is_some_and(JoinHandle::is_finished) {
                *place = None;
            }
        }
    }

    /// Waits for the end of every worker that is not stuck.
    pub fn join(&mut self, shared: &Shared) {
        let patience = shared.control.config.timeouts.stuck;
        for (place, tally) in self.workers.iter_mut().zip(&shared.tallies) {
            if let Some(thread) = place.take().filter(|_| !tally.is_stuck(patience)) {
                // A thread that panicked has said so on stderr; there is nothing left to save.
                let _ = thread.join();
            }
        }
    }
}

/// Starts and ends workers as [`Sizer`] says, until the server ends.
pub(super) fn adapt(shared: &Arc<Shared>, mut sizer: Sizer) {
    let mut before = (Work::default(), Duration::ZERO, Instant::now());
    while !shared.control.lifetime.is_stopping() {
        thread::park_timeout(WINDOW);
        let now = Instant::now();
        if now - before.2 < WINDOW {
            continue;
        }
        let work = Tally::work(&shared.tallies);
        let cpu = Duration::from_nanos(shared.tallies.iter().map(|tally| tally.cpu_ns.get()).sum());
        let wanted = sizer.next(&Observation {
            span: now - before.2,
            requests: work.requests - before.0.requests,
            waited: work.waited.saturating_sub(before.0.waited),
            busy: work.served.saturating_sub(before.0.served),
            cpu: cpu.saturating_sub(before.1),
            queued: shared.queue.len(),
            stuck: shared.stuck(),
        });
        before = (work, cpu, now);
        let mut pool = shared.pool();
        pool.sweep();
        let there = pool.len();
        // The system has no thread for us: there may be one in the next window.
        let more = wanted.min(shared.tallies.len()).saturating_sub(there);
        let _ = (0..more).try_for_each(|_| pool.start(shared, None));
        shared.queue.dismiss(there.saturating_sub(wanted));
    }
}

impl Shared {
    /// Workers that have worked on one request for too long.
    pub(super) fn stuck(&self) -> usize {
        let patience = self.control.config.timeouts.stuck;
        self.tallies.iter().filter(|tally| tally.is_stuck(patience)).count()
    }
}
