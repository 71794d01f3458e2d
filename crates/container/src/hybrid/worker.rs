//! A worker: answers one complete request at a time.

use std::time::Instant;

use loadstone_http::Handler;

use super::Shared;
use crate::connection::{Connection, Ending, Phase};
use crate::exchange::Exchange;

/// Answers requests from the queue until it is closed; `index` is that of the worker's tally.
pub(super) fn run(shared: &Shared, handler: Box<dyn Handler>, index: usize) {
    let mut exchange = Exchange::new(shared.service.clone(), Some(handler), shared.control.config.compress);
    let tally = &shared.tallies[index];
    let (limits, draining) = (&shared.control.config.limits, &shared.control.lifetime.draining);
    while let Some((mut connection, queued)) = shared.queue.pop(|| shared.control.waker.wake()) {
        let taken = Instant::now();
        tally.queue_wait_ns.add_time(taken - queued);
        exchange.serve(&mut connection, limits, draining, tally);
        tally.busy_ns.add_time(taken.elapsed());
        let attention = needs_attention(&connection);
        shared.hand_back(connection, attention);
    }
}

/// Whether the event loop has to look at a connection at once, and not with its next edge.
fn needs_attention(connection: &Connection) -> bool {
    if let Some(outgoing) = &connection.outgoing {
        // The event loop hears of room in the socket by an edge.
        return outgoing.more || connection.ending == Ending::Broken;
    }
    let waits = match connection.phase {
        Phase::Head => true,
        // The event loop has to say `100 Continue`.
        Phase::Body { head, .. } => !head.expects_continue,
        Phase::Ready { .. } | Phase::Bad(_) => false,
    };
    connection.ending != Ending::Open || !waits || connection.readable || connection.ended
}
