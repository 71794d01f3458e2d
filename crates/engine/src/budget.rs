//! What ends a run before its time: operations that all users share, or sessions that all have ended.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use loadstone_workload::Program;

/// How many operations may still begin, and how many have not ended.
#[derive(Debug)]
pub(crate) struct Budget {
    /// Below zero when more users asked than there were operations.
    left: AtomicI64,
    countdown: Countdown,
}

/// Things that have to end, and when the last one did.
#[derive(Debug)]
pub(crate) struct Countdown {
    unfinished: AtomicU64,
    /// Microseconds.
    last_end: AtomicU64,
}

impl Countdown {
    pub(crate) fn new(unfinished: u64) -> Self {
        Self { unfinished: AtomicU64::new(unfinished), last_end: AtomicU64::new(0) }
    }

    /// One more has begun. The caller holds another one that has not ended.
    pub(crate) fn begun(&self) {
        self.unfinished.fetch_add(1, Ordering::Relaxed);
    }

    /// One has ended, right or wrong.
    #[inline]
    pub(crate) fn ended(&self, at: u64) {
        self.last_end.fetch_max(at, Ordering::Relaxed);
        // A thread that sees that all have ended also sees when the last one did.
        self.unfinished.fetch_sub(1, Ordering::Release);
    }

    /// When the last of all ended; none before.
    #[inline]
    pub(crate) fn spent(&self) -> Option<u64> {
        (self.unfinished.load(Ordering::Acquire) == 0).then(|| self.last_end.load(Ordering::Relaxed))
    }
}

impl Budget {
    /// This agent's part of the plan's operations; none when the plan ends by the clock alone.
    pub(crate) fn of(program: &Program) -> Option<Self> {
        let part = part(program.load.operations?, program.slice);
        Some(Self { left: AtomicI64::new(part.into()), countdown: Countdown::new(part.into()) })
    }

    /// Takes an operation; false when there is none left.
    #[inline]
    pub(crate) fn take(&self) -> bool {
        self.left.fetch_sub(1, Ordering::Relaxed) > 0
    }

    /// An operation that was taken has ended, right or wrong.
    #[inline]
    pub(crate) fn ended(&self, at: u64) {
        self.countdown.ended(at);
    }

    /// When the last of all operations ended; none before.
    #[inline]
    pub(crate) fn spent(&self) -> Option<u64> {
        self.countdown.spent()
    }
}

/// The part of agent `index` of `of`. The first agents take the remainder.
fn part(operations: u32, (index, of): (u32, u32)) -> u32 {
    operations / of + u32::from(index < operations % of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_share_the_operations() {
        assert_eq!([0, 1, 2].map(|index| part(11, (index, 3))), [4, 4, 3]);
        assert_eq!(part(7, (0, 1)), 7);
    }

    #[test]
    fn it_is_spent_when_all_have_ended() {
        let budget = Budget { left: 2.into(), countdown: Countdown::new(2) };
        assert!(budget.take() && budget.take() && !budget.take() && !budget.take());
        budget.ended(70);
        assert_eq!(budget.spent(), None);
        budget.ended(50);
        assert_eq!(budget.spent(), Some(70));
    }
}
