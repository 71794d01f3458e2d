//! An answer on its way out.

use alloc::string::String;
use alloc::vec::Vec;

use crate::flow::Flow;
use crate::{Body, Version};

/// What is to be sent, in memory or in a file: a head, which may hold more than that, and what follows it.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub head: Vec<u8>,
    pub body: Body,
    /// Content that is made while it is sent, piece by piece in the place of the head.
    flow: Option<Flow>,
    /// Bytes of head and body that are out.
    sent: usize,
    /// Whether some of these still wait in a layer beneath.
    held: bool,
}

/// Bytes that are to be sent, of which `sent`, counted from the beginning of the head, are out.
#[derive(Debug)]
pub struct Unsent<'a> {
    /// What comes first.
    pub head: &'a [u8],
    /// What follows it; never a stream.
    pub body: &'a Body,
    /// Bytes of both that are out.
    pub sent: usize,
}

impl Outgoing {
    /// An answer of which nothing is out. A stream becomes pieces as a client of this version reads them.
    pub fn new(head: Vec<u8>, body: Body, version: Version) -> Self {
        let (body, flow) = match body {
            Body::Stream(stream) => (Body::Empty, Some(Flow::new(stream, version))),
            whole => (whole, None),
        };
        Self { head, body, flow, sent: 0, held: false }
    }

    pub fn unsent(&self) -> Unsent<'_> {
        Unsent { head: &self.head, body: &self.body, sent: self.sent }
    }

    /// So many bytes are out by now.
    pub fn note(&mut self, sent: usize, held: bool) {
        (self.sent, self.held) = (sent, held);
    }

    /// Whether the client has taken what there was, and the application is to make more.
    pub fn is_hungry(&self) -> bool {
        self.is_out() && self.flow.as_ref().is_some_and(|flow| !flow.is_over())
    }

    /// Whether everything is out.
    pub fn is_over(&self) -> bool {
        self.is_out() && self.flow.as_ref().is_none_or(Flow::is_over)
    }

    fn is_out(&self) -> bool {
        self.sent == self.head.len() + self.body.len() && !self.held
    }

    /// Puts the next piece of the content in the place of what is out. Runs code of the application.
    ///
    /// # Errors
    /// The content cannot be completed.
    pub fn refill(&mut self) -> Result<(), String> {
        let Some(flow) = &mut self.flow else { return Ok(()) };
        self.sent = 0;
        flow.next(&mut self.head)
    }
}
