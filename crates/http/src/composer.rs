//! Responses become bytes to send; the buffers are used again for every answer.

use alloc::vec::Vec;

use crate::outgoing::Outgoing;
use crate::{Body, DATE_LEN, Response, ResponseContext, Version, format_date, write_response_head};

/// Puts one answer after the other together, for one conversation at a time.
///
/// Its buffers go out with an answer and come back when that has been sent; whoever sends the rest of
/// another's answer leaves them alone.
#[derive(Debug)]
pub struct Composer {
    pub(crate) response: Response,
    head: Vec<u8>,
    /// Whether the buffers are out with an answer.
    lent: bool,
    date: (u64, [u8; DATE_LEN]),
    joined: usize,
    head_bytes: usize,
}

impl Composer {
    /// A body of up to `joined` bytes is copied behind its head, which is cheaper than two buffers where each
    /// must be told to the system.
    pub fn new(joined: usize) -> Self {
        let (response, head) = (Response::new(), Vec::new());
        Self { response, head, lent: false, date: (0, format_date(0)), joined, head_bytes: 0 }
    }

    /// Sets the time that answers bear, in seconds since 1970.
    pub fn set_time(&mut self, unix_s: u64) {
        if self.date.0 != unix_s {
            self.date = (unix_s, format_date(unix_s));
        }
    }

    /// The status of the last answer.
    pub fn status(&self) -> u16 {
        self.response.status
    }

    /// Bytes of the last answer's head, without what is copied behind it.
    pub fn head_bytes(&self) -> usize {
        self.head_bytes
    }

    /// Makes an answer of the response.
    pub(crate) fn compose(&mut self, version: Version, keep_alive: bool, head_only: bool) -> Outgoing {
        let context = ResponseContext { date: &self.date.1, version, keep_alive, head_only };
        let mut head = core::mem::take(&mut self.head);
        head.clear();
        let mut body = Body::Empty;
        let has_body = write_response_head(&mut head, &self.response, &context);
        self.head_bytes = head.len();
        if has_body {
            let bytes = self.response.body.as_slice();
            if (1..=self.joined).contains(&bytes.len()) {
                head.extend_from_slice(bytes);
            } else {
                body = core::mem::take(&mut self.response.body);
            }
        }
        self.lent = true;
        Outgoing::new(head, body, version)
    }

    /// Takes the buffers back that an answer was sent from.
    pub(crate) fn recycle(&mut self, sent: Outgoing) {
        if core::mem::take(&mut self.lent) {
            self.head = sent.head;
            if !sent.body.is_empty() {
                self.response.body = sent.body;
            }
        }
    }
}
