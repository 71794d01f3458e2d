//! A connection that speaks HTTP/2, and its events.

use loadstone_h2::{Client, Lost};
use loadstone_workload::Next;
use rustix::event::epoll::EventFlags;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;

use super::Multiplex;
use crate::driver::Driver;
use crate::recorder::{Cause, Counter};
use crate::socket::{Broken, Connection, Received, sentence};
use crate::tls::Wire;
use crate::user::User;

/// Pieces received in a row; then others have their turn.
const MOST_PIECES: u32 = 16;
/// Frames are collected up to this size before they are sent.
const MOST_AT_ONCE: usize = 64 << 10;

/// Whose connection it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// A user's, by its token.
    User(u32),
    /// That of a pool.
    Pool(usize),
}

/// A connection with HTTP/2.
#[derive(Debug)]
pub(super) struct Link {
    connection: Connection,
    pub client: Client,
    pub owner: Owner,
    /// Frames that the socket has not taken yet.
    rest: Vec<u8>,
    /// When something was received last.
    pub heard: u64,
    /// Nothing is asked on it any more.
    pub closing: bool,
    /// It carried a whole answer; and it did so while its last event was looked at.
    pub reused: bool,
    pub answered: bool,
    /// As what its streams fail if it has broken.
    pub broken: Option<Cause>,
    /// The socket takes nothing any more; its end is an event of its own.
    deaf: bool,
    /// Nothing was received yet. TLS may hold frames for which there is no event.
    fresh: bool,
}

impl Link {
    pub(super) fn new(connection: Connection, owner: Owner, now: u64) -> Box<Self> {
        Box::new(Self {
            connection,
            client: Client::new(),
            owner,
            rest: Vec::new(),
            heard: now,
            closing: false,
            reused: false,
            answered: false,
            broken: None,
            deaf: false,
            fresh: true,
        })
    }

    /// Whether something may be asked on it.
    pub(super) fn is_usable(&self) -> bool {
        !self.closing && !self.client.is_leaving() && self.client.fault().is_none()
    }

    /// Has epoll report its events as those of `key`, and what is there already once more.
    pub(super) fn report_again(&self, poll: BorrowedFd<'_>, key: LinkKey) -> Result<(), Errno> {
        self.connection.report_again(poll, key.token())
    }

    /// Sends what there is, as far as the socket takes it; `out` is scratch.
    fn pump(&mut self, out: &mut Vec<u8>) {
        while !self.deaf {
            out.clear();
            let old = std::mem::take(&mut self.rest);
            if old.is_empty() {
                self.client.write(out, MOST_AT_ONCE);
            }
            let piece = if old.is_empty() { &out[..] } else { &old[..] };
            if piece.is_empty() {
                self.deaf = self.connection.flush().is_err();
                return;
            }
            match self.connection.send(piece, false) {
                Ok(sent) if sent == piece.len() => {}
                Ok(sent) => self.rest = piece[sent..].to_vec(),
                Err(Errno::AGAIN) => {
                    self.rest = piece.to_vec();
                    return;
                }
                Err(_) => self.deaf = true,
            }
        }
    }
}

/// A link by number; void when the link is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkKey {
    index: u32,
    generation: u32,
}

impl LinkKey {
    /// Tokens of users are smaller.
    const MARK: u64 = 1 << 63;

    /// What epoll calls its events.
    pub(super) fn token(self) -> u64 {
        Self::MARK | u64::from(self.generation) << 32 | u64::from(self.index)
    }

    /// The link that an event is of; none of a user's.
    #[inline]
    pub(crate) fn of(token: u64) -> Option<Self> {
        (token & Self::MARK != 0)
            .then_some(Self { index: token as u32, generation: (token >> 32) as u32 & (u32::MAX >> 1) })
    }
}

/// All links of a thread.
#[derive(Debug, Default)]
pub(super) struct Links {
    all: Vec<(u32, Option<Box<Link>>)>,
    free: Vec<u32>,
}

impl Links {
    pub(super) fn insert(&mut self, link: Box<Link>) -> LinkKey {
        let index = self.free.pop().unwrap_or_else(|| {
            self.all.push((0, None));
            self.all.len() as u32 - 1
        });
        let (generation, place) = &mut self.all[index as usize];
        *generation = (*generation + 1) & (u32::MAX >> 1);
        *place = Some(link);
        LinkKey { index, generation: *generation }
    }

