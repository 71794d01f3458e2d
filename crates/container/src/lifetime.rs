//! From start to end of a connector: one flag for each wish, and who still runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// What the threads of a connector are asked to do, and how many of those that a drain waits for still run.
#[derive(Debug)]
pub(crate) struct Lifetime {
    /// Whether no more is accepted and every connection closes behind its response.
    pub draining: AtomicBool,
    /// Whether everything ends at once.
    pub stopping: AtomicBool,
    running: Mutex<usize>,
    on_end: Condvar,
}

impl Lifetime {
    /// Of a connector whose end is that of `running` threads.
    pub fn new(running: usize) -> Self {
        Self {
            draining: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            running: Mutex::new(running),
            on_end: Condvar::new(),
        }
    }

    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::SeqCst)
    }

    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Called by each of those threads at its end.
    pub fn ended(&self) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.on_end.notify_all();
    }

    /// Waits until all have ended; whether they have within `timeout`.
    pub fn wait(&self, timeout: Duration) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let result = self.on_end.wait_timeout_while(running, timeout, |running| *running > 0);
        *result.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}
