//! How many workers are awake, as a pure rule: waking one that cannot help costs more than a short request.
//!
//! A worker that takes a request wakes the next if there is more. Once as many are at work as there are
//! processors, another helps only if one of them blocks. Whether requests block is learned from how long they
//! take; before that is known, [`Crew::look`] notices work that waits and that no worker takes.

use std::time::{Duration, Instant};

/// Requests that take less than this on average are done before a sleeping worker could help.
const SHORT: Duration = Duration::from_micros(100);
/// If no worker takes waiting work for this long, those at work count as blocked. The event loop looks this
/// often.
pub(crate) const STALL: Duration = Duration::from_millis(1);
/// Weight of the last request in the mean time of a request.
const SHARE: u32 = 8;

/// Who sleeps, who is at work.
#[derive(Debug)]
pub(crate) struct Crew {
    /// Workers that wait for work.
    pub sleeping: usize,
    /// Whether one of them was woken and has not come yet. Until it comes, no other is woken: short requests
    /// are done by those awake before a sleeper arrives.
    waking: bool,
    /// Workers at work, without those that count as blocked.
    out: usize,
    /// This many workers are enough for short requests.
    cores: usize,
    /// Mean time of a request.
    pace: Duration,
    /// How often those at work were taken for blocked.
    stalls: u64,
    /// Items taken so far.
    taken: u64,
    /// Items taken when last looked at, and when that number was new.
    seen: Option<(u64, Instant)>,
}

/// A worker's part in it, from one item to the next.
#[derive(Debug, Default)]
pub(crate) struct Shift {
    /// `Crew::stalls` when it took its item.
    since: Option<u64>,
    /// How long the item took it.
    pub took: Duration,
}

impl Crew {
    /// For this number of processors. With `usize::MAX`, waiting work always wakes a worker.
    pub fn new(cores: usize) -> Self {
        Self {
            sleeping: 0,
            waking: false,
            out: 0,
            cores,
            pace: Duration::ZERO,
            stalls: 0,
            taken: 0,
            seen: None,
        }
    }

    /// Whether a sleeping worker is to be woken now for `waiting` items; if so, it counts as woken.
    pub fn wake(&mut self, waiting: usize) -> bool {
        let wake = waiting > 0 && self.sleeping > 0 && !self.waking && self.another_helps();
        self.waking |= wake;
        wake
    }

    fn another_helps(&self) -> bool {
        self.out < self.cores || self.pace >= SHORT
    }

    /// Whether no sleeping worker could help.
    pub fn is_complete(&self) -> bool {
        self.sleeping == 0 || (!self.waking && !self.another_helps())
    }

    /// Whether a worker sleeps only because of the rule while `waiting` items wait. Then somebody must
    /// [look](Self::look) again soon. A worker that was woken decides about the rest when it comes.
    pub fn is_withheld(&self, waiting: usize) -> bool {
        waiting > 0 && self.sleeping > 0 && !self.waking && !self.another_helps()
    }

    /// Takes those at work for blocked if none of them has come for `STALL` although `waiting` items wait.
    pub fn look(&mut self, waiting: usize, now: Instant) {
        match self.seen {
            Some((taken, since)) if waiting > 0 && taken == self.taken => {
                let idle = now.saturating_duration_since(since);
                if idle >= STALL && self.out > 0 {
                    self.learn(idle);
                    self.out = 0;
                    self.stalls += 1;
                    self.seen = Some((taken, now));
                }
            }
            _ => self.seen = (waiting > 0).then_some((self.taken, now)),
        }
    }

    /// A worker has an item.
    pub fn leave(&mut self, shift: &mut Shift) {
        self.taken += 1;
        self.out += 1;
        shift.since = Some(self.stalls);
    }

    /// A worker comes for the next.
    pub fn come(&mut self, shift: &mut Shift) {
        let Some(since) = shift.since.take() else { return };
        if since == self.stalls {
            self.out -= 1;
        }
        self.learn(shift.took);
    }

