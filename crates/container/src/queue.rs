//! The queue between the event loop, which takes connections, and the workers, which answer.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::crew::{Crew, Shift};

/// A queue of work. Its length is bounded by admission control, not here: a request whose
/// connection was accepted is never turned away.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    state: Mutex<State<T>>,
    work: Condvar,
}

#[derive(Debug)]
struct State<T> {
    items: VecDeque<(T, Instant)>,
    crew: Crew,
    /// The bound below which the producer wants to hear that there is room.
    wanted: Option<usize>,
    /// Whether the producer looks again within [`STALL`](crate::crew::STALL), because work waits while
    /// workers sleep.
    watched: bool,
    /// Fewer items than this end the rest of the producer; 0 when it does not rest.
    enough: usize,
    /// Workers that are to end when they find no work.
    surplus: usize,
    closed: bool,
}

impl<T> State<T> {
    /// Items that fit below `bound`. An item for which a worker sleeps does not count as waiting.
    fn spare(&self, bound: usize) -> usize {
        self.crew.sleeping.saturating_add(bound).saturating_sub(self.items.len())
    }

    /// Whether the producer is to hear of room now.
    fn tell(&mut self) -> bool {
        let tell = self.wanted.is_some_and(|bound| self.spare(bound) > 0);
        if tell {
            self.wanted = None;
        }
        tell
    }

    /// Whether the producer's rest is over.
    fn stir(&mut self) -> bool {
        let stir = self.items.len() < self.enough;
        if stir {
            self.enough = 0;
        }
        stir
    }

    /// Whether a sleeping worker is to be woken now.
    fn wake(&mut self) -> bool {
        self.crew.wake(self.items.len())
    }

    /// Whether the producer is to hear that it must look again soon.
    fn watch(&mut self) -> bool {
        let watch = !self.watched && self.crew.is_withheld(self.items.len());
        self.watched |= watch;
        watch
    }
}

impl<T> Queue<T> {
    /// An empty queue. More than this number of `workers` are awake only if requests take long: see [`Crew`].
    pub fn new(workers: usize) -> Self {
        let state = State {
            items: VecDeque::new(),
            crew: Crew::new(workers),
            wanted: None,
            watched: false,
            enough: 0,
            surplus: 0,
            closed: false,
        };
        Self { state: Mutex::new(state), work: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Nothing that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends all of `items` under one lock. At most one sleeping worker is woken. When it comes, it wakes
    /// the next one if work is left and another can help. Returns whether the caller must call again within
    /// [`STALL`], even without items, because work waits while a worker sleeps.
    ///
    /// [`STALL`]: crate::crew::STALL
    pub fn push_all(&self, items: &mut Vec<T>) -> bool {
        let now = Instant::now();
        let mut state = self.lock();
        let waiting = state.items.len();
        state.crew.look(waiting, now);
        state.items.extend(items.drain(..).map(|item| (item, now)));
        let wake = state.wake();
        state.watched = state.crew.is_withheld(state.items.len());
        let watched = state.watched;
        drop(state);
        if wake {
            self.work.notify_one();
        }
        watched
    }

    /// The next item, and since when it has waited; blocks while there is none. Calls `on_news` when the
    /// producer waits for the room that this leaves, or is to look again soon; `on_little` when it rests and
    /// too little is left. `shift` is the worker's. None: the queue is closed, or the worker is dismissed.
    pub fn pop(&self, shift: &mut Shift, on_news: impl Fn(), on_little: impl Fn()) -> Option<(T, Instant)> {
        let mut state = self.lock();
        state.crew.come(shift);
        loop {
            if state.closed {
                return None;
            }
            if let Some(item) = state.items.pop_front() {
                state.crew.leave(shift);
                let (room, wake, little) = (state.tell(), state.wake(), state.stir());
                let news = room || state.watch();
                drop(state);
                if wake {
                    self.work.notify_one();
                }
                if news {
                    on_news();
                }
                if little {
                    on_little();
                }
                return Some(item);
            }
            if state.surplus > 0 {
                state.surplus -= 1;
                return None;
            }
            state.crew.sleep();
            if state.tell() {
                on_news();
            }
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.crew.rise();
        }
    }

    /// Whether there are `plenty` of items, and no worker that could help is without work, so that the
    /// producer may rest. If so, the `pop` that leaves fewer than `enough` items reports it.
    pub fn may_rest(&self, plenty: usize, enough: usize) -> bool {
        let mut state = self.lock();
        let rest = state.crew.is_complete() && state.items.len() >= plenty;
        state.enough = if rest { enough } else { 0 };
        rest
    }

    /// How many more items fit below `bound`, when `more` further workers could start. If none fits, the
    /// `pop` that makes room reports it.
    pub fn spare(&self, bound: usize, more: usize) -> usize {
        let mut state = self.lock();
        let spare = state.spare(bound.saturating_add(more));
        state.wanted = (spare == 0).then_some(bound);
        spare
    }

    /// Dismisses this number of workers, first those that find no work. A later call replaces an earlier one.
    pub fn dismiss(&self, workers: usize) {
        self.lock().surplus = workers;
        (0..workers).for_each(|_| self.work.notify_one());
    }

    /// Items for which no consumer waits.
    pub fn unserved(&self) -> usize {
        let state = self.lock();
        state.items.len().saturating_sub(state.crew.sleeping)
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use super::*;
    use crate::crew::STALL;

    /// One worker is enough until it blocks; what it leaves behind is not forgotten.
    #[test]
    fn who_leaves_work_behind_says_so() {
        let queue = &Queue::new(1);
        let (taken, took) = channel();
        thread::scope(|scope| {
            for _ in 0..2 {
                let taken = taken.clone();
                scope.spawn(move || {
                    let news = std::cell::Cell::new(false);
                    let (item, _) = queue.pop(&mut Shift::default(), || news.set(true), || {}).unwrap();
                    // It does not come again: it blocks.
                    taken.send((item, news.get())).unwrap();
                });
            }
            while queue.lock().crew.sleeping < 2 {
                thread::yield_now();
            }
            assert!(!queue.push_all(&mut vec![1, 2]), "a worker has been woken: nobody needs to look");
            assert_eq!(took.recv().unwrap(), (1, true));
            while queue.push_all(&mut Vec::new()) {
                thread::sleep(STALL);
            }
            assert_eq!(took.recv().unwrap(), (2, false));
        });
    }
}
