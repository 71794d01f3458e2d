//! What connections go on with: a port's application, and what all share.

use alloc::boxed::Box;
use alloc::vec::Vec;

use loadstone_http::{Composer, Handler, Limits};

use super::counters::Counters;
use super::{ANSWER, BESIDE, Timeouts};

/// The application of a port.
pub(super) struct Application {
    pub handler: Box<dyn Handler>,
    pub composer: Composer,
    /// What sessions of its port begin with; none: it is plain.
    #[cfg(feature = "tls")]
    pub tls: Option<crate::tls::Tls>,
}

impl Application {
    pub fn new(handler: Box<dyn Handler>) -> Self {
        // A socket copies what it is given: head and body as they are.
        Self {
            handler,
            composer: Composer::new(0),
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    /// Memory that a connection takes for its session.
    pub fn session_bytes(&self) -> usize {
        #[cfg(feature = "tls")]
        if self.tls.is_some() {
            return crate::tls::SESSION;
        }
        0
    }
}

/// What a connection needs to go on.
pub(super) struct Desk<'a> {
    pub application: &'a mut Application,
    pub counters: &'a mut Counters,
    pub limits: &'a Limits,
    pub timeouts: &'a Timeouts,
    pub now_ms: u64,
    /// Whether the machine ends: connections close behind their response.
    pub draining: bool,
    pub memory: Memory<'a>,
    pub reserve: &'a mut Reserve,
}

/// The memory of one answer, kept in one piece: what many connections leave of the rest may have none of its
/// length, and then nobody would be answered until they are gone.
#[derive(Debug, Default)]
pub(super) struct Reserve(Vec<u8>);

impl Reserve {
    /// Keeps what an answer takes in a machine with these limits, if it is there.
    pub fn keep(&mut self, limits: &Limits, free: Free<'_>) {
        let bytes = answer_bytes(limits) + BESIDE;
        if self.0.capacity() == 0 && free() >= bytes {
            // Where there is none, the next answer may find some.
            let _ = self.0.try_reserve_exact(bytes);
        }
    }

    /// Gives it to the answer that is made now.
    pub fn give(&mut self) {
        self.0 = Vec::new();
    }

    /// What is to be left beside something else for the next answer.
    pub fn lacks(&self, limits: &Limits) -> usize {
        if self.0.capacity() > 0 { 0 } else { answer_bytes(limits) }
    }
}

/// Tells the bytes that clients may still take of the machine's memory, at any moment.
pub(super) type Free<'a> = &'a dyn Fn() -> usize;

/// What a connection may take of the machine's memory. It is asked before each spending: many may spend in
/// one turn.
#[derive(Clone, Copy)]
pub(super) struct Memory<'a> {
    pub free: Free<'a>,
    /// Whether it is for a port that is served as well when clients have taken all that they may.
    pub vital: bool,
}

impl Desk<'_> {
    /// What must be there for an answer: how much it takes is not known before it is made.
    pub fn answer_bytes(&self) -> usize {
        answer_bytes(self.limits)
    }
}

/// Most of an answer that is made as a whole, in a machine with these limits.
pub(super) fn answer_bytes(limits: &Limits) -> usize {
    ANSWER.min(limits.body_bytes as usize)
}

impl Memory<'_> {
    /// Whether so many bytes may be taken, beside others for somebody else, and are there in one piece: an
    /// allocation that fails would be the machine's end.
    pub fn affords(&self, bytes: usize, beside: usize) -> bool {
        let within = self.vital || (self.free)() >= bytes + beside;
        within && Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
    }
}
