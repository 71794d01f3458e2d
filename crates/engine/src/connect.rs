//! Connections of users: how they begin, break and end.

use std::sync::atomic::Ordering;

use rustix::event::epoll::EventFlags;
use rustix::fd::AsFd;
use rustix::io::Errno;

use crate::driver::Driver;
use crate::reach::Address;
use crate::recorder::{Cause, SECOND};
use crate::socket::{Connection, sentence};
use crate::user::{Stage, User, Work};

/// If a used connection breaks later than this after the request was sent, the server did not close it
/// because it was idle. That would be known after one round trip, and this is TCP's first estimate of one
/// (RFC 6298).
pub(crate) const CLOSING_RACE: u64 = SECOND;

/// Time between two tries to get into the queue of a Unix socket.
const KNOCK: u64 = 1_000;

impl Driver<'_> {
    /// Begins to make a connection for the request that the user wants now.
    pub(crate) fn connect(&mut self, user: &mut User, work: &mut Work) {
        self.shared.first_try.fetch_min(self.now, Ordering::Relaxed);
        let address = &self.shared.hosts[user.host].addresses[user.address];
        let source = match address {
            Address::Inet(address) => self.shared.sources.choose(*address, user.state.user()),
            Address::Unix(_) => None,
        };
        self.be_prompt();
        match Connection::open(address, source, self.poll.as_fd(), user.new_token()) {
            Ok(mut connection) => {
                if self.unread.is_some() {
                    connection.stamp();
                }
                user.connection = Some(connection);
                user.stage = Stage::Connecting;
                user.setup.began = self.now;
            }
            // The queue of a Unix socket is full. A client that may block would wait for room.
            Err(Errno::AGAIN) => {
                user.stage = Stage::Knocking;
                self.await_start(user, self.now + KNOCK);
            }
            Err(why) => self.refused(user, work, why),
        }
    }

    /// The connection was not made. As long as none ever was, the other addresses of the host are tried
    /// first: the server may listen on one of them only.
    fn refused(&mut self, user: &mut User, work: &mut Work, why: Errno) {
        let shared = self.shared;
        self.close_current(user);
        self.now = self.clock.now();
        let host = &shared.hosts[user.host];
        let connected = host.connected.load(Ordering::Relaxed);
        let answering = host.address.load(Ordering::Relaxed);
        if connected && user.address != answering {
            user.address = answering;
            self.dispatch(user, work);
        } else if !connected && user.addresses_tried < host.addresses.len() {
            user.address = (user.address + 1) % host.addresses.len();
            user.addresses_tried += 1;
            self.dispatch(user, work);
        } else {
            shared.refused.store(true, Ordering::Relaxed);
            self.fail(user, work, Cause::Refused, &format!("no connection: {}", sentence(why)));
        }
    }

    pub(crate) fn on_connected(&mut self, user: &mut User, work: &mut Work, flags: EventFlags) {
        let Some(connection) = &mut user.connection else { return };
        match connection.outcome() {
            Err(why) => self.refused(user, work, why),
            Ok(()) if flags.contains(EventFlags::OUT) => {
                connection.established = true;
                self.recorder.connects += 1;
                let another = !user.aside.is_empty() || !user.lanes.is_empty();
                let another = another && user.has_another();
                self.recorder.beside += u64::from(another);
                self.recorder.reconnects += user.session.reached >> user.host & u64::from(!another);
                user.session.reached |= 1 << user.host;
                self.gauges.connections += 1;
                self.now = self.clock.now();
                user.setup.connect += self.now - user.setup.began;
                let host = &self.shared.hosts[user.host];
                if !host.connected.load(Ordering::Relaxed) {
                    host.address.store(user.address, Ordering::Relaxed);
                    host.connected.store(true, Ordering::Relaxed);
                    self.shared.connected.store(true, Ordering::Relaxed);
                }
                match &host.tunnel {
                    Some(request) => {
                        user.setup.began = self.now;
                        self.ask_for_tunnel(user, work, request);
                    }
                    None => self.begin_talk(user, work),
                }
            }
            Ok(()) => {}
        }
    }

    /// The host can be talked to: TLS comes first, or the request goes out.
    pub(crate) fn begin_talk(&mut self, user: &mut User, work: &mut Work) {
        match &self.shared.hosts[user.host].credentials {
            None if self.multiplex.is_some() => self.establish(user, work),
            None => self.send_request(user, work),
            Some(credentials) => self.secure(user, work, credentials),
        }
    }

    /// The connection broke. One that was idle before may have been closed by the server just when the
    /// request was sent; that is normal with keep-alive and not a failure, so the request is sent once more.
    /// A server that had the request for a while and then closes has failed.
    pub(crate) fn lost(&mut self, user: &mut User, work: &mut Work, cause: Cause, said: &str) {
        let reused = user.connection.as_ref().is_some_and(|c| c.reused);
        self.close_current(user);
        self.now = self.clock.now();
        let sent = user.deadline - user.patience;
        let at_once = self.now - sent <= CLOSING_RACE;
        let again = reused && at_once && user.again == 0 && user.reader.is_untouched(&work.store);
        if again {
            user.again = 1;
            self.recorder.closed_idle += 1;
            work.journey.outgoing.clear();
            // Others that were idle for as long are as good as closed.
            self.drop_aside(user);
            self.dispatch(user, work);
        } else {
            self.fail(user, work, cause, said);
        }
    }

    /// The request under way took too long.
    pub(crate) fn on_timeout(&mut self, user: &mut User) {
        let mut work = self.borrow_work(user);
        self.give_up_waiting(user, &mut work);
        self.return_work(user, work);
    }

    /// The operation under way took too long as a whole.
    pub(crate) fn on_last_call(&mut self, user: &mut User) {
        let mut work = self.borrow_work(user);
        self.fail(user, &mut work, Cause::Timeout, "the operation took longer than its `timeout_s`");
        self.return_work(user, work);
    }

    /// The same, with the buffers of the request.
    pub(crate) fn give_up_waiting(&mut self, user: &mut User, work: &mut Work) {
        let unheard;
        let said = match user.stage {
            Stage::Listening => {
                unheard = self.unheard(user);
                &unheard
            }
            Stage::Connecting | Stage::Joining | Stage::Knocking => "no connection in time",
            Stage::Tunnelling => "no connection by the proxy in time",
            Stage::Handshaking => "no TLS handshake in time",
            Stage::Calling => "the function did not return in time",
            _ => "no whole answer in time",
        };
        self.doubt(user, work);
        self.fail(user, work, Cause::Timeout, said);
    }

    /// Closes a user's connections to all hosts.
    pub(crate) fn close(&mut self, user: &mut User) {
        self.close_current(user);
        self.drop_socket(user);
        while let Some(connection) = user.aside.pop() {
            self.drop_connection(connection);
        }
        while let Some((_, link)) = user.links_aside.pop() {
            self.close_link(link);
        }
    }

    /// Closes a user's connection in use.
    pub(crate) fn close_current(&mut self, user: &mut User) {
        if let Some(connection) = user.connection.take() {
            self.drop_connection(connection);
        }
        if self.multiplex.is_some() {
            self.leave_links(user);
        }
    }

    /// Leaves it to the server to close the user's connection in use, as it said that it would.
    pub(crate) fn part(&mut self, user: &mut User) {
        if let Some(mut connection) = user.connection.take() {
            connection.say_goodbye();
            self.gauges.connections -= u32::from(connection.established);
            self.parting.keep(user.token, connection, self.now);
        }
        self.close_current(user);
    }

    pub(crate) fn drop_connection(&mut self, mut connection: Connection) {
        connection.say_goodbye();
        self.gauges.connections -= u32::from(connection.established);
    }
}
