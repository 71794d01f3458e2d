//! One client: what its conversation needs, from and to a socket. It never waits; what it waits for is told.

use loadstone_http::{Awaited, CONTINUE, Conversation, Need};
use smoltcp::socket::tcp::{Socket, State};

use super::desk::{Application, Desk};
use super::line::{Heard, Line};
use super::{LINGER_MS, PATIENCE, PIECE, Timeouts};

/// Pipelined requests of one connection answered, and pieces of content made, in a row before others get
/// their turn.
const TURN: usize = 16;

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiting {
    /// The rest of a request's head, or the first request.
    Head,
    /// The rest of a request's body.
    Body,
    /// Another request.
    Idle,
    /// The client to take more of a response.
    Write,
    /// The client to see the end of the last response.
    End,
    /// The client to close, too.
    Linger,
}

impl From<Awaited> for Waiting {
    fn from(awaited: Awaited) -> Self {
        match awaited {
            Awaited::Head => Self::Head,
            Awaited::Body => Self::Body,
            Awaited::Request => Self::Idle,
        }
    }
}

/// A client's connection.
#[derive(Debug)]
pub(super) struct Client {
    talk: Conversation,
    line: Line,
    /// Whether our side is closed.
    shut: bool,
    /// Bytes that the client has not acknowledged.
    undelivered: usize,
    /// What it waits for, and until when.
    pub waiting: Waiting,
    pub deadline_ms: u64,
}

/// Where a connection stands after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It waits.
    Waits,
    /// It has more to do than one turn.
    Again,
}

impl Client {
    /// One that has just connected.
    pub fn new(line: Line, now_ms: u64, timeouts: &Timeouts) -> Self {
        let deadline_ms = now_ms + timeouts.head_ms;
        let talk = Conversation::new();
        Self { talk, line, shut: false, undelivered: 0, waiting: Waiting::Head, deadline_ms }
    }

    /// Whether a part of a request has arrived, and the rest is waited for.
    pub fn is_at_request(&self) -> bool {
        match self.waiting {
            Waiting::Head => self.talk.has_input(),
            waiting => waiting == Waiting::Body,
        }
    }

    /// Goes on as far as it can without waiting.
    pub fn step(&mut self, socket: &mut Socket<'_>, desk: &mut Desk<'_>) -> Step {
        let step = self.advance(socket, desk);
        // A client that has all may be silent for as long as deadlines here allow.
        self.undelivered = socket.send_queue();
        socket.set_timeout((self.undelivered > 0).then_some(PATIENCE));
        step
    }

    fn advance(&mut self, socket: &mut Socket<'_>, desk: &mut Desk<'_>) -> Step {
        let (mut turns, mut progress) = (TURN, false);
        loop {
            match self.talk.need() {
                Need::Room => {
                    progress |= self.flush(socket, desk);
                    if self.talk.need() == Need::Room {
                        return self.wait(Waiting::Write, progress, desk);
                    }
                }
                Need::Content if turns == 0 => {
                    self.wait(Waiting::Write, progress, desk);
                    return Step::Again;
                }
                Need::Answer if turns == 0 => return Step::Again,
                // It has something of it already and waits for more until others are done.
                Need::Content if !desk.memory.affords(PIECE, 0) => {
                    return self.wait(Waiting::Write, progress, desk);
                }
                Need::Content => {
                    turns -= 1;
                    if self.talk.refill().is_err() {
                        return self.break_off(socket, desk);
                    }
                }
                Need::Answer => {
                    turns -= 1;
                    self.answer(desk);
                }
                Need::Refusal(status) => {
                    desk.counters.bad_requests += 1;
                    self.refuse(status, desk);
                }
                Need::Bytes(awaited) => match self.line.hear(socket, desk) {
                    Heard::Bytes => {
                        progress = true;
                        self.receive(awaited, socket, desk);
                    }
                    Heard::Nothing => return self.hear(awaited, progress, socket, desk),
                    Heard::End => self.talk.end(),
                    Heard::Broken => self.talk.leave(),
                },
                Need::Close | Need::Linger => return self.part(socket, desk),
            }
        }
    }

    /// Gives the line what it takes of an answer; whether it took any.
    fn flush(&mut self, socket: &mut Socket<'_>, desk: &mut Desk<'_>) -> bool {
        let Some(unsent) = self.talk.unsent() else { return false };
        let before = unsent.sent;
        let body = unsent.body.as_slice();
        let sent = self.line.say(socket, unsent.head, body, before, desk.application);
        desk.counters.bytes_out += (sent - before) as u64;
        self.talk.sent(sent, false, &mut desk.application.composer, desk.limits);
        sent > before
    }

