//! What the threads of a run share.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::budget::{Budget, Countdown};
use crate::examples::Examples;
use crate::hands::Hands;
use crate::multiplex::Protocols;
use crate::reach::Reach;
use crate::recorder::SECOND;
use crate::sources::Sources;
use crate::tls::Handshakes;
use crate::trace::Trace;

/// A run that has not connected once this long after it first tried, while connections were refused, has no
/// server.
const REFUSED_PATIENCE: u64 = 3 * SECOND;
/// The same if there was no answer at all: lost connection requests are repeated after 1 and 3 seconds.
const SILENT_PATIENCE: u64 = 10 * SECOND;
/// What threads share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// The hosts, by their places.
    pub hosts: Box<[Reach]>,
    pub sources: Sources,
    /// Some of them have TLS.
    pub secure: bool,
    /// A connection succeeded.
    pub connected: AtomicBool,
    /// A connection failed.
    pub refused: AtomicBool,
    /// When the first connection was tried; `u64::MAX` before.
    pub first_try: AtomicU64,
    pub stop: AtomicBool,
    /// Where the plan asks for a number of operations.
    pub budget: Option<Budget>,
    /// Sessions of an open workload that live, and threads that have some to come.
    pub live: Option<Countdown>,
    pub unreachable: AtomicBool,
    /// Changes of the load by hand: from when on, and what; and how many there are.
    pub changes: Mutex<Vec<(u64, f64)>>,
    pub changed: AtomicUsize,
    pub handshakes: Handshakes,
    /// Of a target with HTTP/2.
    pub protocols: Protocols,
    pub examples: Examples,
    /// Where somebody wants to see every request and answer of the one user.
    pub trace: Option<Trace>,
    /// Where steps call functions.
    pub hands: Option<Arc<Hands>>,
    /// Threads that make load, and when the last of those that ended did so, microseconds.
    pub driving: AtomicU32,
    pub ended: AtomicU64,
    /// Answers that waited to be read until the next operation had been sent.
    pub unread: AtomicU64,
}

impl Shared {
    pub(crate) fn new(
        hosts: Box<[Reach]>,
        sources: Sources,
        budget: Option<Budget>,
        live: Option<Countdown>,
        threads: u32,
        operations: usize,
    ) -> Self {
        Self {
            secure: hosts.iter().any(|host| host.credentials.is_some()),
            hosts,
            sources,
            connected: AtomicBool::new(false),
            refused: AtomicBool::new(false),
            first_try: AtomicU64::new(u64::MAX),
            stop: AtomicBool::new(false),
            budget,
            live,
            unreachable: AtomicBool::new(false),
            changes: Mutex::default(),
            changed: AtomicUsize::new(0),
            handshakes: Handshakes::default(),
            protocols: Protocols::default(),
            examples: Examples::new(operations),
            trace: None,
            hands: None,
            driving: AtomicU32::new(threads),
            ended: AtomicU64::new(0),
            unread: AtomicU64::new(0),
        }
    }

    /// Calls no more functions.
    pub(crate) fn let_go(&self) {
        self.hands.iter().for_each(|hands| hands.close());
    }

    /// When the run ended, once no thread makes load any more.
    pub(crate) fn over(&self) -> Option<u64> {
        (self.driving.load(Ordering::Acquire) == 0).then(|| self.ended.load(Ordering::Relaxed))
    }

    /// When the run ended before its time, because nothing is left to do.
    #[inline]
    pub(crate) fn spent(&self) -> Option<u64> {
        self.budget.as_ref().and_then(Budget::spent).or_else(|| self.live.as_ref().and_then(Countdown::spent))
    }

    /// Whether connections failed for so long that there must be no server. An agent whose first user comes
    /// late in the ramp-up has not tried yet.
    pub(crate) fn has_no_server(&self, now: u64) -> bool {
        let refused = self.refused.load(Ordering::Relaxed);
        let patience = if refused { REFUSED_PATIENCE } else { SILENT_PATIENCE };
        let first_try = self.first_try.load(Ordering::Relaxed);
        now >= first_try.saturating_add(patience) && !self.connected.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_begins_with_the_first_try() {
        let shared = Shared::new(Box::default(), Sources::default(), None, None, 1, 0);
        assert!(!shared.has_no_server(3_600 * SECOND), "nothing was tried");
        shared.first_try.store(45 * SECOND, Ordering::Relaxed);
        assert!(!shared.has_no_server(54 * SECOND) && shared.has_no_server(55 * SECOND));
        shared.refused.store(true, Ordering::Relaxed);
        assert!(!shared.has_no_server(47 * SECOND) && shared.has_no_server(48 * SECOND));
        shared.connected.store(true, Ordering::Relaxed);
        assert!(!shared.has_no_server(3_600 * SECOND));
    }
}
