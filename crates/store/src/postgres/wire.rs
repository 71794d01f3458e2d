//! The connection: bytes, messages, and who we are.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use std::io::{self, Read, Write};

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use super::stream::Stream;
use super::{failure, sentence};
use crate::address::Address;
use crate::error::Kind;
use crate::{Error, Result};

const READ_BYTES: usize = 32 * 1024;

/// A connection that speaks the protocol's version 3.
pub(super) struct Wire {
    stream: Stream,
    out: BytesMut,
    input: BytesMut,
    chunk: Vec<u8>,
    /// Commands whose answers nobody has read yet.
    unread: usize,
}

impl Wire {
    /// Connects and logs in with `settings` for the session.
    pub(super) fn connect(address: &Address, settings: &[(&str, &str)]) -> Result<Self> {
        let mut wire = Self {
            stream: Stream::connect(address)?,
            out: BytesMut::new(),
            input: BytesMut::new(),
            chunk: vec![0; READ_BYTES],
            unread: 0,
        };
        let who = [("user", address.user.as_str()), ("database", address.database.as_str())];
        let all = who.iter().chain(settings).copied();
        wire.write(|out| frontend::startup_message(all, out))?;
        wire.log_in(address)?;
        wire.answer(|_| Ok(()))?;
        Ok(wire)
    }

    /// Adds messages to what the next [`Self::flush`] or [`Self::answer`] sends; all of them or none.
    pub(super) fn write(&mut self, messages: impl FnOnce(&mut BytesMut) -> io::Result<()>) -> Result<()> {
        let before = self.out.len();
        messages(&mut self.out).map_err(|error| {
            self.out.truncate(before);
            Error::other(sentence(&error))
        })
    }

    /// Adds a command whose answer matters to nobody, unless it is an error.
    pub(super) fn write_unanswered(&mut self, sql: &str) -> Result<()> {
        self.write(|out| frontend::query(sql, out))?;
        self.unread += 1;
        Ok(())
    }

    /// Sends what was written.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.stream.write_all(&self.out).and_then(|()| self.stream.flush()).map_err(|error| lost(&error))?;
        self.out.clear();
        Ok(())
    }

    /// Sends what was written and shows the answer's messages to `each`, up to the one that ends it.
    pub(super) fn answer(&mut self, mut each: impl FnMut(Message) -> io::Result<()>) -> Result<()> {
        self.flush()?;
        while self.unread > 0 {
            // BEGIN and ROLLBACK fail only with their connection.
            self.read_answer(&mut |_| Ok(())).map_err(|error| Error { kind: Kind::Lost, ..error })?;
            self.unread -= 1;
        }
        self.read_answer(&mut each)
    }

    fn read_answer(&mut self, each: &mut dyn FnMut(Message) -> io::Result<()>) -> Result<()> {
        let mut outcome = Ok(());
        loop {
            let message = match self.read() {
                Ok(message) => message,
                // A server that goes for a reason has said it before.
                Err(gone) => return outcome.and(Err(gone)),
            };
            match message {
                Message::ReadyForQuery(_) => return outcome,
                Message::ErrorResponse(body) => {
                    let error = failure::complaint(&body).map_err(|error| lost(&error))?;
                    if error.kind == Kind::Lost {
                        // The server says why and goes.
                        return Err(error);
                    }
                    outcome = Err(error);
                }
                message => each(message).map_err(|error| lost(&error))?,
            }
        }
    }

    fn log_in(&mut self, address: &Address) -> Result<()> {
        let (user, password) = (&address.user, &address.password);
        loop {
            match self.read()? {
                Message::AuthenticationOk => return Ok(()),
                Message::AuthenticationCleartextPassword => {
                    self.write(|out| frontend::password_message(password.as_bytes(), out))?;
                }
                Message::AuthenticationMd5Password(body) => {
                    let hash = md5_hash(user.as_bytes(), password.as_bytes(), body.salt());
                    self.write(|out| frontend::password_message(hash.as_bytes(), out))?;
                }
                Message::AuthenticationSasl(body) => {
                    let offered: Vec<String> =
                        body.mechanisms().map(|name| Ok(name.into())).collect().map_err(|e| lost(&e))?;
                    if !offered.iter().any(|name| name == SCRAM_SHA_256) {
                        return Err(Error::other(format!("the server wants {}", offered.join(" or "))));
                    }
                    self.scram(password)?;
                }
                Message::ErrorResponse(body) => {
                    return Err(failure::complaint(&body).map_err(|error| lost(&error))?);
                }
                Message::NoticeResponse(_) => {}
                _ => return Err(Error::other("the server wants a log-in that is not spoken here")),
            }
            self.flush()?;
        }
    }

    /// RFC 7677, without channel binding: where the server's certificate is checked, it adds nothing.
    fn scram(&mut self, password: &str) -> Result<()> {
        let mut scram = ScramSha256::new(password.as_bytes(), ChannelBinding::unsupported());
        self.write(|out| frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), out))?;
        self.flush()?;
        match self.read()? {
            Message::AuthenticationSaslContinue(body) => {
                scram.update(body.data()).map_err(|error| Error::other(sentence(&error)))?;
            }
            other => return Err(refused(&other)),
        }
        self.write(|out| frontend::sasl_response(scram.message(), out))?;
        self.flush()?;
        match self.read()? {
            Message::AuthenticationSaslFinal(body) => {
                scram.finish(body.data()).map_err(|error| Error::other(sentence(&error)))
            }
            other => Err(refused(&other)),
        }
    }

    fn read(&mut self) -> Result<Message> {
        if !self.out.is_empty() {
            self.flush()?;
        }
        loop {
            if let Some(message) = Message::parse(&mut self.input).map_err(|error| lost(&error))? {
                return Ok(message);
            }
            match self.stream.read(&mut self.chunk) {
                Ok(0) => return Err(lost(&io::Error::from(io::ErrorKind::UnexpectedEof))),
                Ok(count) => self.input.extend_from_slice(&self.chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(lost(&error)),
            }
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        // A courtesy: the server need not be told, and may be gone.
        self.out.clear();
        frontend::terminate(&mut self.out);
        let _ = self.stream.write_all(&self.out).and_then(|()| self.stream.flush());
    }
}

fn lost(error: &io::Error) -> Error {
    Error { kind: Kind::Lost, ..Error::other(format!("the connection is gone: {}", sentence(error))) }
}

fn refused(message: &Message) -> Error {
    match message {
        Message::ErrorResponse(body) => failure::complaint(body).unwrap_or_else(|error| lost(&error)),
        _ => Error::other("the server broke the log-in off"),
    }
}
