//! A worker: answers one complete request at a time.

use std::time::{Duration, Instant};

use loadstone_http::{Handler, Need};
use rustix::time::{ClockId, clock_gettime};

use super::Shared;
use crate::connection::Connection;
use crate::crew::Shift;
use crate::event_loop::Control;
use crate::exchange::Exchange;

/// Between two looks at the processor time that a worker has used, which cost a system call.
const CPU_EVERY: Duration = Duration::from_millis(20);

/// Answers requests from the queue until it is closed or the worker is dismissed; `index` is that of the
/// worker's tally.
pub(super) fn run(shared: &Shared, handler: Option<Box<dyn Handler>>, index: usize) {
    let mut exchange = Exchange::new(shared.service.clone(), handler, shared.control.config.compress);
    let tally = &shared.tallies[index];
    let Control { config, lifetime, waker, .. } = &*shared.control;
    let mut cpu = config.auto.then(|| (Instant::now(), thread_cpu()));
    let mut shift = Shift::default();
    while let Some((mut connection, queued)) = shared.queue.pop(&mut shift, || waker.wake(), || shared.stir())
    {
        let taken = Instant::now();
        tally.queue_wait_ns.add_time(taken - queued);
        tally.begin(taken);
        exchange.serve(&mut connection, &config.limits, &lifetime.draining, tally);
        let done = tally.end(taken);
        shift.took = done - taken;
        if let Some((since, used)) = &mut cpu
            && done - *since >= CPU_EVERY
        {
            let now = thread_cpu();
            tally.cpu_ns.add_time(now - *used);
            (*since, *used) = (done, now);
        }
        connection.say_continue(tally);
        let attention = needs_attention(&connection);
        shared.hand_back(connection, attention);
    }
}

/// Processor time that this thread has used.
fn thread_cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Whether the event loop has to look at a connection at once, and not with its next edge.
fn needs_attention(connection: &Connection) -> bool {
    connection.broken
        || match connection.talk.need() {
            Need::Room => connection.more,
            Need::Bytes(_) => connection.readable,
            Need::Answer | Need::Content | Need::Refusal(_) | Need::Close | Need::Linger => true,
        }
}
