//! WebSockets in a session: opened by a request, written to and listened on by steps, closed.
//!
//! A session has one, beside its connections. What comes while no step listens is kept for the next one that does.

mod socket;

use loadstone_http::{Headers, ResponseHead};
use loadstone_workload::{CompiledBody, Socket as Use, Tree};
use rustix::event::epoll::EventFlags;
use rustix::fd::AsFd;
use rustix::io::Errno;
use tungstenite::handshake::client::generate_key;
use tungstenite::handshake::derive_accept_key;

pub(crate) use socket::Socket;

use crate::driver::Driver;
use crate::judge::Received;
use crate::reader::Whole;
use crate::recorder::{Cause, Counter};
use crate::socket::{Broken, sentence};
use crate::user::{Stage, User, Work};

/// Longest head of an answer that opens one.
const LONGEST_HEAD: usize = 64 << 10;
/// Pieces received in a row; then other users have their turn.
const MOST_PIECES: u32 = 16;

/// A WebSocket that is asked for.
#[derive(Debug)]
pub(crate) struct Opening {
    key: String,
}

impl Opening {
    /// The field lines that ask for it.
    pub(crate) fn fields(&self) -> String {
        format!(
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {}\r\n",
            self.key
        )
    }

    /// What is wrong with the fields by which a server agrees (RFC 6455 §4.1).
    fn fault(&self, headers: &Headers<'_>) -> Option<&'static str> {
        let has = |name: &str, word: &str| {
            let value = headers.get(name).unwrap_or_default();
            value.split(',').any(|one| one.trim().eq_ignore_ascii_case(word))
        };
        let accepted = headers.get("sec-websocket-accept").unwrap_or_default().trim();
        match () {
            () if !has("upgrade", "websocket") => Some("the answer does not say `Upgrade: websocket`"),
            () if !has("connection", "upgrade") => Some("the answer does not say `Connection: Upgrade`"),
            () if accepted != derive_accept_key(self.key.as_bytes()) => {
                Some("Sec-WebSocket-Accept does not fit the key")
            }
            () if headers.get("sec-websocket-extensions").is_some() => {
                Some("the server uses an extension that was not asked for")
            }
            () => None,
        }
    }
}

impl Driver<'_> {
    /// Begins a step that has to do with the session's WebSocket.
    pub(crate) fn use_socket(&mut self, user: &mut User, work: &mut Work, what: Use) {
        if what == Use::Open {
            self.drop_socket(user);
            self.turn_to_host(user);
            user.aside.extend(user.connection.take());
            user.opening = Some(Box::new(Opening { key: generate_key() }));
            self.issue(user, work);
            return;
        }
        user.deadline = self.now + user.patience;
        user.requests_sent += 1;
        if user.socket.is_none() {
            return self.fail(user, work, Cause::WebSocket, "no WebSocket is open in this session");
        }
        user.stage = Stage::Listening;
        match what {
            Use::Send { binary } => self.send_message(user, binary),
            Use::Close { code } => {
                self.trace_message(user, &format!("CLOSE {code}"), b"");
                let Some(socket) = &mut user.socket else { return };
                socket.forget();
                if socket.ended.is_none() {
                    socket.close(code);
                }
            }
            Use::Receive | Use::Open => self.trace_message(user, "RECEIVE", b""),
        }
        self.book_socket(user);
        self.listen(user, work);
    }

    fn send_message(&mut self, user: &mut User, binary: bool) {
        let mut text = Vec::new();
        if let CompiledBody::Raw { text: template, .. } = &self.step_of(user).body {
            template.render(&user.state, &mut text);
        }
        self.trace_message(user, "SEND", &text);
        let Some(socket) = &mut user.socket else { return };
        // What came before is no answer to this.
        socket.forget();
        if socket.ended.is_none() {
            socket.send(&text, binary);
        }
    }

    fn trace_message(&self, user: &User, what: &str, message: &[u8]) {
        self.shared.trace.iter().for_each(|trace| {
            let text = [what.as_bytes(), b"\r\n\r\n", message].concat();
            trace.talked(self.program, user, &text, self.now);
        });
    }

