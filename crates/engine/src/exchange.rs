//! One request and its answer: connect, send, receive, and what can go wrong.

use std::sync::atomic::Ordering;

use loadstone_http::{Method, ResponseHead};
use loadstone_workload::Next;
use rustix::event::epoll::EventFlags;
use rustix::fd::AsFd;
use rustix::io::Errno;

use crate::browser::{Browser, Validators};
use crate::coding::is_coded;
use crate::driver::Driver;
use crate::judge::{Verdict, is_redirect};
use crate::overload::retry_after;
use crate::reader::{Reader, Reception, Whole};
use crate::recorder::{Cause, Counter, Counts, SECOND};
use crate::request::Wanted;
use crate::socket::{Broken, Connection, Received, sentence};
use crate::tls::Wire;
use crate::user::{Fetch, Journey, Stage, User, Work};

/// If a used connection breaks later than this after the request was sent, the server did not close it
/// because it was idle. That would be known after one round trip, and this is TCP's first estimate of one
/// (RFC 6298).
const CLOSING_RACE: u64 = SECOND;
/// Pieces received in a row; then other users have their turn, and the clock is looked at.
const MOST_PIECES: u32 = 16;
/// From this size on, the kernel drops most of a body that nobody looks at.
const WORTH_DISCARDING: u64 = 32 << 10;

