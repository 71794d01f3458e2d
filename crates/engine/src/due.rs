//! What arrives on a thread: when the next one is due, and when there will be no more.

use loadstone_workload::{Arrivals, Program};

use crate::clock::micros;

/// The arrivals of a thread that are still to come.
#[derive(Debug)]
pub(crate) struct Due {
    arrivals: Arrivals,
    next: Option<(u32, u64)>,
}

impl Due {
    /// Those of thread `number` of `threads`; none where users stay.
    pub(crate) fn new(program: &Program, (number, threads): (u32, u32)) -> Option<Self> {
        let (index, of) = program.slice;
        let arrivals = Arrivals::new(program, index + of * number, of * threads)?;
        let next = next_of(&arrivals);
        Some(Self { arrivals, next })
    }

    /// Number of the next one, and when it is due.
    #[inline]
    pub(crate) fn next(&self) -> Option<(u32, u64)> {
        self.next
    }

    /// The next one, if it is due at `now`.
    pub(crate) fn take(&mut self, now: u64) -> Option<(u32, u64)> {
        let due = self.next.filter(|(_, at)| *at <= now)?;
        self.arrivals.advance();
        self.next = next_of(&self.arrivals);
        Some(due)
    }

    /// From `at` on they come at this rate.
    pub(crate) fn change(&mut self, at: u64, rate: f64) {
        self.arrivals.change(at as f64 / 1e6, rate);
        self.next = next_of(&self.arrivals);
    }
}

fn next_of(arrivals: &Arrivals) -> Option<(u32, u64)> {
    arrivals.current().map(|(number, at_s)| (number, micros(at_s)))
}
