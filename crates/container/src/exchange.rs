//! One request answered: run the application, write its response. Shared by every connector.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use loadstone_http::{
    Body, DATE_LEN, Flow, Handler, Limits, Parting, Response, ResponseContext, Service, Version,
    answer_absence, answer_failure, answer_for_server, format_date, parting, write_response_head,
};
use rustix::time::{ClockId, clock_gettime};

use crate::connection::{Connection, Ending};
use crate::counters::Tally;
use crate::finishing::Finisher;
use crate::outgoing::{Outgoing, send_response};

/// Pipelined requests of one connection answered in a row before others get their turn.
const TURN: usize = 16;
/// Pieces of content made in a row before others get their turn.
const PIECES: usize = 64;
/// A body up to this size is copied behind its head: one buffer is cheaper to send than two.
const COPIED_BODY: usize = 4096;

/// Turns responses into bytes on a socket; its buffers are used again for every response.
#[derive(Debug)]
pub(crate) struct Writer {
    head: Vec<u8>,
    date_s: u64,
    date: [u8; DATE_LEN],
}

impl Writer {
    pub fn new() -> Self {
        let date_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Self { head: Vec::new(), date_s, date: format_date(date_s) }
    }

    /// The `Date` header of this second; the coarse clock costs a few nanoseconds.
    fn tick(&mut self) {
        let now = clock_gettime(ClockId::RealtimeCoarse).tv_sec as u64;
        if now != self.date_s {
            (self.date_s, self.date) = (now, format_date(now));
        }
    }

    /// Sends `response`; what the socket does not take stays with the connection as its output.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn send(
        &mut self,
        connection: &mut Connection,
        response: &mut Response,
        version: Version,
        head_only: bool,
        tally: &Tally,
    ) -> io::Result<()> {
        self.tick();
        self.head.clear();
        let context = ResponseContext {
            date: &self.date,
            version,
            keep_alive: connection.ending == Ending::Open,
            head_only,
        };
        let mut body = &Body::Empty;
        let has_body = write_response_head(&mut self.head, response, &context);
        let mut record = connection.record(response.status, self.head.len());
        if let Body::Stream(_) = response.body
            && let Body::Stream(stream) = std::mem::take(&mut response.body)
            && has_body
        {
            tally.response(response.status);
            let head = std::mem::take(&mut self.head);
            connection.outgoing = Some(Outgoing::flowing(head, Flow::new(stream, version), record));
            return Ok(());
        }
        if has_body {
            let bytes = response.body.as_slice();
            if (1..=COPIED_BODY).contains(&bytes.len()) {
                self.head.extend_from_slice(bytes);
            } else {
                body = &response.body;
            }
        }
        tally.response(response.status);
        let total = self.head.len() + body.len();
        let (sent, more) = send_response(&mut connection.socket, &self.head, body, 0)?;
        tally.bytes_out.add(sent as u64);
        if let Some(record) = &mut record {
            record.sent = sent;
        }
        if sent < total || connection.socket.is_behind() {
            let rest = if body.is_empty() { Body::Empty } else { std::mem::take(&mut response.body) };
            connection.outgoing =
                Some(Outgoing::new(std::mem::take(&mut self.head), rest, sent, more, record));
        }
        Ok(())
    }
}

/// Runs code of the application; nothing when it panics, so that a panic costs a request and not a worker.
fn contained<T>(code: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(code)).ok()
}

/// Makes and sends content as long as the client takes it, up to a turn's worth.
///
/// # Errors
/// The connection is broken, or the content cannot be completed.
fn go_on(connection: &mut Connection, tally: &Tally) -> io::Result<()> {
    let Some(outgoing) = &mut connection.outgoing else { return Ok(()) };
    if !outgoing.is_unfinished() {
        return Ok(());
    }
    for _ in 0..PIECES {
        let (sent, done) = outgoing.flush(&mut connection.socket)?;
        tally.bytes_out.add(sent as u64);
        if done {
            connection.outgoing = None;
            return Ok(());
        }
        if !outgoing.is_hungry(&connection.socket) {
            return Ok(());
        }
        let made = contained(|| outgoing.refill());
        tally.worker_panics.add(u64::from(made.is_none()));
        made.unwrap_or_else(|| Err("the application panicked".into())).map_err(io::Error::other)?;
    }
    outgoing.more = true;
    Ok(())
}

