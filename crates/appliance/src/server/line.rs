//! What a connection hears and says: its socket, beneath a session where its port has TLS.

use smoltcp::socket::tcp::Socket;

#[cfg(feature = "tls")]
use super::desk::Memory;
use super::desk::{Application, Desk};
#[cfg(feature = "tls")]
use crate::tls::{SESSION, Session};

/// What there is to hear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// Bytes for the conversation: [`Line::take`].
    Bytes,
    /// Nothing yet.
    Nothing,
    /// The client sends nothing more.
    End,
    /// What the client sends is no session.
    #[cfg_attr(not(feature = "tls"), expect(dead_code, reason = "sockets alone hear all bytes"))]
    Broken,
}

/// A connection's session, if it has one. The socket is the caller's.
#[derive(Debug)]
pub(super) struct Line {
    /// Behind a pointer: a plain connection is not to grow by what a session needs.
    #[cfg(feature = "tls")]
    session: Option<alloc::boxed::Box<Session>>,
}

impl Line {
    /// Of a client that has just connected to the port of `application`.
    #[cfg_attr(not(feature = "tls"), expect(unused_variables, reason = "there are plain lines only"))]
    pub fn new(application: &Application) -> Self {
        Self {
            #[cfg(feature = "tls")]
            session: application.tls.as_ref().map(|tls| tls.session().into()),
        }
    }

    /// What there is to hear. A session takes a record from the socket where there is memory for it.
    #[cfg_attr(not(feature = "tls"), expect(unused_variables, reason = "a socket has its memory"))]
    pub fn hear(&mut self, socket: &mut Socket<'_>, desk: &Desk<'_>) -> Heard {
        #[cfg(feature = "tls")]
        if let Some(session) = &mut self.session {
            return decrypt(session, socket, desk.memory);
        }
        match (socket.can_recv(), socket.may_recv()) {
            (true, _) => Heard::Bytes,
            (_, true) => Heard::Nothing,
            _ => Heard::End,
        }
    }

    /// Has `input` take what there is of bytes, into its spare capacity; how many.
    pub fn take(&mut self, socket: &mut Socket<'_>, input: &mut alloc::vec::Vec<u8>) -> usize {
        let mut append = |bytes: &[u8]| {
            let count = bytes.len().min(input.capacity() - input.len());
            input.extend_from_slice(&bytes[..count]);
            count
        };
        #[cfg(feature = "tls")]
        if let Some(session) = &mut self.session {
            let count = append(session.plain());
            session.take(count);
            return count;
        }
        let taken = socket.recv(|bytes| {
            let count = append(bytes);
            (count, count)
        });
        taken.unwrap_or(0)
    }

    /// Says as much of `head` and `body` as there is room for, of which `sent` bytes were said before; how many
    /// are now. A socket that can send no more is noticed by who looks after its state.
    pub fn say(
        &mut self,
        socket: &mut Socket<'_>,
        head: &[u8],
        body: &[u8],
        mut sent: usize,
        application: &mut Application,
    ) -> usize {
        loop {
            let head_left = head.get(sent..).unwrap_or_default();
            let body_left = body.get(sent.saturating_sub(head.len())..).unwrap_or_default();
            let count = self.put(socket, head_left, body_left, application);
            sent += count;
            if count == 0 {
                return sent;
            }
        }
    }

    #[cfg_attr(not(feature = "tls"), expect(unused_variables, reason = "a socket needs no keys"))]
    fn put(
        &mut self,
        socket: &mut Socket<'_>,
        head: &[u8],
        body: &[u8],
        application: &mut Application,
    ) -> usize {
        #[cfg(feature = "tls")]
        if let (Some(session), Some(tls)) = (&mut self.session, &mut application.tls) {
            if !give(session, socket) {
                return 0;
            }
            let room = socket.send_capacity() - socket.send_queue();
            return tls.send(session, (head, body), room, |record| socket.send_slice(record).unwrap_or(0));
        }
        socket.send_slice(if head.is_empty() { body } else { head }).unwrap_or(0)
    }

    /// Says that nothing more comes; whether the socket has all that was said, so that it can be closed.
    #[cfg_attr(not(feature = "tls"), expect(unused_variables, reason = "a socket's end says so"))]
    pub fn part(&mut self, socket: &mut Socket<'_>) -> bool {
        #[cfg(feature = "tls")]
        if let Some(session) = &mut self.session {
            session.part();
            return give(session, socket) || !socket.may_send();
        }
        true
    }
}

/// Decrypts what has arrived, until there is something for the conversation.
#[cfg(feature = "tls")]
fn decrypt(session: &mut Session, socket: &mut Socket<'_>, memory: Memory<'_>) -> Heard {
    loop {
        give(session, socket);
        if !session.plain().is_empty() {
            return Heard::Bytes;
        }
        if session.has_ended() || !socket.may_recv() && !socket.can_recv() {
            return Heard::End;
        }
        // Who finds no memory waits for others to give theirs back; patience ends here as anywhere.
        if !socket.can_recv() || !memory.affords(SESSION, 0) {
            return Heard::Nothing;
        }
        let received = socket.recv(|bytes| {
            let result = session.receive(bytes);
            (*result.as_ref().unwrap_or(&bytes.len()), result)
        });
        if !matches!(received, Ok(Ok(_))) {
            // The client hears why, if it listens.
            give(session, socket);
            return Heard::Broken;
        }
    }
}

/// Gives the socket what the session has to say; whether it took all of it.
#[cfg(feature = "tls")]
fn give(session: &mut Session, socket: &mut Socket<'_>) -> bool {
    let count = socket.send_slice(session.outgoing()).unwrap_or(0);
    session.sent(count);
    session.outgoing().is_empty()
}
