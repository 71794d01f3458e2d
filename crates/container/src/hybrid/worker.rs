//! A worker: answers one complete request at a time.

use loadstone_http::Handler;

use super::Shared;
use crate::connection::{Connection, Ending, Phase};
use crate::counters::Tally;
use crate::exchange::Exchange;

/// Pipelined requests of one connection answered in a row before others get their turn.
const TURN: usize = 16;

/// Answers requests from the queue until it is closed; `index` is that of the worker's tally.
pub(super) fn run(shared: &Shared, handler: Box<dyn Handler>, index: usize) {
    let tally = &shared.tallies[index];
    let mut exchange = Exchange::new(&*shared.service, handler, tally);
    while let Some((mut connection, made_room)) = shared.queue.pop() {
        if made_room {
            shared.waker.wake();
        }
        let attention = serve(shared, &mut exchange, &mut connection, tally);
        shared.hand_back(connection, attention);
    }
}

/// Answers the request, and those pipelined behind it; whether the event loop has to look at the
/// connection at once.
fn serve(shared: &Shared, exchange: &mut Exchange<'_>, connection: &mut Connection, tally: &Tally) -> bool {
    for _ in 0..TURN {
        tally.busy.set(1);
        let result = exchange.answer(connection, &shared.draining);
        tally.busy.set(0);
        if result.is_err() {
            connection.ending = Ending::Broken;
            return true;
        }
        if connection.outgoing.is_some() {
            // The event loop hears of room in the socket by an edge.
            return false;
        }
        if connection.ending != Ending::Open {
            return true;
        }
        connection.next_request(&shared.config.limits);
        if !connection.is_ready() {
            break;
        }
    }
    let waits = match connection.phase {
        Phase::Head => true,
        // The event loop has to say `100 Continue`.
        Phase::Body { head, .. } => !head.expects_continue,
        Phase::Ready { .. } | Phase::Bad(_) => false,
    };
    !waits || connection.readable || connection.ended
}