/// What a thread needs to answer requests.
pub(crate) struct Exchange {
    service: Arc<dyn Service>,
    handler: Option<Box<dyn Handler>>,
    response: Response,
    finisher: Finisher,
    writer: Writer,
}

impl Exchange {
    /// Without a handler, one is made with the first request. `compress`: see [`crate::Config::compress`].
    pub fn new(service: Arc<dyn Service>, handler: Option<Box<dyn Handler>>, compress: Option<u32>) -> Self {
        let (finisher, writer) = (Finisher::new(compress), Writer::new());
        Self { service, handler, response: Response::new(), finisher, writer }
    }

    /// Goes on with the answer that is under way on `connection`, or answers the request that has arrived, and those pipelined behind it up to a turn's worth,
    /// until the socket takes no more; blocks in the application only. Connections close behind their response
    /// when the server is `draining` by then.
    pub fn serve(
        &mut self,
        connection: &mut Connection,
        limits: &Limits,
        draining: &AtomicBool,
        tally: &Tally,
    ) {
        for _ in 0..TURN {
            tally.busy.set(1);
            let result = match connection.outgoing {
                None => self.answer(connection, draining, tally),
                Some(_) => Ok(()),
            };
            let result = result.and_then(|()| go_on(connection, tally));
            tally.busy.set(0);
            if result.is_err() {
                connection.ending = Ending::Broken;
            }
            if connection.outgoing.is_some() || connection.ending != Ending::Open {
                return;
            }
            connection.next_request(limits);
            if !connection.intake.is_ready() {
                return;
            }
        }
    }

    /// Answers the request that has arrived on `connection`.
    ///
    /// # Errors
    /// The connection is broken.
    fn answer(
        &mut self,
        connection: &mut Connection,
        draining: &AtomicBool,
        tally: &Tally,
    ) -> io::Result<()> {
        let more = connection.has_more();
        let Some((head, request)) = connection.intake.request() else { return Ok(()) };
        self.response.clear();
        tally.requests.add(1);
        if self.handler.is_none() {
            // An application that panics when it starts is as good as one that says no.
            self.handler = contained(|| self.service.handler()).and_then(Result::ok);
        }
        match &mut self.handler {
            _ if answer_for_server(&request, &mut self.response) => {}
            Some(handler) => {
                let response = &mut self.response;
                if contained(|| handler.handle(&request, response)).is_none() {
                    // What the panic left behind in the handler is unknown: the next request gets another.
                    let broken = self.handler.take();
                    contained(|| drop(broken));
                    tally.worker_panics.add(1);
                    answer_failure(&mut self.response);
                }
            }
            None => answer_absence(&mut self.response),
        }
        self.finisher.finish(&request, &mut self.response);
        let draining = draining.load(Ordering::SeqCst);
        connection.ending = match parting(&head, &self.response, draining, more) {
            Parting::Stay => Ending::Open,
            Parting::Close => Ending::Close,
            Parting::Linger => Ending::Linger,
        };
        let head_only = head.method == loadstone_http::Method::Head;
        self.writer.send(connection, &mut self.response, head.version, head_only, tally)
    }
}

/// Answers `status` from the server itself; the connection closes behind it.
pub(crate) fn refuse(
    response: &mut Response,
    writer: &mut Writer,
    connection: &mut Connection,
    status: u16,
    tally: &Tally,
) {
    loadstone_http::refuse(status, response);
    connection.ending = Ending::Linger;
    if writer.send(connection, response, Version::Http11, false, tally).is_err() {
        connection.ending = Ending::Broken;
    }
    connection.intake.shrink();
}
