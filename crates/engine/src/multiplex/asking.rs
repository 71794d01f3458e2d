//! Requests on their way: which connection, which stream.

use loadstone_h2::Keep;
use rustix::fd::AsFd;

use super::link::{Link, Owner};
use super::text::{Body, fields_of, shown};
use super::{Flying, LinkKey};
use crate::driver::Driver;
use crate::recorder::Cause;
use crate::socket::sentence;
use crate::user::{Stage, User, Work};

/// How the next request of a user goes.
enum Way {
    /// On this link.
    On(LinkKey),
    /// On one that somebody else makes.
    Wait,
    /// On a connection that it makes itself.
    Connect,
}

impl Driver<'_> {
    /// Sends the request that the user wants now by HTTP/2, or lets it wait for a shared connection; false when a
    /// connection must be made, or is there and speaks HTTP/1.1.
    #[inline]
    pub(crate) fn dispatch_multiplexed(&mut self, user: &mut User, work: &mut Work) -> bool {
        if self.multiplex.is_none() || user.connection.is_some() {
            return false;
        }
        match self.way(user) {
            Way::On(key) => self.ask_on(user, work, key),
            Way::Wait => user.stage = Stage::Joining,
            Way::Connect => return false,
        }
        true
    }

    fn way(&mut self, user: &mut User) -> Way {
        let Some(multiplex) = &mut self.multiplex else { return Way::Connect };
        if let Some(key) = user.link {
            if multiplex.links.is_usable(key) {
                return Way::On(key);
            }
            user.link = None;
        } else if multiplex.pools.is_empty() {
            return Way::Connect;
        }
        let Some(at) = multiplex.pool_of(user.token) else {
            // Its own link takes no more requests.
            return Way::Connect;
        };
        if let Some(key) = multiplex.pools[at].link.filter(|key| multiplex.links.is_usable(*key)) {
            user.link = Some(key);
            return Way::On(key);
        }
        multiplex.pools[at].connect(user.token)
    }

    /// A connection of the user speaks HTTP/2: it becomes a link, and the request goes out on it.
    pub(crate) fn establish(&mut self, user: &mut User, work: &mut Work) {
        let Some(multiplex) = &mut self.multiplex else { return };
        let Some(connection) = user.connection.take() else { return };
        let pool = multiplex.pool_of(user.token);
        let owner = pool.map_or(Owner::User(user.token), Owner::Pool);
        let key = multiplex.links.insert(Link::new(connection, owner, self.now));
        self.shared.protocols.connected(true);
        let poll = self.poll.as_fd();
        let watched = multiplex.links.get(key).map_or(Ok(()), |link| link.report_again(poll, key));
        if let Err(why) = watched {
            self.close_link(key);
            self.fail(user, work, Cause::Reset, sentence(why));
            return;
        }
        if let Some(at) = pool {
            let Some(multiplex) = &mut self.multiplex else { return };
            multiplex.pools[at].made(Some(key), &mut multiplex.ready);
        }
        user.link = Some(key);
        self.ask_on(user, work, key);
    }

    /// The server has chosen HTTP/1.1 for a connection that a user made.
    pub(crate) fn fall_back(&mut self, user: &mut User, work: &mut Work) {
        let Some(multiplex) = &mut self.multiplex else { return };
        self.shared.protocols.connected(false);
        work.journey.references.rewind(user.at);
        if let (Some(at), Some(offered)) = (multiplex.pool_of(user.token), &mut self.offered) {
            multiplex.pools[at].made(None, &mut multiplex.ready);
            multiplex.pools[at].allow(1, &mut offered.idle);
        }
    }

    /// Lets users whose shared connection was made, or not, try again.
    pub(crate) fn resume_joined(&mut self, users: &mut [User]) {
        while let Some(token) = self.multiplex.as_mut().and_then(|all| all.ready.pop()) {
            let user = &mut users[token as usize];
            if user.stage == Stage::Joining {
                let mut work = self.borrow_work(user);
                self.dispatch(user, &mut work);
                self.return_work(user, work);
            }
        }
    }

    /// Asks on a link for what the user wants now: one thing, or the files of a page at once.
    fn ask_on(&mut self, user: &mut User, work: &mut Work, key: LinkKey) {
        user.stage = Stage::Reading;
        if self.fetches_at_once(user, work) {
            self.fetch_files(user, work, key);
        } else if self.ask(user, work, key, None) {
            self.pump(user, key);
        } else {
            self.dispatch(user, work);
        }
    }

    /// Opens a stream; false when the link takes no more requests. `file`: which of several files of a page.
    pub(super) fn ask(
        &mut self,
        user: &mut User,
        work: &mut Work,
        key: LinkKey,
        file: Option<usize>,
    ) -> bool {
        let (program, requests) = (self.program, self.requests);
        let traced = self.shared.trace.as_ref();
        traced.iter().for_each(|trace| trace.asked(program, user, self.now));
        let wanted = self.wants(user, &work.journey);
        let constant = self
            .constant(user, &work.journey)
            .and_then(|_| requests.constant_fields(user.operation, user.step).filter(|_| traced.is_none()));
        if constant.is_none() {
            self.write_request(user, &mut work.journey);
        }
        let Some(multiplex) = &mut self.multiplex else { return false };
        let Some(link) = multiplex.links.get(key) else { return false };
        let outgoing = &mut work.journey.outgoing;
        let (fields, body) = match constant {
            Some(fields) => (fields, None),
            None => {
                traced.iter().for_each(|trace| trace.wrote(&shown(&outgoing.shown())));
                let head =
                    fields_of(outgoing.text(), program.places[user.host].scheme(), &mut multiplex.fields);
                (&multiplex.fields, Body::after(head, outgoing))
            }
        };
        outgoing.clear();
        let keep = match wanted {
            (true, _) => Keep::All,
            (_, true) => Keep::Coded,
            _ => Keep::Nothing,
        };
        multiplex.tickets = multiplex.tickets.wrapping_add(1);
        let ticket = multiplex.tickets;
        let tag = u64::from(user.token) << 32 | u64::from(ticket);
        match link.client.open(fields, body, keep, tag) {
            Ok(stream) => {
                let location = file.map(|_| work.journey.location.clone()).unwrap_or_default();
                user.streams.push(Flying { link: key, stream, ticket, sent: self.now, file, location });
            }
            // All numbers of streams are used up, for one.
            Err(_) => link.closing = true,
        }
        user.streams.last().is_some_and(|flying| flying.ticket == ticket)
    }

    /// Lets what was asked leave now.
    pub(super) fn pump(&mut self, user: &mut User, key: LinkKey) {
        if let Some(multiplex) = &mut self.multiplex {
            multiplex.pump(key);
            if multiplex.busy != Some(key) {
                self.book_own(user, key);
            }
        }
    }

    /// Nothing that the user has asked for is wanted any more.
    pub(crate) fn cancel(&mut self, user: &mut User) {
        for flying in std::mem::take(&mut user.streams) {
            let Some(multiplex) = &mut self.multiplex else { return };
            let Some(link) = multiplex.links.get(flying.link) else { continue };
            link.client.cancel(flying.stream);
            let left_over = !link.is_usable() && link.client.open_streams() == 0;
            multiplex.pump(flying.link);
            if left_over && multiplex.busy != Some(flying.link) && user.link != Some(flying.link) {
                self.close_link(flying.link);
            }
        }
    }

    /// A user that failed keeps its connection, if other requests can go on it.
    pub(crate) fn give_up(&mut self, user: &mut User) {
        if user.connection.is_some() || user.link.is_none() {
            self.close_current(user);
        } else {
            self.cancel(user);
        }
    }

    /// A user leaves its connections: its own link is closed, and it waits for none.
    pub(crate) fn leave_links(&mut self, user: &mut User) {
        self.cancel(user);
        let link = user.link.take();
        let Some(multiplex) = &mut self.multiplex else { return };
        match multiplex.pool_of(user.token) {
            Some(at) => multiplex.pools[at].left(user.token, &mut multiplex.ready),
            None => link.into_iter().for_each(|key| self.close_link(key)),
        }
    }

    /// A request took too long. A link on which nothing came since it was sent is dead, and used no more.
    pub(crate) fn doubt(&mut self, user: &mut User, work: &mut Work) {
        let Some(oldest) = user.streams.first() else { return };
        let (key, sent) = (oldest.link, oldest.sent);
        if let Some(file) = oldest.file {
            work.journey.references.select(file);
        }
        if let Some(link) = self.link(key).filter(|link| link.heard <= sent) {
            link.closing = true;
            if link.owner == Owner::User(user.token) {
                self.close_current(user);
            }
        }
    }
}

impl super::pool::Pool {
    /// How a request of `token` gets a connection when there is none.
    fn connect(&mut self, token: u32) -> Way {
        match self.connecting {
            _ if self.plain => Way::Connect,
            Some(other) if other != token => {
                self.waiting.push(token);
                Way::Wait
            }
            _ => {
                self.connecting = Some(token);
                Way::Connect
            }
        }
    }
}
