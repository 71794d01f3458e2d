//! Answers by HTTP/1.1 as they come in.

use std::time::Duration;

use loadstone_http::{Headers, Method, ResponseHead};
use loadstone_workload::{CompiledStep, State};
use rustix::fd::AsFd;
use rustix::io::Errno;

use crate::browser::{Browser, Validators};
use crate::coding::is_coded;
use crate::driver::Driver;
use crate::judge::{Verdict, is_redirect};
use crate::overload::retry_after;
use crate::reader::{Reception, Whole};
use crate::recorder::{Cause, Counter, Counts};
use crate::references::References;
use crate::request::Requests;
use crate::socket::{Broken, Connection, Received, sentence};
use crate::user::{Fetch, Journey, Stage, User, Work};

/// Pieces received in a row; then other users have their turn, and the clock is looked at.
const MOST_PIECES: u32 = 16;
/// From this size on, the kernel drops most of a body that nobody looks at.
const WORTH_DISCARDING: u64 = 32 << 10;

impl<'p> Driver<'p> {
    /// Receives all there is. `ended`: the server will send nothing more than what is there.
    pub(crate) fn receive(&mut self, user: &mut User, work: &mut Work, ended: bool) {
        if user.opening.is_some() {
            return self.on_upgrade(user, work, ended);
        }
        let mut input = std::mem::take(&mut self.input);
        let (mut pieces, token) = (0, user.event_token());
        while let Some(connection) = &mut user.connection {
            connection.dying |= ended;
            if pieces == MOST_PIECES {
                if let Err(why) = connection.report_again(self.poll.as_fd(), token) {
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
                Ok(Received { length, drained, age }) => {
                    self.saw_received(length);
                    if discarding {
                        user.reader.discarded(length as u64);
                        // The last piece is received in the usual way, so that there is one place where
                        // answers end.
                        if unseen > length as u64 {
                            continue;
                        }
                        self.on_piece(user, work, &[], age);
                        break;
                    }
                    if self.on_piece(user, work, &input[..length], age) || (drained && !ended) {
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

    /// Feeds a piece of the answer, which the kernel received `age` ago; whether that ended it.
    fn on_piece(&mut self, user: &mut User, work: &mut Work, piece: &[u8], age: Option<Duration>) -> bool {
        let Work { store, journey } = &mut *work;
        let (collects, measures) = self.wants(user, journey);
        let mut reader = user.reader;
        let begins = self.notes_first_byte(user) && reader.is_untouched(store);
        let mut reception = self.incoming(user, journey);
        (reception.collects, reception.measures) = (collects, measures);
        let fed = reader.feed(piece, store, &mut reception);
        user.reader = reader;
        match fed {
            Ok(None) => {
                // The only answers for which the clock is read once more: those that come in several pieces.
                if begins {
                    let at = self.piece_at(user, age);
                    self.begins_to_answer(user, at);
                }
                return false;
            }
            Ok(Some(whole)) => {
                self.now = self.received_at(user, age);
                if begins {
                    self.begins_to_answer(user, self.now);
                }
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

    /// Whether anybody asks when the answer under way began to come. Of the files of a page only a trace does.
    #[inline]
    fn notes_first_byte(&self, user: &User) -> bool {
        user.fetch == Fetch::Step || self.shared.trace.is_some()
    }

    /// The first byte of the answer under way came at `at`.
    #[inline]
    pub(crate) fn begins_to_answer(&mut self, user: &mut User, at: u64) {
        if user.fetch == Fetch::Step {
            user.first_byte = Some(at);
        }
        self.shared.trace.iter().for_each(|trace| trace.began(at));
    }

    /// Whether the body of the answer under way is kept, and whether it is if a coding hides its length.
    #[inline]
    pub(crate) fn wants(&self, user: &User, journey: &Journey) -> (bool, bool) {
        if user.fetch == Fetch::Reference {
            return (journey.references.is_sheet(), false);
        }
        let step = self.step_of(user);
        let collects = step.reads_body || !step.extract.is_empty() || self.shared.trace.is_some();
        (collects, step.expect.measures())
    }

    /// What looks at the head of the answer under way. It keeps no body.
    #[inline]
    pub(crate) fn incoming<'a>(&'a mut self, user: &'a mut User, journey: &'a mut Journey) -> Incoming<'a> {
        let of_step = user.fetch == Fetch::Step;
        let step = self.step_of(user);
        Incoming {
            asked: Asked {
                requests: self.requests,
                step,
                fetch: user.fetch,
                host: user.host,
                state: &user.state,
                location: &journey.location,
                references: &journey.references,
            },
            scratch: &mut self.scratch,
            method: if of_step { user.method } else { Method::Get },
            collects: false,
            measures: false,
            counts: &mut user.counts,
            announced: &mut journey.announced,
            asked_to_wait: &mut user.asked_to_wait,
            browser: &mut user.browser,
            validators: &mut self.validators,
            file: journey.references.current().filter(|(r, _)| !of_step && r.cached).map(|(r, _)| r.address),
        }
    }

    /// The server closed its side.
    fn on_end(&mut self, user: &mut User, work: &mut Work) {
        self.now = self.clock.now();
        self.be_prompt();
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
                if whole.keep_alive || dying {
                    self.close_current(user);
                } else {
                    self.part(user);
                }
            }
        }
        self.shared.trace.iter().for_each(|trace| trace.answered(&whole, self.now));
        self.judge(user, whole, journey)
    }
}

/// What is done with a head as soon as it is read.
pub(crate) struct Incoming<'a> {
    asked: Asked<'a>,
    scratch: &'a mut Vec<u8>,
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

/// What was asked for.
struct Asked<'a> {
    requests: &'a Requests,
    step: &'a CompiledStep,
    fetch: Fetch,
    host: usize,
    state: &'a State,
    location: &'a [u8],
    references: &'a References,
}

impl Asked<'_> {
    /// Appends its path.
    fn write_path(&self, out: &mut Vec<u8>) {
        match (self.fetch, self.references.current()) {
            _ if !self.location.is_empty() => out.extend_from_slice(self.location),
            (Fetch::Reference, Some((_, path))) => out.extend_from_slice(path),
            _ => self.requests.write_path(self.step, self.state, out),
        }
    }
}

impl Incoming<'_> {
    /// Takes in what a final head says; whether its body has a coding.
    pub(crate) fn learn(&mut self, status: u16, headers: &Headers<'_>) -> bool {
        let origin = self.asked.requests.origin(self.asked.host);
        self.browser.cookies.learn(headers, origin, self.scratch, |out| self.asked.write_path(out));
        if is_redirect(status) {
            self.announced.clear();
            self.announced.extend_from_slice(headers.get_bytes("location").unwrap_or_default());
        }
        if status == 503 {
            *self.asked_to_wait = retry_after(headers);
        }
        if let Some(address) = self.file.filter(|_| status == 200) {
            self.validators.learn(address, headers);
        }
        let coded = headers.get_bytes("content-encoding").is_some_and(is_coded);
        self.counts.add(Counter::Compressed, u64::from(coded));
        coded
    }
}

impl Reception for Incoming<'_> {
    fn method(&self) -> Method {
        self.method
    }

    fn head(&mut self, head: &ResponseHead<'_>) -> bool {
        let coded = self.learn(head.status, &head.headers);
        self.collects || (self.measures && coded)
    }
}