    /// A worker goes to sleep.
    pub fn sleep(&mut self) {
        self.sleeping += 1;
    }

    /// A worker has woken up.
    pub fn rise(&mut self) {
        self.sleeping -= 1;
        self.waking = false;
    }

    fn learn(&mut self, took: Duration) {
        self.pace = self.pace - self.pace / SHARE + took / SHARE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Workers that have all gone to sleep.
    fn asleep(workers: usize, cores: usize) -> Crew {
        let mut crew = Crew::new(cores);
        (0..workers).for_each(|_| crew.sleep());
        crew
    }

    /// Wakes a worker for the first of `waiting` items; it takes it.
    fn take(crew: &mut Crew, shift: &mut Shift, waiting: usize) {
        assert!(crew.wake(waiting));
        crew.rise();
        crew.leave(shift);
    }

    #[test]
    fn as_many_work_at_short_requests_as_there_are_processors() {
        let mut crew = asleep(4, 2);
        let mut shifts = [Shift::default(), Shift::default()];
        take(&mut crew, &mut shifts[0], 9);
        assert!(!crew.is_complete());
        take(&mut crew, &mut shifts[1], 8);
        assert!(!crew.wake(7) && crew.is_complete() && crew.is_withheld(7));
        crew.come(&mut shifts[0]);
        crew.leave(&mut shifts[0]);
        assert!(!crew.wake(6));
    }

    #[test]
    fn long_requests_wake_everyone() {
        let mut crew = asleep(3, 1);
        let mut shift = Shift::default();
        take(&mut crew, &mut shift, 9);
        shift.took = 10 * SHORT;
        crew.come(&mut shift);
        crew.leave(&mut shift);
        take(&mut crew, &mut Shift::default(), 8);
        take(&mut crew, &mut Shift::default(), 7);
        assert!(!crew.wake(6) && crew.is_complete());
        // Short ones again: after some of them.
        for _ in 0..30 {
            shift.took = Duration::ZERO;
            crew.come(&mut shift);
            crew.leave(&mut shift);
        }
        crew.sleep();
        assert!(!crew.wake(6));
    }

    #[test]
    fn who_blocks_is_not_counted_on() {
        let mut crew = asleep(2, 1);
        let mut blocked = Shift::default();
        take(&mut crew, &mut blocked, 2);
        let now = Instant::now();
        crew.look(1, now);
        assert!(!crew.wake(1));
        crew.look(1, now + STALL / 2);
        assert!(!crew.wake(1));
        crew.look(1, now + STALL);
        let mut other = Shift::default();
        take(&mut crew, &mut other, 1);
        // The other works for it as long as it is away, and sleeps and wakes when there is nothing.
        for _ in 0..30 {
            crew.come(&mut other);
            crew.sleep();
            take(&mut crew, &mut other, 1);
        }
        shift_ends(&mut crew, &mut blocked);
        assert_eq!(crew.out, 1);
        shift_ends(&mut crew, &mut other);
        assert_eq!(crew.out, 0);
    }

    fn shift_ends(crew: &mut Crew, shift: &mut Shift) {
        crew.come(shift);
        crew.sleep();
    }

    #[test]
    fn progress_is_no_stall() {
        let mut crew = asleep(2, 1);
        let mut shift = Shift::default();
        take(&mut crew, &mut shift, 100);
        let mut now = Instant::now();
        for waiting in (50..100).rev() {
            crew.look(waiting, now);
            crew.come(&mut shift);
            crew.leave(&mut shift);
            now += 10 * STALL;
        }
        assert_eq!((crew.stalls, crew.out), (0, 1));
        // Nothing waited meanwhile, so no worker was expected to come.
        crew.look(0, now);
        crew.look(1, now + 100 * STALL);
        assert_eq!(crew.stalls, 0);
    }
}
