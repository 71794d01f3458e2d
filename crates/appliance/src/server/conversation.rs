//! One connection: received bytes become requests, responses become sent bytes. It never waits; what it waits for is told.

use alloc::string::String;
use alloc::vec::Vec;

use loadstone_http::{Body, CONTINUE, Flow, Intake, Parting, Phase, Version};
use smoltcp::socket::tcp::Socket;

use super::answer::Desk;
use super::{LINGER_MS, Timeouts};

/// Pipelined requests of one connection answered, and pieces of content made, in a row before others get their turn.
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
    /// Room in the socket for the rest of a response.
    Write,
    /// The client to see the end of the last response and close.
    Linger,
}

/// A response on its way out.
#[derive(Debug)]
struct Outgoing {
    head: Vec<u8>,
    body: Body,
    /// What follows, of content that is made while it is sent.
    flow: Option<Flow>,
    sent: usize,
}

impl Outgoing {
    /// A response of which nothing is with the socket.
    fn new(head: Vec<u8>, body: Body, version: Version) -> Self {
        let (body, flow) = match body {
            Body::Stream(stream) => (Body::Empty, Some(Flow::new(stream, version))),
            whole => (whole, None),
        };
        Self { head, body, flow, sent: 0 }
    }

    /// Gives the socket what it takes; whether everything is with it.
    fn flush(&mut self, socket: &mut Socket<'_>) -> bool {
        for (start, bytes) in [(0, self.head.as_slice()), (self.head.len(), self.body.as_slice())] {
            // A socket that can send no more is noticed by who looks after its state.
            let rest = bytes.get(self.sent - self.sent.min(start)..).unwrap_or_default();
            if self.sent >= start && !rest.is_empty() {
                self.sent += socket.send_slice(rest).unwrap_or(0);
            }
        }
        self.sent == self.head.len() + self.body.len()
    }

    /// Whether content has not ended.
    fn is_unfinished(&self) -> bool {
        self.flow.as_ref().is_some_and(|flow| !flow.is_over())
    }

    /// Puts the next piece of content in the place of what the socket has.
    ///
    /// # Errors
    /// The content cannot be completed.
    fn refill(&mut self) -> Result<(), String> {
        let Some(flow) = &mut self.flow else { return Ok(()) };
        self.sent = 0;
        flow.next(&mut self.head)
    }
}

/// A client's connection.
#[derive(Debug)]
pub(super) struct Conversation {
    intake: Intake,
    outgoing: Option<Outgoing>,
    /// What becomes of it behind its present response.
    parting: Parting,
    /// Whether our side is closed.
    shut: bool,
    /// What it waits for, and until when.
    pub waiting: Waiting,
    pub deadline_ms: u64,
}

/// Where a conversation stands after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It waits.
    Waits,
    /// It has more to do than one turn.
    Again,
}

impl Conversation {
    /// With a client that has just connected.
    pub fn new(now_ms: u64, timeouts: &Timeouts) -> Self {
        Self {
            intake: Intake::new(),
            outgoing: None,
            parting: Parting::Stay,
            shut: false,
            waiting: Waiting::Head,
            deadline_ms: now_ms + timeouts.head_ms,
        }
    }

    /// Whether bytes of a request have arrived.
    pub fn has_input(&self) -> bool {
        self.intake.has_input()
    }

    /// Goes on as far as it can without waiting.
    pub fn step(&mut self, socket: &mut Socket<'_>, desk: &mut Desk<'_>) -> Step {
        let mut turns = TURN;
        let mut progress = false;
        loop {
            if let Some(outgoing) = &mut self.outgoing {
                let before = outgoing.sent;
                let all = outgoing.flush(socket);
                desk.counters.bytes_out += (outgoing.sent - before) as u64;
                progress |= outgoing.sent > before;
                if !all {
                    return self.wait(Waiting::Write, progress, desk);
                }
                if outgoing.is_unfinished() {
                    if turns == 0 {
                        self.wait(Waiting::Write, progress, desk);
                        return Step::Again;
                    }
                    turns -= 1;
                    if outgoing.refill().is_err() {
                        return self.break_off(socket, desk);
                    }
                    continue;
                }
                desk.recycle(core::mem::take(&mut outgoing.head), core::mem::take(&mut outgoing.body));
                self.outgoing = None;
                if self.parting == Parting::Stay {
                    self.intake.next_request(desk.limits);
                }
            }
            if self.parting != Parting::Stay {
                self.part(socket);
                return self.wait(Waiting::Linger, false, desk);
            }
            match *self.intake.phase() {
                Phase::Ready { .. } if turns == 0 => return Step::Again,
                Phase::Ready { .. } => {
                    turns -= 1;
                    self.answer(desk);
                }
                Phase::Bad(status) => {
                    desk.counters.bad_requests += 1;
                    self.refuse(status, desk);
                }
                Phase::Head | Phase::Body { .. } if socket.can_recv() => {
                    progress = true;
                    if !self.receive(socket, desk) {
                        self.refuse(503, desk);
                    }
                }
                Phase::Head | Phase::Body { .. } => return self.wait_for_more(socket, progress, desk),
            }
        }
    }