impl Driver<'_> {
    /// Sends the request that the user wants now, on a new connection if need be.
    pub(crate) fn issue(&mut self, user: &mut User, work: &mut Work) {
        user.deadline = self.now + self.timetable.timeout;
        user.retried = false;
        user.address = self.shared.address.load(Ordering::Relaxed);
        user.addresses_tried = 1;
        user.requests_sent += 1;
        self.dispatch(user, work);
    }

    /// Lets the queue ask for the next file of the page after `pause` microseconds.
    pub(crate) fn pause(&mut self, user: &mut User, pause: u64) {
        user.stage = Stage::Pausing;
        // Nothing is awaited that could take too long.
        user.deadline = u64::MAX;
        self.await_start(user, self.now + pause);
    }

    /// The pause is over.
    pub(crate) fn resume(&mut self, user: &mut User) {
        let mut work = self.borrow_work(user);
        self.issue(user, &mut work);
        self.return_work(user, work);
    }

    fn dispatch(&mut self, user: &mut User, work: &mut Work) {
        user.reader = Reader::default();
        work.store.clear();
        if user.connection.is_some() {
            self.send_request(user, work);
            return;
        }
        self.shared.first_try.fetch_min(self.now, Ordering::Relaxed);
        let address = self.shared.addresses[user.address];
        match Connection::open(address, user.state.user(), self.poll.as_fd(), u64::from(user.token)) {
            Ok(connection) => {
                user.connection = Some(connection);
                user.stage = Stage::Connecting;
                user.setup.began = self.now;
            }
            Err(why) => self.refused(user, work, why),
        }
    }

    /// The connection was not made. As long as none ever was, the other addresses of the host are tried
    /// first: the server may listen on one of them only.
    fn refused(&mut self, user: &mut User, work: &mut Work, why: Errno) {
        let shared = self.shared;
        self.close(user);
        self.now = self.clock.now();
        let connected = shared.connected.load(Ordering::Relaxed);
        let answering = shared.address.load(Ordering::Relaxed);
        if connected && user.address != answering {
            user.address = answering;
            self.dispatch(user, work);
        } else if !connected && user.addresses_tried < shared.addresses.len() {
            user.address = (user.address + 1) % shared.addresses.len();
            user.addresses_tried += 1;
            self.dispatch(user, work);
        } else {
            shared.refused.store(true, Ordering::Relaxed);
            self.fail(user, work, Cause::Refused, &format!("no connection: {}", sentence(why)));
        }
    }

    pub(crate) fn send_request(&mut self, user: &mut User, work: &mut Work) {
        let (program, requests) = (self.program, self.requests);
        let traced = self.shared.trace.as_ref();
        traced.iter().for_each(|trace| trace.asked(program, user, self.now));
        let Some(connection) = &mut user.connection else { return };
        let cookies = user.browser.cookies.as_bytes();
        let Journey { outgoing, location, references, .. } = &mut work.journey;
        let constant = match user.fetch {
            Fetch::Step if location.is_empty() && cookies.is_empty() => {
                requests.constant(user.operation, user.step)
            }
            _ => None,
        };
        let outcome = if let Some(bytes) = constant {
            traced.iter().for_each(|trace| trace.wrote(bytes));
            match connection.send(bytes, false) {
                Ok(sent) if sent == bytes.len() => connection.flush(),
                Ok(sent) => {
                    outgoing.hold(&bytes[sent..]);
                    Ok(false)
                }
                Err(Errno::AGAIN) => {
                    outgoing.hold(bytes);
                    Ok(false)
                }
                Err(why) => Err(why),
            }
        } else {
            if !location.is_empty() || user.fetch == Fetch::Step {
                let step = &program.operations[user.operation].steps[user.step];
                let (method, state) = (user.method, &user.state);
                if user.fetch == Fetch::Step {
                    let wanted = Wanted { step, method, location, state, cookies };
                    requests.write_step(wanted, outgoing, &mut self.scratch);
                } else {
                    requests.write_reference(location, cookies, None, outgoing);
                }
            } else if let Some((reference, path)) = references.current() {
                let validator = self.validators.get(reference.address);
                let asks = reference.cached && user.browser.warm;
                requests.write_reference(path, cookies, validator.filter(|_| asks), outgoing);
            }
            traced.iter().for_each(|trace| trace.wrote(&outgoing.shown()));
            outgoing.send(connection)
        };
        self.sent(user, work, outcome);
    }

    fn sent(&mut self, user: &mut User, work: &mut Work, outcome: Result<bool, Errno>) {
        self.book(user);
        match outcome {
            Ok(done) => {
                user.stage = if done { Stage::Reading } else { Stage::Sending };
                if done {
                    work.journey.outgoing.clear();
                }
            }
            // An answer that came before the connection broke tells more than the break: 413 to an upload,
            // for one. The break is an event, too, and what has arrived is received then.
            Err(Errno::CONNRESET | Errno::PIPE) if work.journey.outgoing.has_begun() => {
                user.stage = Stage::Sending;
                user.connection.iter_mut().for_each(|connection| connection.broken = true);
            }
            Err(why) => self.lost(user, work, Cause::Reset, sentence(why)),
        }
    }

    /// Deals with what epoll reports of a user's connection.
    pub(crate) fn on_event(&mut self, user: &mut User, flags: EventFlags) {
        let ended = flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR);
        if !user.is_busy() || user.stage == Stage::Pausing {
            // The server closed an idle connection, or sent something that was not asked for.
            if ended || (flags.contains(EventFlags::IN) && !self.is_chatter(user)) {
                let between = user.connection.is_some() && user.next != Next::NewSession;
                self.recorder.closed_idle += u64::from(between || user.stage == Stage::Pausing);
                self.close(user);
            }
            return;
        }
        let mut work = self.borrow_work(user);
        if user.stage == Stage::Connecting {
            self.on_connected(user, &mut work, flags);
        } else if user.stage == Stage::Handshaking {
            self.shake_hands(user, &mut work, ended);
        } else {
            if user.stage == Stage::Sending && flags.contains(EventFlags::OUT) {
                self.go_on_sending(user, &mut work);
            }
            if user.connection.is_some() && (ended || flags.contains(EventFlags::IN)) {
                self.receive(user, &mut work, ended);
            }
        }
        self.return_work(user, work);
    }

    fn on_connected(&mut self, user: &mut User, work: &mut Work, flags: EventFlags) {
        let Some(connection) = &mut user.connection else { return };
        match connection.outcome() {
            Err(why) => self.refused(user, work, why),
            Ok(()) if flags.contains(EventFlags::OUT) => {
                connection.established = true;
                self.recorder.connects += 1;
                self.recorder.reconnects += u64::from(user.session.connects > 0);
                user.session.connects += 1;
                self.gauges.connections += 1;
                self.now = self.clock.now();
                user.setup.connect += self.now - user.setup.began;
                if !self.shared.connected.load(Ordering::Relaxed) {
                    self.shared.address.store(user.address, Ordering::Relaxed);
                    self.shared.connected.store(true, Ordering::Relaxed);
                }
                match &self.shared.credentials {
                    None => self.send_request(user, work),
                    Some(credentials) => self.secure(user, work, credentials),
                }
            }
            Ok(()) => {}
        }
    }

    fn go_on_sending(&mut self, user: &mut User, work: &mut Work) {
        if let Some(connection) = &mut user.connection {
            let outcome = work.journey.outgoing.send(connection);
            self.sent(user, work, outcome);
        }
    }

    /// Books what crossed the network since this was done last.
    #[inline]
    pub(crate) fn book(&mut self, user: &mut User) {
        if let Some(connection) = &mut user.connection {
            let Wire { sent, received } = std::mem::take(&mut connection.wire);
            self.recorder.bytes_out += sent;
            user.counts.add(Counter::BytesOut, sent);
            self.recorder.bytes_in += received;
            user.counts.add(Counter::BytesIn, received);
        }
    }

    /// Receives all there is. `ended`: the server will send nothing more than what is there.
    pub(crate) fn receive(&mut self, user: &mut User, work: &mut Work, ended: bool) {
        let mut input = std::mem::take(&mut self.input);
        let mut pieces = 0;
        while let Some(connection) = &mut user.connection {
            connection.dying |= ended;
            if pieces == MOST_PIECES {
                if let Err(why) = connection.report_again(self.poll.as_fd(), u64::from(user.token)) {
                    self.lost(user, work, Cause::Reset, sentence(why));
                }
                break;
            }
            pieces += 1;
            let unseen = user.reader.unseen();
            // What TLS carries must be decrypted, or its end is never found.
            let discarding = unseen >= WORTH_DISCARDING && connection.tls().is_none();
            let received = if discarding {
                let most = usize::try_from(unseen).unwrap_or(usize::MAX).min(self.discard.len());
                connection.discard(&mut self.discard[..most])
            } else {
                connection.receive(&mut input, &mut self.records)
            };
            let broken = connection.broken;
            self.book(user);
            match received {
                Ok(Received { length: 0, .. }) if broken => {
                    self.lost(user, work, Cause::Reset, sentence(Errno::CONNRESET));
                }
                Ok(Received { length: 0, .. }) => self.on_end(user, work),
                Ok(Received { length, drained }) => {
                    if discarding {
                        user.reader.discarded(length as u64);
                        // The last piece is received in the usual way, so that there is one place where
                        // answers end.
                        if unseen > length as u64 {
                            continue;
                        }
                        self.on_piece(user, work, &[]);
                        break;
                    }
                    if self.on_piece(user, work, &input[..length]) || (drained && !ended) {
                        break;
                    }
                    continue;
                }
                Err(Broken::Socket(Errno::AGAIN)) => {}
                Err(Broken::Socket(why)) => self.lost(user, work, Cause::Reset, sentence(why)),
                Err(Broken::Tls(said)) => self.lost(user, work, Cause::Tls, &said),
            }
            break;
        }
        self.input = input;
    }

    /// Feeds a piece of the answer; whether that ended it.
    fn on_piece(&mut self, user: &mut User, work: &mut Work, piece: &[u8]) -> bool {
        let Work { store, journey } = &mut *work;
        let step = self.step_of(user);
        let of_step = user.fetch == Fetch::Step;
        let mut reception = Incoming {
            method: if of_step { user.method } else { Method::Get },
            collects: of_step && (step.reads_body || !step.extract.is_empty() || self.shared.trace.is_some()),
            measures: of_step && step.expect.min_bytes > 0,
            counts: &mut user.counts,
            announced: &mut journey.announced,
            asked_to_wait: &mut user.asked_to_wait,
            browser: &mut user.browser,
            validators: &mut self.validators,
            file: journey.references.current().filter(|(r, _)| !of_step && r.cached).map(|(r, _)| r.address),
        };
        match user.reader.feed(piece, store, &mut reception) {
            Ok(None) => return false,
            Ok(Some(whole)) => {
                self.now = self.clock.now();
                let verdict = self.on_whole(user, whole, journey);
                self.follow(user, work, verdict);
            }
            Err(said) => {
                self.now = self.clock.now();
                self.fail(user, work, Cause::Marker, said);
            }
        }
        true
    }

    /// The server closed its side.
    fn on_end(&mut self, user: &mut User, work: &mut Work) {
        self.now = self.clock.now();
        let Work { store, journey } = &mut *work;
        let cut = user.connection.as_ref().is_some_and(Connection::may_be_cut);
        if let Some(whole) = user.reader.end(store).filter(|_| !cut) {
            let verdict = self.on_whole(user, whole, journey);
            self.follow(user, work, verdict);
        } else {
            let said = if cut {
                "the server closed the connection before the whole answer, without the end of TLS"
            } else {
                "the server closed the connection before the whole answer"
            };
            self.lost(user, work, Cause::Closed, said);
        }
    }

    /// Books a whole answer and judges it.
    fn on_whole(&mut self, user: &mut User, whole: Whole<'_>, journey: &mut Journey) -> Verdict {
        // Otherwise the second that has just ended would get the request, and the next one the operation.
        self.roll_if_due();
        self.recorder.requests += 1;
        user.counts.add(Counter::Requests, 1);
        // An answer before the whole request was sent leaves the connection in the middle of a message.
        let usable = whole.keep_alive && user.stage == Stage::Reading;
        match &mut user.connection {
            Some(connection) if usable && !connection.dying => connection.reused = true,
            connection => {
                let dying = connection.as_ref().is_some_and(|connection| connection.dying);
                self.recorder.closed_with_answer += u64::from(dying || !whole.keep_alive);
                self.close(user);
            }
        }
        self.shared.trace.iter().for_each(|trace| trace.answered(&whole, self.now));
        self.judge(user, whole, journey)
    }

    /// The connection broke. One that was idle before may have been closed by the server just when the
    /// request was sent; that is normal with keep-alive and not a failure, so the request is sent once more.
    /// A server that had the request for a while and then closes has failed.
    fn lost(&mut self, user: &mut User, work: &mut Work, cause: Cause, said: &str) {
        let reused = user.connection.as_ref().is_some_and(|c| c.reused);
        self.close(user);
        self.now = self.clock.now();
        let sent = user.deadline - self.timetable.timeout;
        let at_once = self.now - sent <= CLOSING_RACE;
        let again = reused && at_once && !user.retried && user.reader.is_untouched(&work.store);
        if again {
            user.retried = true;
            self.recorder.closed_idle += 1;
            work.journey.outgoing.clear();
            self.dispatch(user, work);
        } else {
            self.fail(user, work, cause, said);
        }
    }

    /// The request under way took too long.
    pub(crate) fn on_timeout(&mut self, user: &mut User) {
        let mut work = self.borrow_work(user);
        let said = match user.stage {
            Stage::Connecting => "no connection in time",
            Stage::Handshaking => "no TLS handshake in time",
            _ => "no whole answer in time",
        };
        self.fail(user, &mut work, Cause::Timeout, said);
        self.return_work(user, work);
    }

    /// Closes a user's connection.
    pub(crate) fn close(&mut self, user: &mut User) {
        if let Some(mut connection) = user.connection.take() {
            connection.say_goodbye();
            self.gauges.connections -= u32::from(connection.established);
        }
    }

    /// The path of the page that a step led to: where it was redirected, or its own.
    pub(crate) fn page_path(&self, user: &User, journey: &Journey, out: &mut Vec<u8>) {
        if journey.location.is_empty() {
            self.requests.write_path(self.step_of(user), &user.state, out);
        } else {
            out.extend_from_slice(&journey.location);
        }
    }
}