    pub(super) fn get(&mut self, key: LinkKey) -> Option<&mut Link> {
        let (generation, link) = self.all.get_mut(key.index as usize)?;
        link.as_deref_mut().filter(|_| *generation == key.generation)
    }

    /// Whether something may be asked on a link.
    pub(super) fn is_usable(&self, key: LinkKey) -> bool {
        let place = self.all.get(key.index as usize).filter(|(generation, _)| *generation == key.generation);
        place.and_then(|(_, link)| link.as_deref()).is_some_and(Link::is_usable)
    }

    pub(super) fn remove(&mut self, key: LinkKey) -> Option<Box<Link>> {
        self.get(key)?;
        self.free.push(key.index);
        self.all[key.index as usize].1.take()
    }

    pub(super) fn count(&self) -> usize {
        self.all.iter().filter(|(_, link)| link.is_some()).count()
    }
}

impl Multiplex {
    /// Sends what is to be sent on a link, unless its events are being looked at.
    pub(super) fn pump(&mut self, key: LinkKey) {
        if self.busy != Some(key)
            && let Some(link) = self.links.get(key)
        {
            link.pump(&mut self.out);
        }
    }
}

impl Driver<'_> {
    /// A link of the thread; none once it is gone.
    pub(super) fn link(&mut self, key: LinkKey) -> Option<&mut Link> {
        self.multiplex.as_mut()?.links.get(key)
    }

    /// Deals with what epoll reports of a link.
    pub(crate) fn on_link_event(&mut self, users: &mut [User], key: LinkKey, flags: EventFlags) {
        let Some(multiplex) = &mut self.multiplex else { return };
        let Some(link) = multiplex.links.get(key) else { return };
        multiplex.busy = Some(key);
        link.answered = false;
        let ended = flags.intersects(EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR);
        let reads = std::mem::take(&mut link.fresh) || ended || flags.contains(EventFlags::IN);
        let broken = if reads { self.receive_frames(users, key, ended) } else { None };
        self.settle(users, key, broken);
        if let Some(multiplex) = &mut self.multiplex {
            multiplex.busy = None;
        }
    }

    /// Receives all there is; why the connection cannot go on, if it cannot.
    fn receive_frames(&mut self, users: &mut [User], key: LinkKey, ended: bool) -> Option<(Cause, String)> {
        let mut input = std::mem::take(&mut self.input);
        let mut pieces = 0;
        let broken = loop {
            let poll = self.poll.as_fd();
            let Some(link) = self.multiplex.as_mut().and_then(|all| all.links.get(key)) else { break None };
            if link.client.fault().is_some() {
                break None;
            }
            if pieces == MOST_PIECES {
                let again = link.report_again(poll, key);
                break again.err().map(|why| (Cause::Reset, sentence(why).into()));
            }
            pieces += 1;
            match link.connection.receive(&mut input, &mut self.records) {
                Ok(Received { length: 0, .. }) if link.deaf => {
                    break Some((Cause::Reset, sentence(Errno::CONNRESET).into()));
                }
                Ok(Received { length: 0, .. }) => {
                    let said = match link.client.farewell() {
                        Some(farewell) => format!("the server closed the connection with {farewell}"),
                        None => "the server closed the connection before the whole answer".into(),
                    };
                    break Some((Cause::Closed, said));
                }
                Ok(Received { length, drained, .. }) => {
                    // What comes now has come, however long it takes to look at it.
                    self.now = self.clock.now();
                    link.heard = self.now;
                    link.client.set_now(self.now);
                    link.client.feed(&input[..length]);
                    self.book_link(users, key);
                    self.take_done(users, key);
                    if drained && !ended {
                        break None;
                    }
                }
                Err(Broken::Socket(Errno::AGAIN)) => break None,
                Err(Broken::Socket(why)) => break Some((Cause::Reset, sentence(why).into())),
                Err(Broken::Tls(said)) => break Some((Cause::Tls, said)),
            }
        };
        self.input = input;
        broken
    }

    /// Sends what follows from what was received, and ends the link if it is at its end.
    fn settle(&mut self, users: &mut [User], key: LinkKey, broken: Option<(Cause, String)>) {
        loop {
            self.take_done(users, key);
            let Some(multiplex) = &mut self.multiplex else { return };
            let Some(link) = multiplex.links.get(key) else { return };
            link.pump(&mut multiplex.out);
            if !link.client.has_done() {
                break;
            }
        }
        self.book_link(users, key);
        let shared = self.shared;
        let Some(link) = self.link(key) else { return };
        shared.protocols.errors(link.client.take_signals());
        let idle = link.client.open_streams() == 0;
        let fault = link.client.fault().map(|said| (Cause::Http2, said.to_owned()));
        if let Some((cause, said)) = fault.or(broken) {
            self.break_link(users, key, cause, &said);
        } else if idle && (!link.is_usable() || link.client.is_over()) {
            self.remove_link(users, key);
        } else {
            self.allow_streams(key);
        }
    }

    /// Everything under way on a link fails, or is sent again elsewhere, because it broke.
    fn break_link(&mut self, users: &mut [User], key: LinkKey, cause: Cause, said: &str) {
        let Some(link) = self.link(key) else { return };
        link.closing = true;
        link.broken = Some(cause);
        let asked = link.client.open_streams() > 0;
        link.client.abandon(&Lost::Ended(said.into()));
        self.take_done(users, key);
        if asked {
            self.forget_link(users, key);
            self.close_link(key);
        } else {
            self.remove_link(users, key);
        }
    }

    /// The server ended a link on which nothing is asked: with its last answer, or while it was idle.
    fn remove_link(&mut self, users: &mut [User], key: LinkKey) {
        let answered = self.link(key).is_some_and(|link| link.answered);
        let between = self.forget_link(users, key);
        self.recorder.closed_with_answer += u64::from(answered);
        self.recorder.closed_idle += u64::from(between && !answered);
        self.close_link(key);
    }

    /// No user has the link any more; whether one had it in the middle of a session.
    fn forget_link(&mut self, users: &mut [User], key: LinkKey) -> bool {
        let Some(link) = self.link(key) else { return false };
        let Owner::User(token) = link.owner else { return true };
        let user = &mut users[token as usize];
        user.link = user.link.filter(|own| *own != key);
        user.links_aside.retain(|(_, own)| *own != key);
        user.next != Next::NewSession || user.is_busy()
    }

    /// Closes a link in good order, if that can be done at once.
    pub(crate) fn close_link(&mut self, key: LinkKey) {
        let Some(multiplex) = &mut self.multiplex else { return };
        let Some(mut link) = multiplex.links.remove(key) else { return };
        if link.broken.is_none() {
            link.client.leave();
            link.pump(&mut multiplex.out);
            link.connection.say_goodbye();
        }
        for pool in multiplex.pools.iter_mut().filter(|pool| pool.link == Some(key)) {
            pool.link = None;
        }
        self.recorder.bytes_out += link.connection.wire.sent;
        self.recorder.bytes_in += link.connection.wire.received;
        self.shared.protocols.errors(link.client.take_signals());
        self.gauges.connections -= 1;
    }

    /// Books what crossed the network on a link since this was done last. What a user's own connection carried
    /// is its own; that of a pool is booked by streams.
    pub(super) fn book_own(&mut self, user: &mut User, key: LinkKey) {
        let Some(link) = self.link(key) else { return };
        let (Wire { sent, received }, owner) = (std::mem::take(&mut link.connection.wire), link.owner);
        self.recorder.bytes_out += sent;
        self.recorder.bytes_in += received;
        if owner == Owner::User(user.token) {
            user.counts.add(Counter::BytesOut, sent);
            user.counts.add(Counter::BytesIn, received);
        }
    }

    /// The same, of whoever owns it.
    fn book_link(&mut self, users: &mut [User], key: LinkKey) {
        let owner = self.link(key).map(|link| link.owner);
        let token = if let Some(Owner::User(token)) = owner { token } else { 0 };
        if let Some(user) = users.get_mut(token as usize) {
            self.book_own(user, key);
        }
    }
}
