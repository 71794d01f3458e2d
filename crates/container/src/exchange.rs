//! Requests answered: run the application, send what it says. Shared by every connector.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use loadstone_http::{
    Composer, Handler, Limits, Need, Request, Response, Service, answer_absence, answer_failure,
};

use crate::connection::{Connection, Flushed, now_s};
use crate::counters::Tally;
use crate::finishing::Finisher;
use crate::outgoing::JOINED_BODY;

/// Pipelined requests of one connection answered in a row before others get their turn.
const TURN: usize = 16;
/// Pieces of content made in a row before others get their turn.
const PIECES: usize = 64;

/// What a thread needs to answer requests.
pub(crate) struct Exchange {
    service: Arc<dyn Service>,
    handler: Option<Box<dyn Handler>>,
    finisher: Finisher,
    composer: Composer,
}

impl Exchange {
    /// Without a handler, one is made with the first request. `compress`: see [`crate::Config::compress`].
    pub fn new(service: Arc<dyn Service>, handler: Option<Box<dyn Handler>>, compress: Option<u32>) -> Self {
        Self { service, handler, finisher: Finisher::new(compress), composer: Composer::new(JOINED_BODY) }
    }

    /// Continues the current answer on `connection`, and answers the requests that have arrived, for one turn
    /// at most, until the socket takes no more. It blocks only in the application. Connections close after
    /// their response if the server is `draining` by then.
    pub fn serve(
        &mut self,
        connection: &mut Connection,
        limits: &Limits,
        draining: &AtomicBool,
        tally: &Tally,
    ) {
        let (mut answers, mut pieces) = (TURN, PIECES);
        tally.busy.set(1);
        loop {
            match connection.talk.need() {
                Need::Answer if answers > 0 => {
                    answers -= 1;
                    self.answer(connection, draining, tally);
                }
                Need::Content if pieces > 0 => {
                    pieces -= 1;
                    let made = contained(|| connection.talk.refill());
                    tally.worker_panics.add(u64::from(made.is_none()));
                    connection.broken = !matches!(made, Some(Ok(())));
                }
                Need::Room => match connection.flush(&mut self.composer, limits, tally) {
                    Ok(Flushed::Out) => {}
                    Ok(Flushed::Turn | Flushed::Full(_)) => break,
                    Err(_) => connection.broken = true,
                },
                _ => break,
            }
            if connection.broken {
                break;
            }
        }
        tally.busy.set(0);
    }

    /// Puts the answer together to the request that has arrived on `connection`.
    fn answer(&mut self, connection: &mut Connection, draining: &AtomicBool, tally: &Tally) {
        let Self { service, handler, finisher, composer } = self;
        tally.requests.add(1);
        composer.set_time(now_s());
        let more = connection.may_hold_more();
        connection.talk.answer(
            composer,
            more,
            |request, response| run(&**service, handler, request, response, tally),
            |request, response| {
                finisher.finish(request, response);
                if draining.load(Ordering::SeqCst) {
                    response.close();
                }
            },
        );
        connection.begin_answer(composer, tally);
    }
}

/// Has the application answer, by a handler that is made if there is none.
fn run(
    service: &dyn Service,
    handler: &mut Option<Box<dyn Handler>>,
    request: &Request<'_>,
    response: &mut Response,
    tally: &Tally,
) {
    if handler.is_none() {
        // An application that panics when it starts counts as one that refuses to start.
        *handler = contained(|| service.handler()).and_then(Result::ok);
    }
    let Some(present) = handler else { return answer_absence(response) };
    if contained(|| present.handle(request, response)).is_none() {
        // What the panic left behind in the handler is unknown: the next request gets another.
        let broken = handler.take();
        contained(|| drop(broken));
        tally.worker_panics.add(1);
        answer_failure(response);
    }
}

/// Runs code of the application; nothing when it panics, so that a panic costs a request and not a worker.
fn contained<T>(code: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(code)).ok()
}
