//! Tunnels: a proxy is asked to connect to a host, and passes on what either side sends from then on.

use rustix::io::Errno;

use crate::driver::Driver;
use crate::recorder::Cause;
use crate::socket::sentence;
use crate::user::{Stage, User, Work};

/// Most bytes of a proxy's answer to CONNECT.
const LONGEST: usize = 16 << 10;

impl Driver<'_> {
    /// Asks the proxy for a tunnel on a connection that is made.
    pub(crate) fn ask_for_tunnel(&mut self, user: &mut User, work: &mut Work, request: &[u8]) {
        let Some(connection) = &mut user.connection else { return };
        // A new connection takes as little as this at once.
        let outcome = connection.send(request, false);
        self.book(user);
        match outcome {
            Ok(sent) if sent == request.len() => user.stage = Stage::Tunnelling,
            Ok(_) | Err(Errno::AGAIN) => self.no_tunnel(user, work, "it takes no request"),
            Err(why) => self.no_tunnel(user, work, sentence(why)),
        }
    }

    /// Looks for the whole answer of the proxy. What follows it is the host's.
    pub(crate) fn on_tunnel(&mut self, user: &mut User, work: &mut Work, ended: bool) {
        let Some(connection) = &mut user.connection else { return };
        let peeked = connection.peek(&mut self.input[..LONGEST]);
        let length = match peeked {
            Ok(length) => length,
            Err(Errno::AGAIN) => return,
            Err(why) => return self.no_tunnel(user, work, sentence(why)),
        };
        let answer = &self.input[..length];
        let Some(end) = memchr::memmem::find(answer, b"\r\n\r\n").map(|at| at + 4) else {
            if ended || length == LONGEST {
                self.no_tunnel(user, work, "it gave no whole answer");
            }
            return;
        };
        let status = status_of(&answer[..end]);
        match status {
            Some((200..=299, _)) => {}
            Some((status, reason)) => {
                let said = format!("it answered {status} {reason}");
                return self.no_tunnel(user, work, said.trim_end());
            }
            None => return self.no_tunnel(user, work, "its answer is not HTTP"),
        }
        let mut rest = end;
        while rest > 0 {
            match connection.take(&mut self.input[..rest]) {
                Ok(taken @ 1..) => rest -= taken,
                _ => return self.no_tunnel(user, work, "it gave no whole answer"),
            }
        }
        self.book(user);
        self.now = self.clock.now();
        user.setup.connect += self.now - user.setup.began;
        self.begin_talk(user, work);
    }

    fn no_tunnel(&mut self, user: &mut User, work: &mut Work, said: &str) {
        self.now = self.clock.now();
        self.close_current(user);
        self.fail(user, work, Cause::Refused, &format!("no connection by the proxy: {said}"));
    }
}

/// Status and reason of an answer, the reason short enough to be shown.
fn status_of(head: &[u8]) -> Option<(u16, String)> {
    let line = head.split(|byte| *byte == b'\r').next()?;
    let words = line.strip_prefix(b"HTTP/1.")?.get(2..)?;
    let (status, reason) = words.split_at_checked(3)?;
    let status = std::str::from_utf8(status).ok()?.parse().ok()?;
    let reason = String::from_utf8_lossy(&reason[..reason.len().min(100)]).trim().to_owned();
    Some((status, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_of_an_answer() {
        let of = |head: &str| status_of(head.as_bytes());
        assert_eq!(
            of("HTTP/1.1 200 Connection established\r\n\r\n"),
            Some((200, "Connection established".into()))
        );
        assert_eq!(of("HTTP/1.0 407\r\nX: y\r\n\r\n"), Some((407, String::new())));
        for wrong in ["", "HTTP/1.1\r\n", "HTTP/1.1 x\r\n", "SSH-2.0\r\n", "HTTP/1.1 20\r\n"] {
            assert_eq!(of(wrong), None, "{wrong:?}");
        }
    }
}
