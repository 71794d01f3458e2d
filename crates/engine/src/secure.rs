//! Users and TLS: the handshake of a new connection, and what a server says between two answers.

use rustls::HandshakeKind;

use crate::driver::Driver;
use crate::recorder::Cause;
use crate::socket::{Broken, Connection, sentence};
use crate::tls::{Credentials, Session};
use crate::user::{Stage, User, Work};

impl Driver<'_> {
    /// Begins the handshake of a connection that is made.
    pub(crate) fn secure(&mut self, user: &mut User, work: &mut Work, credentials: &Credentials) {
        let Some(connection) = &mut user.connection else { return };
        if user.tls.len() <= user.host {
            user.tls.resize(user.host + 1, None);
        }
        match credentials.connect(&mut user.tls[user.host]) {
            Ok(client) => {
                connection.secure(Session::new(client));
                user.stage = Stage::Handshaking;
                user.setup.began = self.now;
                self.shake_hands(user, work, false);
            }
            Err(why) => self.fail(user, work, Cause::Tls, &why.to_string()),
        }
    }

    /// Goes on with the handshake, and sends the request after it. `ended`: as in `receive`.
    pub(crate) fn shake_hands(&mut self, user: &mut User, work: &mut Work, ended: bool) {
        let Some(connection) = &mut user.connection else { return };
        let outcome = connection.shake_hands(&mut self.records);
        self.book(user);
        match outcome {
            Ok(false) => {}
            Ok(true) => {
                self.shook_hands(user);
                if user.connection.as_ref().and_then(|one| one.tls()).is_some_and(Session::has_http2) {
                    self.establish(user, work);
                    return;
                }
                self.fall_back(user, work);
                self.send_request(user, work);
                // The last records of the handshake may have brought more than the handshake.
                if user.connection.is_some() && matches!(user.stage, Stage::Reading | Stage::Sending) {
                    self.receive(user, work, ended);
                }
            }
            Err(fault) => {
                self.now = self.clock.now();
                match fault {
                    Broken::Socket(why) => {
                        let said = format!("{} in the TLS handshake", sentence(why));
                        self.fail(user, work, Cause::Reset, &said);
                    }
                    Broken::Tls(said) => self.fail(user, work, Cause::Tls, &said),
                }
            }
        }
    }

    /// Counts a handshake, and how long it took.
    fn shook_hands(&mut self, user: &mut User) {
        self.now = self.clock.now();
        let took = self.now - user.setup.began;
        user.setup.handshake += took;
        let Some(tls) = user.connection.as_ref().and_then(|connection| connection.tls()) else { return };
        let kind = tls.handshake().unwrap_or(HandshakeKind::Full);
        self.recorder.shook_hands(kind == HandshakeKind::Resumed, took);
        self.shared.handshakes.note(tls.connection(), kind);
    }

    /// Whether what a server sent to a user that awaits nothing is TLS's own, such as a ticket.
    pub(crate) fn is_chatter(&mut self, user: &mut User, connection: &mut Connection) -> bool {
        if connection.tls().is_none() {
            return false;
        }
        let received = connection.receive(&mut self.input, &mut self.records);
        self.book_wire(user, std::mem::take(&mut connection.wire));
        matches!(received, Err(Broken::Socket(rustix::io::Errno::AGAIN)))
    }

    /// The same of the connection in use.
    pub(crate) fn chatters(&mut self, user: &mut User) -> bool {
        let Some(mut connection) = user.connection.take() else { return false };
        let chatter = self.is_chatter(user, &mut connection);
        user.connection = Some(connection);
        chatter
    }
}
