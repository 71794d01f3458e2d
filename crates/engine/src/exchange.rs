//! Requests: how they are written and sent, and the events of a user's connection.

use std::sync::atomic::Ordering;

use loadstone_workload::Next;
use rustix::event::epoll::EventFlags;
use rustix::io::Errno;

use crate::driver::Driver;
use crate::reader::Reader;
use crate::recorder::{Cause, Counter};
use crate::request::Wanted;
use crate::socket::sentence;
use crate::tls::Wire;
use crate::user::{Fetch, Journey, Stage, User, Work};

impl<'p> Driver<'p> {
    /// Sends the request that the user wants now, on a new connection if need be.
    pub(crate) fn issue(&mut self, user: &mut User, work: &mut Work) {
        user.deadline = self.now + user.patience;
        user.again = 0;
        user.address = self.shared.hosts[user.host].address.load(Ordering::Relaxed);
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

    /// Lets the queue send the request under way once more after `wait` microseconds; its time goes on.
    pub(crate) fn back_off(&mut self, user: &mut User, wait: u64) {
        let deadline = user.deadline;
        self.pause(user, wait);
        user.deadline = deadline;
    }

    /// The pause, or the wait for room at the server, is over.
    pub(crate) fn resume(&mut self, user: &mut User) {
        let mut work = self.borrow_work(user);
        if self.resume_lanes(user, &mut work) {
        } else if user.deadline < u64::MAX {
            self.dispatch(user, &mut work);
        } else {
            self.issue(user, &mut work);
        }
        self.return_work(user, work);
    }

    pub(crate) fn dispatch(&mut self, user: &mut User, work: &mut Work) {
        user.reader = Reader::default();
        work.store.clear();
        self.turn_to_host(user);
        if self.dispatch_multiplexed(user, work) {
            return;
        }
        if user.connection.is_some() {
            self.send_request(user, work);
        } else {
            self.connect(user, work);
        }
    }

    /// The request that the user wants now, if it is one that all users without cookies send alike.
    #[inline]
    pub(crate) fn constant(&self, user: &User, journey: &Journey) -> Option<&'p [u8]> {
        match user.fetch {
            Fetch::Step if journey.location.is_empty() && user.browser.cookies.is_empty() => {
                self.requests.constant(user.operation, user.step)
            }
            _ => None,
        }
    }

    /// Writes the request that the user wants now.
    pub(crate) fn write_request(&mut self, user: &User, journey: &mut Journey) {
        let (scenario, host, cookies) = (user.state.scenario(), user.host, &user.browser.cookies);
        let Journey { outgoing, location, references, .. } = journey;
        if user.fetch == Fetch::Step {
            let opening = user.opening.as_ref();
            let step = self.step_of(user);
            let wanted = Wanted { step, host, method: user.method, location, state: &user.state, cookies };
            self.requests.write_step(wanted, outgoing, &mut self.scratch);
            opening.iter().for_each(|opening| outgoing.add_fields(&opening.fields()));
        } else if !location.is_empty() {
            self.requests.write_reference(scenario, host, location, cookies, None, outgoing);
        } else if let Some((reference, path)) = references.current() {
            let validator = self.validators.get(reference.address);
            let asks = reference.cached && user.browser.warm;
            let validator = validator.filter(|_| asks);
            self.requests.write_reference(scenario, host, path, cookies, validator, outgoing);
        }
    }

    pub(crate) fn send_request(&mut self, user: &mut User, work: &mut Work) {
        let traced = self.shared.trace.as_ref();
        traced.iter().for_each(|trace| trace.asked(self.program, user, self.now));
        let constant = self.constant(user, &work.journey);
        if constant.is_none() {
            self.write_request(user, &mut work.journey);
        }
        let Some(connection) = &mut user.connection else { return };
        let outgoing = &mut work.journey.outgoing;
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
                } else {
                    self.be_prompt();
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
        if !user.is_busy()
            || matches!(
                user.stage,
                Stage::Pausing | Stage::Knocking | Stage::Gathering | Stage::Listening | Stage::Calling
            )
        {
            // The server closed an idle connection, or sent something that was not asked for.
            if ended || (flags.contains(EventFlags::IN) && !self.chatters(user)) {
                let between = user.connection.is_some() && user.next != Next::NewSession;
                let waits = matches!(user.stage, Stage::Pausing | Stage::Calling);
                self.recorder.closed_idle += u64::from(between || waits);
                self.close_current(user);
            }
            return;
        }
        let mut work = self.borrow_work(user);
        user.file.iter().for_each(|file| work.journey.references.select(*file));
        self.on_event_with(user, &mut work, flags);
        self.return_work(user, work);
    }

    /// The same of a connection whose request is under way, with its buffers.
    #[inline]
    pub(crate) fn on_event_with(&mut self, user: &mut User, work: &mut Work, flags: EventFlags) {
        let ended = flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR);
        if user.stage == Stage::Connecting {
            self.on_connected(user, work, flags);
        } else if user.stage == Stage::Tunnelling {
            self.on_tunnel(user, work, ended);
        } else if user.stage == Stage::Handshaking {
            self.shake_hands(user, work, ended);
        } else {
            if user.stage == Stage::Sending && flags.contains(EventFlags::OUT) {
                self.go_on_sending(user, work);
            }
            if user.connection.is_some() && (ended || flags.contains(EventFlags::IN)) {
                self.receive(user, work, ended);
            }
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
            let wire = std::mem::take(&mut connection.wire);
            self.book_wire(user, wire);
        }
    }

    #[inline]
    pub(crate) fn book_wire(&mut self, user: &mut User, Wire { sent, received }: Wire) {
        self.recorder.bytes_out += sent;
        user.counts.add(Counter::BytesOut, sent);
        self.recorder.bytes_in += received;
        user.counts.add(Counter::BytesIn, received);
    }

    /// The path of the page that a step led to: where it was redirected, or its own.
    pub(crate) fn page_path(&self, user: &User, journey: &Journey, out: &mut Vec<u8>) {
        if journey.location.is_empty() {
            let step = self.step_of(user);
            self.requests.write_path(step, &user.state, out);
        } else {
            out.extend_from_slice(&journey.location);
        }
    }
}
