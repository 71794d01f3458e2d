//! How long an answer may take, how much memory, and who may end it before: asked by every loop that can
//! last.
//!
//! The budget belongs to the thread that answers. Whoever loops asks `check` about every hundredth of a
//! second of work or more often; helping threads are handed a copy.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::memory::free_bytes;

/// Fewer bytes than this are taken without asking.
const LITTLE: usize = 64 << 20;

/// What an answer may cost.
#[derive(Debug, Clone, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    /// Bytes that may be used; what is free when absent.
    bytes: Option<usize>,
    stop: Arc<AtomicBool>,
}

thread_local! {
    static CURRENT: RefCell<Budget> = RefCell::default();
    static STAGE: Cell<&'static str> = const { Cell::new("reading the model") };
}

impl Budget {
    /// So many seconds from now and bytes, without limit where absent, and until `stop` becomes true.
    pub fn new(seconds: Option<f64>, bytes: Option<usize>, stop: Arc<AtomicBool>) -> Self {
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Self { deadline: time.and_then(|time| Instant::now().checked_add(time)), bytes, stop }
    }

    /// Runs `work` on this thread within the budget.
    pub fn spend<T>(self, work: impl FnOnce() -> T) -> T {
        let before = CURRENT.replace(self);
        let found = work();
        CURRENT.set(before);
        found
    }

    /// Whether there is nothing left.
    pub fn is_spent(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// That of this thread, for those who help it.
pub fn current() -> Budget {
    CURRENT.with_borrow(Clone::clone)
}

/// What is done from here on, for the message when it takes too long.
pub fn stage(doing: &'static str) {
    STAGE.set(doing);
}

/// Errors: `Stopped`, with what was being done, when there is nothing left.
pub fn check() -> Result<()> {
    if CURRENT.with_borrow(Budget::is_spent) { Err(Error::Stopped(STAGE.get().to_owned())) } else { Ok(()) }
}

/// Seconds that are left; none without a limit.
pub fn seconds() -> Option<f64> {
    let deadline = CURRENT.with_borrow(|budget| budget.deadline);
    deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()).as_secs_f64())
}

/// Bytes that may be used.
pub fn bytes() -> usize {
    CURRENT.with_borrow(|budget| budget.bytes.unwrap_or(usize::MAX)).min(free_bytes())
}

/// Errors: `states` times `each` bytes are more than the memory holds. The message says `what` they are for.
pub fn fits(states: usize, each: usize, what: &str) -> Result<()> {
    let needed = states.saturating_mul(each);
    if needed <= LITTLE || needed <= bytes() {
        return Ok(());
    }
    let free = bytes();
    let gib = |bytes: usize| bytes as f64 / f64::from(1 << 30);
    Err(Error::TooLarge(format!(
        "{states} states need {:.2} GiB at least for {what}, of {:.2} GiB that may be used",
        gib(needed),
        gib(free)
    )))
}

#[cfg(test)]
mod tests {
    use super::{Budget, bytes, check};
    use crate::error::Error;

    #[test]
    fn a_budget_ends_with_its_work() {
        let none = Budget::new(Some(0.0), Some(7), Default::default());
        let found = none.spend(|| (check(), bytes()));
        assert!(matches!(found, (Err(Error::Stopped(_)), 7)), "{found:?}");
        assert!(check().is_ok() && bytes() > 7);
    }
}