    /// Takes what the socket has; false when there is no memory for it.
    fn receive(&mut self, socket: &mut Socket<'_>, desk: &mut Desk<'_>) -> bool {
        // A buffer that grows is in memory twice for a moment, and the new one is twice as long.
        if matches!(self.intake.phase(), Phase::Body { .. }) && desk.spare < 3 * self.intake.memory() {
            return false;
        }
        let before = self.intake.memory();
        let input = self.intake.room();
        let taken = socket.recv(|bytes| {
            let count = bytes.len().min(input.capacity() - input.len());
            input.extend_from_slice(&bytes[..count]);
            (count, count)
        });
        desk.counters.bytes_in += taken.unwrap_or(0) as u64;
        self.intake.advance(desk.limits);
        desk.spare = desk.spare.saturating_add(before).saturating_sub(self.intake.memory());
        true
    }

    fn answer(&mut self, desk: &mut Desk<'_>) {
        if desk.spare == 0 {
            // Responses that slow clients do not read have filled the memory.
            return self.refuse(503, desk);
        }
        let more = self.intake.has_more();
        let Some((head, request)) = self.intake.request() else { return };
        let (bytes, body, parting) = desk.answer(&head, &request, more);
        self.parting = parting;
        self.outgoing = Some(Outgoing::new(bytes, body, head.version));
    }

    /// Answers `status` from the server itself; the connection closes behind it.
    pub fn refuse(&mut self, status: u16, desk: &mut Desk<'_>) {
        let (head, body) = desk.refuse(status, Version::Http11);
        self.parting = Parting::Linger;
        self.outgoing = Some(Outgoing::new(head, body, Version::Http11));
        self.intake.shrink();
    }

    /// Ends a response that cannot be completed by a reset, which no client takes for the content's end.
    fn break_off(&mut self, socket: &mut Socket<'_>, desk: &Desk<'_>) -> Step {
        socket.abort();
        (self.outgoing, self.parting, self.shut) = (None, Parting::Close, true);
        self.wait(Waiting::Linger, false, desk)
    }

    /// Closes our side although the client may want more.
    pub fn leave(&mut self, socket: &mut Socket<'_>, now_ms: u64) {
        self.parting = Parting::Linger;
        self.outgoing = None;
        self.part(socket);
        (self.waiting, self.deadline_ms) = (Waiting::Linger, now_ms + LINGER_MS);
    }

    /// Closes our side; what the client still sends is dropped until it closes, too.
    fn part(&mut self, socket: &mut Socket<'_>) {
        if !self.shut {
            socket.close();
            self.shut = true;
        }
        while socket.can_recv() {
            // An error is an end that the next look at the socket's state sees.
            let _ = socket.recv(|bytes| (bytes.len(), ()));
        }
    }

    fn wait_for_more(&mut self, socket: &mut Socket<'_>, progress: bool, desk: &mut Desk<'_>) -> Step {
        if !socket.may_recv() {
            // The client sends nothing more.
            self.parting = Parting::Close;
            self.part(socket);
            return self.wait(Waiting::Linger, false, desk);
        }
        if matches!(self.intake.phase(), Phase::Body { .. }) {
            if self.intake.asks_to_continue() {
                // A client whose socket takes no 25 bytes sends its body without having been asked to.
                desk.counters.bytes_out += socket.send_slice(CONTINUE).unwrap_or(0) as u64;
                desk.counters.response(100);
            }
            return self.wait(Waiting::Body, progress, desk);
        }
        if self.intake.is_used() && !self.intake.has_input() {
            self.intake.shrink();
            return self.wait(Waiting::Idle, progress, desk);
        }
        // A head that comes in drops does not get more time with each.
        self.wait(Waiting::Head, false, desk)
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
                    Waiting::Write => times.write_ms,
                    Waiting::Linger => LINGER_MS,
                };
        }
        Step::Waits
    }
}
