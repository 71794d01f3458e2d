//! One client's session: what it has encrypted goes in, what it is to read comes out.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use rustls::server::{ServerConnectionData, UnbufferedServerConnection};
use rustls::unbuffered::{ConnectionState, EncodeError, UnbufferedStatus, WriteTraffic};
use rustls::{Error, ServerConfig};

use super::Scratch;

/// Most bytes of a record's content (RFC 8446 §5.1).
pub(crate) const RECORD: usize = 1 << 14;
/// Most of a record on the wire: TLS 1.2 allows 2,048 bytes more, and five stand before it (RFC 5246 §6.2.3).
/// A first message must fit into as much.
pub(crate) const MOST_INCOMING: usize = RECORD + 2048 + 5;
/// What a record takes beyond its content: TLS 1.2 with AES-GCM has 5 + 8 + 16 bytes, TLS 1.3 5 + 1 + 16.
const OVERHEAD: usize = 5 + 8 + 16;
/// Room for that, or for a short message of the session's own: new keys, the end.
const ROOM: usize = 128;
/// Content that is worth a record of its own: less waits until the socket has more room.
const WORTH: usize = 1024;

/// A session between its first byte and its end.
pub struct Session {
    connection: UnbufferedServerConnection,
    /// What has arrived and is no whole record yet.
    incoming: Vec<u8>,
    /// What was decrypted; from `taken` on nobody has it yet.
    plain: Vec<u8>,
    taken: usize,
    /// What the session itself has to say: handshakes, alerts.
    outgoing: Vec<u8>,
    /// Whether the client has said that it sends nothing more.
    ended: bool,
    /// Whether we have.
    parted: bool,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("ended", &self.ended).field("parted", &self.parted).finish()
    }
}

impl Session {
    pub(super) fn new(config: Arc<ServerConfig>) -> Result<Self, Error> {
        let connection = UnbufferedServerConnection::new(config)?;
        let (incoming, plain, outgoing) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { connection, incoming, plain, taken: 0, outgoing, ended: false, parted: false })
    }

    /// Takes as much of `bytes` as a record may have; how many.
    ///
    /// # Errors
    /// They are not TLS, or belong to no session that both sides can have. [`Session::outgoing`] says why.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        let count = bytes.len().min(MOST_INCOMING - self.incoming.len());
        self.incoming.extend_from_slice(&bytes[..count]);
        self.process()?;
        if self.incoming.len() == MOST_INCOMING {
            return Err(Error::General("a message is longer than a record".into()));
        }
        if self.incoming.is_empty() {
            // Most clients wait for an answer now: the room is another's.
            self.incoming = Vec::new();
        }
        Ok(count)
    }

    /// Goes on until more must arrive.
    fn process(&mut self) -> Result<(), Error> {
        loop {
            match self.advance() {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(error) => {
                    // Why goes to the client: the alert is what comes next, and nothing is to be asked after.
                    self.parted = true;
                    let _ = self.advance();
                    return Err(error);
                }
            }
        }
    }

    /// Does one thing; whether there may be another.
    fn advance(&mut self) -> Result<bool, Error> {
        let UnbufferedStatus { mut discard, state } = self.connection.process_tls_records(&mut self.incoming);
        let again = match state {
            Ok(ConnectionState::ReadTraffic(mut traffic)) => {
                while let Some(record) = traffic.next_record() {
                    let record = record?;
                    discard += record.discard;
                    self.plain.extend_from_slice(record.payload);
                }
                Ok(true)
            }
            Ok(ConnectionState::EncodeTlsData(mut data)) => {
                let from = self.outgoing.len();
                if let Err(EncodeError::InsufficientSize(lack)) = data.encode(&mut []) {
                    self.outgoing.resize(from + lack.required_size, 0);
                    // There is room for all of it now.
                    let _ = data.encode(&mut self.outgoing[from..]);
                }
                Ok(true)
            }
            Ok(ConnectionState::TransmitTlsData(data)) => {
                data.done();
                Ok(true)
            }
            Ok(ConnectionState::PeerClosed) => {
                self.ended = true;
                Ok(true)
            }
            // Data before the handshake's end is not asked for; what else there is waits for more.
            Ok(_) => Ok(false),
            Err(error) => Err(error),
        };
        self.incoming.drain(..discard);
        again
    }

    /// What was decrypted and not taken yet.
    pub fn plain(&self) -> &[u8] {
        &self.plain[self.taken..]
    }

    /// Takes so many bytes of it.
    pub fn take(&mut self, count: usize) {
        self.taken += count;
        if self.taken == self.plain.len() {
            (self.plain, self.taken) = (Vec::new(), 0);
        }
    }

    /// What the session has to say, before any further record.
    pub fn outgoing(&self) -> &[u8] {
        &self.outgoing
    }

    /// So many bytes of that are on their way.
    pub fn sent(&mut self, count: usize) {
        self.outgoing.drain(..count);
        if self.outgoing.is_empty() {
            self.outgoing = Vec::new();
        }
    }

    /// Whether the client has said that it sends nothing more.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Encrypts the beginning of `head` and `body` into a record of at most `room` bytes: how many bytes of
    /// theirs, and the record. None while the session itself has something to say, or the room is not worth a
    /// record.
    pub(super) fn seal<'a>(
        &mut self,
        head: &[u8],
        body: &[u8],
        room: usize,
        scratch: &'a mut Scratch,
    ) -> (usize, &'a [u8]) {
        let all = head.len() + body.len();
        let count = all.min(RECORD).min(room.saturating_sub(OVERHEAD));
        if count < all.min(WORTH) || count == 0 || !self.outgoing.is_empty() {
            return (0, &[]);
        }
        let Scratch { plain, record } = scratch;
        let content = match head.len() {
            0 => &body[..count],
            length if length >= count => &head[..count],
            length => {
                plain.clear();
                plain.extend_from_slice(head);
                plain.extend_from_slice(&body[..count - length]);
                plain
            }
        };
        record.resize(RECORD + 2 * ROOM, 0);
        let sealed = self.write(|traffic| traffic.encrypt(content, record).ok());
        // A session whose keys are used up says nothing more, and its client's patience ends.
        sealed.map_or((0, &[]), |bytes| (count, &record[..bytes]))
    }

    /// Says what a socket did not take of a record before anything else.
    pub(super) fn hold(&mut self, rest: &[u8]) {
        self.outgoing.extend_from_slice(rest);
    }

    /// Says the end of the session, so that the client knows that nothing was cut off; not in a handshake.
    pub fn part(&mut self) {
        let mut record = [0; ROOM];
        if !core::mem::replace(&mut self.parted, true) {
            let bytes = self.write(|traffic| traffic.queue_close_notify(&mut record).ok());
            self.hold(&record[..bytes.unwrap_or(0)]);
        }
    }

    /// Has `act` write, if the session is open.
    fn write(
        &mut self,
        act: impl FnOnce(&mut WriteTraffic<'_, ServerConnectionData>) -> Option<usize>,
    ) -> Option<usize> {
        let UnbufferedStatus { discard, state } = self.connection.process_tls_records(&mut self.incoming);
        let written = match state {
            Ok(ConnectionState::WriteTraffic(mut traffic)) => act(&mut traffic),
            _ => None,
        };
        self.incoming.drain(..discard);
        written
    }
}