    /// Deals with an event of the user's WebSocket; false when it is of another connection.
    pub(crate) fn on_socket_event(&mut self, user: &mut User, tag: u32, flags: EventFlags) -> bool {
        let Some(socket) = user.socket.as_mut().filter(|socket| socket.connection.tag() == tag) else {
            return false;
        };
        if flags.contains(EventFlags::OUT) {
            socket.flush();
        }
        let ended = flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR);
        if ended || flags.contains(EventFlags::IN) {
            self.hear(user);
        }
        self.book_socket(user);
        if user.stage == Stage::Listening {
            self.now = self.clock.now();
            let mut work = self.borrow_work(user);
            self.listen(user, &mut work);
            self.return_work(user, work);
        }
        true
    }

    /// Receives all there is.
    fn hear(&mut self, user: &mut User) {
        let Some(socket) = &mut user.socket else { return };
        let mut input = std::mem::take(&mut self.input);
        for piece in 0.. {
            if piece == MOST_PIECES {
                let token = u64::from(socket.connection.tag()) << 32 | u64::from(user.token);
                if let Err(why) = socket.connection.report_again(self.poll.as_fd(), token) {
                    socket.cut(Cause::Reset, sentence(why));
                }
                break;
            }
            match socket.connection.receive(&mut input, &mut self.records) {
                Ok(received) if received.length == 0 => {
                    socket
                        .cut(Cause::Closed, "the server closed the connection without closing the WebSocket");
                    break;
                }
                // Until there is nothing: an end that came with it is no event of its own.
                Ok(received) => socket.take(&input[..received.length]),
                Err(Broken::Socket(Errno::AGAIN)) => break,
                Err(Broken::Socket(why)) => {
                    socket.cut(Cause::Reset, sentence(why));
                    break;
                }
                Err(Broken::Tls(said)) => {
                    socket.cut(Cause::Tls, &said);
                    break;
                }
            }
            if socket.ended.is_some() {
                break;
            }
        }
        self.input = input;
    }

    /// Looks for what the step wants among what has come; ends the step, or waits.
    fn listen(&mut self, user: &mut User, work: &mut Work) {
        let step = self.step_of(user);
        let Some(socket) = &mut user.socket else { return };
        let closes = matches!(step.socket, Some(Use::Close { .. }));
        let sent = socket.ended.is_some() || socket.flush();
        if matches!(step.socket, Some(Use::Send { .. })) && !step.awaits_message() && socket.ended.is_none() {
            if sent {
                self.heard(user, work, &[]);
            }
            return;
        }
        while let Some(message) = socket.next().filter(|_| !closes) {
            let length = message.len() as u64;
            let whole = Whole::message(&message);
            let tree = Tree::default();
            let answer = Received::new(&whole, &user.browser.cookies, self.requests.origin(user.host), &tree);
            if step.expect.find_fault(&answer, length, &user.state, &mut self.scratch).is_none() {
                return self.heard(user, work, &message);
            }
            socket.passed_over += 1;
        }
        let Some(ended) = socket.ended.clone() else { return };
        if closes && ended.whole {
            self.drop_socket(user);
            self.heard(user, work, &[]);
        } else {
            self.fail(user, work, ended.cause, &ended.said);
        }
    }

    /// The step is done by this message.
    fn heard(&mut self, user: &mut User, work: &mut Work, message: &[u8]) {
        self.roll_if_due();
        self.recorder.requests += 1;
        user.counts.add(Counter::Requests, 1);
        user.counts.add(Counter::BodyBytes, message.len() as u64);
        user.counts.add(Counter::ContentBytes, message.len() as u64);
        let traced = self.shared.trace.as_ref();
        traced.iter().for_each(|trace| trace.heard(message, self.now));
        user.socket.iter_mut().for_each(|socket| socket.passed_over = 0);
        self.socket_done(user, work, &Whole::message(message));
    }

    /// Takes what the step wants from what came, and ends the step.
    fn socket_done(&mut self, user: &mut User, work: &mut Work, whole: &Whole<'_>) {
        let step = self.step_of(user);
        if let Some((cause, said)) = self.is_slow(step, user) {
            return self.fail(user, work, cause, &said);
        }
        let tree = Tree::default();
        let answer = Received::new(whole, &user.browser.cookies, self.requests.origin(user.host), &tree);
        let taken = self.program.extract(step, user.host, &answer, &mut user.state, &mut self.scratch);
        let traced = self.shared.trace.as_ref();
        traced.iter().for_each(|trace| trace.extracted(step.extract.len(), taken.found));
        if let Some(name) = taken.missing {
            let said = format!("`{name}` was not found in the answer");
            return self.fail(user, work, Cause::Extract, &said);
        }
        traced.iter().for_each(|trace| trace.decided(self.program, user, "done"));
        user.state.flags = (user.state.flags | step.set) & !step.unset;
        if step.keeps_answer {
            self.keep_answer(user, whole);
        }
        self.step_done(user, work);
    }

    /// "no message that is as expected in time; 3 others came".
    pub(crate) fn unheard(&self, user: &User) -> String {
        match user.socket.as_ref().map_or(0, |socket| socket.passed_over) {
            0 => "no message in time".into(),
            others => format!("no message that is as expected in time; {others} others came"),
        }
    }

    /// Receives the answer to a request for a WebSocket.
    pub(crate) fn on_upgrade(&mut self, user: &mut User, work: &mut Work, ended: bool) {
        loop {
            let Some(connection) = &mut user.connection else { return };
            let received = connection.receive(&mut self.input, &mut self.records);
            self.book(user);
            let drained = match received {
                Ok(received) if received.length == 0 => {
                    let said = "the server closed the connection before the whole answer";
                    return self.fail(user, work, Cause::Closed, said);
                }
                Ok(received) => {
                    work.store.head.extend_from_slice(&self.input[..received.length]);
                    received.drained && !ended
                }
                Err(Broken::Socket(Errno::AGAIN)) => return,
                Err(Broken::Socket(why)) => return self.fail(user, work, Cause::Reset, sentence(why)),
                Err(Broken::Tls(said)) => return self.fail(user, work, Cause::Tls, &said),
            };
            let head = std::mem::take(&mut work.store.head);
            let parsed = ResponseHead::parse(&head);
            self.now = self.clock.now();
            if user.first_byte.is_none() {
                self.begins_to_answer(user, self.now);
            }
            match parsed {
                Ok(Some((answer, length))) if answer.status >= 200 || answer.status == 101 => {
                    return self.on_answer_of_upgrade(user, work, &answer, &head[length..]);
                }
                Ok(Some((_, length))) => work.store.head.extend_from_slice(&head[length..]),
                Ok(None) if head.len() <= LONGEST_HEAD => work.store.head = head,
                Ok(None) => return self.fail(user, work, Cause::Marker, "the head is longer than 64 KiB"),
                Err(_) => return self.fail(user, work, Cause::Marker, "the head is malformed"),
            }
            if drained {
                return;
            }
        }
    }

    fn on_answer_of_upgrade(
        &mut self,
        user: &mut User,
        work: &mut Work,
        answer: &ResponseHead<'_>,
        rest: &[u8],
    ) {
        let (status, headers) = (answer.status, answer.headers);
        self.roll_if_due();
        self.recorder.requests += 1;
        user.counts.add(Counter::Requests, 1);
        self.incoming(user, &mut work.journey).learn(status, &headers);
        let whole = Whole { status, keep_alive: false, headers, body: &[], length: 0 };
        self.shared.trace.iter().for_each(|trace| trace.answered(&whole, self.now));
        if status != 101 {
            return self.fail(user, work, Cause::Status, &format!("status {status}, expected 101"));
        }
        let fault = user.opening.as_ref().and_then(|opening| opening.fault(&headers));
        if let Some(said) = fault {
            return self.fail(user, work, Cause::WebSocket, said);
        }
        let Some(connection) = user.connection.take() else { return };
        user.opening = None;
        let mut socket = Box::new(Socket::new(connection, rest));
        socket.take(&[]);
        user.socket = Some(socket);
        // What came with the answer, an end too, is no event of its own.
        self.hear(user);
        self.book_socket(user);
        self.socket_done(user, work, &whole);
    }

    fn book_socket(&mut self, user: &mut User) {
        if let Some(socket) = &mut user.socket {
            let wire = std::mem::take(&mut socket.connection.wire);
            self.book_wire(user, wire);
        }
    }

    /// Closes the WebSocket of a session, in good order if that can be done at once, and asks for none any more.
    pub(crate) fn drop_socket(&mut self, user: &mut User) {
        user.opening = None;
        if let Some(mut socket) = user.socket.take() {
            if socket.ended.is_none() {
                socket.close(1000);
            }
            self.drop_connection(socket.connection);
        }
    }
}