/// What is done with a head as soon as it is read.
struct Incoming<'a> {
    method: Method,
    collects: bool,
    /// The length of the content matters, which a coding hides.
    measures: bool,
    counts: &'a mut Counts,
    /// Where a redirect leads.
    announced: &'a mut Vec<u8>,
    /// The time for which an overloaded server wants no requests.
    asked_to_wait: &'a mut Option<u64>,
    browser: &'a mut Browser,
    validators: &'a mut Validators,
    /// The file of the site, known by its address, that is fetched into caches.
    file: Option<u64>,
}

impl Reception for Incoming<'_> {
    fn method(&self) -> Method {
        self.method
    }

    fn head(&mut self, head: &ResponseHead<'_>) -> bool {
        self.browser.cookies.learn(&head.headers);
        if is_redirect(head.status) {
            self.announced.clear();
            self.announced.extend_from_slice(head.headers.get_bytes("location").unwrap_or_default());
        }
        if head.status == 503 {
            *self.asked_to_wait = retry_after(&head.headers);
        }
        if let Some(address) = self.file.filter(|_| head.status == 200) {
            self.validators.learn(address, &head.headers);
        }
        let coded = head.headers.get_bytes("content-encoding").is_some_and(is_coded);
        self.counts.add(Counter::Compressed, u64::from(coded));
        self.collects || (self.measures && coded)
    }
}
