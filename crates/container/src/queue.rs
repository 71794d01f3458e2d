//! The queue between those who take connections and those who answer.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A queue of work. Its length is bounded by admission control, not here: a request whose
/// connection was accepted is never turned away.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    state: Mutex<State<T>>,
    work: Condvar,
    bound: usize,
}

#[derive(Debug)]
struct State<T> {
    items: VecDeque<T>,
    /// Workers that wait for work.
    sleeping: usize,
    /// Whether one of them has been woken and has not come. Until then no other is woken: with
    /// short requests those already awake finish the work sooner than a sleeper comes.
    waking: bool,
    /// Whether the producer wants to hear when there is room.
    wants_room: bool,
    closed: bool,
}

impl<T> State<T> {
    /// Whether a sleeping worker is to be woken now.
    fn wake(&mut self) -> bool {
        let wake = self.sleeping > 0 && !self.waking && !self.items.is_empty();
        self.waking |= wake;
        wake
    }
}

impl<T> Queue<T> {
    /// A queue that is full with `bound` items.
    pub fn new(bound: usize) -> Self {
        let items = VecDeque::with_capacity(bound);
        let state = Mutex::new(State { items, sleeping: 0, waking: false, wants_room: false, closed: false });
        Self { state, work: Condvar::new(), bound }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Nothing that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends all of `items` under one lock. At most one sleeping worker is woken; it wakes the
    /// next if work is left when it comes.
    pub fn push_all(&self, items: &mut Vec<T>) {
        let mut state = self.lock();
        state.items.extend(items.drain(..));
        let wake = state.wake();
        drop(state);
        if wake {
            self.work.notify_one();
        }
    }

    /// The next item and whether the producer waits for the room it leaves; blocks while there
    /// is none. None: the queue is closed.
    pub fn pop(&self) -> Option<(T, bool)> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(item) = state.items.pop_front() {
                let room = state.wants_room && state.items.len() < self.bound;
                if room {
                    state.wants_room = false;
                }
                let wake = state.wake();
                drop(state);
                if wake {
                    self.work.notify_one();
                }
                return Some((item, room));
            }
            state.sleeping += 1;
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.sleeping -= 1;
            state.waking = false;
        }
    }

    /// Whether the queue is full. If so, the `pop` that makes room says so.
    pub fn is_full(&self) -> bool {
        let mut state = self.lock();
        state.wants_room = state.items.len() >= self.bound;
        state.wants_room
    }

    /// Items for which no consumer waits.
    pub fn unserved(&self) -> usize {
        let state = self.lock();
        state.items.len().saturating_sub(state.sleeping)
    }

    /// Number of waiting items.
    pub fn len(&self) -> usize {
        self.lock().items.len()
    }

    /// Ends every `pop`, now and later; waiting items are dropped.
    pub fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.items.clear();
        drop(state);
        self.work.notify_all();
    }
}
