//! What connections go on with: a port's application, and what all share.

use alloc::boxed::Box;

use loadstone_http::{Composer, Handler, Limits};

use super::Timeouts;
use super::counters::Counters;

/// The application of a port.
pub(super) struct Application {
    pub handler: Box<dyn Handler>,
    pub composer: Composer,
}

impl Application {
    pub fn new(handler: Box<dyn Handler>) -> Self {
        // A socket copies what it is given: head and body as they are.
        Self { handler, composer: Composer::new(0) }
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
    /// Bytes that requests on their way in may still take.
    pub spare: usize,
}