    /// Takes what there is, or refuses where there is no memory for it.
    fn receive(&mut self, awaited: Awaited, socket: &mut Socket<'_>, desk: &mut Desk<'_>) {
        if awaited == Awaited::Body && !desk.memory.affords(self.talk.cost(), desk.reserve.lacks(desk.limits))
        {
            return self.refuse(503, desk);
        }
        desk.counters.bytes_in += self.line.take(socket, self.talk.room()) as u64;
        self.talk.received(desk.limits);
    }

    fn answer(&mut self, desk: &mut Desk<'_>) {
        desk.reserve.give();
        // What a request brings is stored, or copied.
        if desk.memory.affords(desk.answer_bytes() + self.talk.memory(), 0) {
            self.handle(desk);
        } else {
            self.refuse(503, desk);
        }
        desk.reserve.keep(desk.limits, desk.memory.free);
    }

    fn handle(&mut self, desk: &mut Desk<'_>) {
        let Application { handler, composer, .. } = &mut *desk.application;
        desk.counters.requests += 1;
        let draining = desk.draining;
        self.talk.answer(
            composer,
            false,
            |request, response| handler.handle(request, response),
            |_, response| {
                if draining {
                    response.close();
                }
            },
        );
        desk.counters.response(composer.status());
    }

    /// Answers `status` from the server itself; the connection closes behind it.
    pub fn refuse(&mut self, status: u16, desk: &mut Desk<'_>) {
        self.talk.refuse(status, &mut desk.application.composer);
        self.talk.shrink();
        desk.counters.response(status);
    }

    /// Ends a response that cannot be completed by a reset, which no client takes for the content's end.
    fn break_off(&mut self, socket: &mut Socket<'_>, desk: &Desk<'_>) -> Step {
        socket.abort();
        self.talk.leave();
        self.shut = true;
        self.wait(Waiting::Linger, false, desk)
    }

    /// Closes our side although the client may want more.
    pub fn leave(&mut self, socket: &mut Socket<'_>, now_ms: u64, timeouts: &Timeouts) {
        self.talk.leave();
        self.shut(socket);
        (self.waiting, self.deadline_ms) = (Waiting::End, now_ms + timeouts.write_ms);
    }

    /// Closes our side; what the client still sends is dropped until it closes, too. It has time as long as
    /// it takes something of what is left for it.
    fn part(&mut self, socket: &mut Socket<'_>, desk: &Desk<'_>) -> Step {
        self.shut(socket);
        let left = socket.send_queue();
        let waiting = match socket.state() {
            State::FinWait2 => Waiting::Linger,
            _ if left > 0 || !self.shut => Waiting::Write,
            _ => Waiting::End,
        };
        self.wait(waiting, left < self.undelivered, desk)
    }

    fn shut(&mut self, socket: &mut Socket<'_>) {
        if !self.shut && self.line.part(socket) {
            socket.close();
            self.shut = true;
        }
        while socket.can_recv() {
            // An error is an end that the next look at the socket's state sees.
            let _ = socket.recv(|bytes| (bytes.len(), ()));
        }
    }

    /// Waits for the client to go on.
    fn hear(
        &mut self,
        awaited: Awaited,
        progress: bool,
        socket: &mut Socket<'_>,
        desk: &mut Desk<'_>,
    ) -> Step {
        if self.talk.asks_to_continue() {
            // A client whose socket takes no 25 bytes sends its body without having been asked to.
            desk.counters.bytes_out += self.line.say(socket, CONTINUE, &[], 0, desk.application) as u64;
            desk.counters.response(100);
        }
        if awaited == Awaited::Request {
            self.talk.shrink();
        }
        // A head that comes in drops does not get more time with each.
        self.wait(awaited.into(), progress && awaited != Awaited::Head, desk)
    }

    /// Waits; patience begins anew with something else to wait for, and with progress.
    fn wait(&mut self, waiting: Waiting, progress: bool, desk: &Desk<'_>) -> Step {
        if waiting != self.waiting || progress {
            self.waiting = waiting;
            let times = desk.timeouts;
            self.deadline_ms = desk.now_ms
                + match waiting {
                    Waiting::Head => times.head_ms,
                    Waiting::Body => times.body_ms,
                    Waiting::Idle => times.idle_ms,
                    Waiting::Write | Waiting::End => times.write_ms,
                    Waiting::Linger => LINGER_MS,
                };
        }
        Step::Waits
    }
}
