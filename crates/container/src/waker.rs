//! Wakes an event loop from another thread.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{EventfdFlags, eventfd};

/// An eventfd that is written at most once between two rounds of the loop. Registered
/// edge-triggered, it need not be read: every write is a new edge.
#[derive(Debug)]
pub(crate) struct Waker {
    event: OwnedFd,
    /// Whether the loop has been woken and has not begun its round.
    woken: AtomicBool,
}

impl Waker {
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            event: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            woken: AtomicBool::new(false),
        })
    }

    /// Makes the loop begin a round after this call.
    pub fn wake(&self) {
        if !self.woken.swap(true, Ordering::SeqCst) {
            // Fails only when the counter is full, after 2^64 - 2 wake-ups.
            let _ = rustix::io::write(&self.event, &1_u64.to_ne_bytes());
        }
    }

    /// Called by the loop at the beginning of a round, before it looks for work.
    pub fn rearm(&self) {
        self.woken.store(false, Ordering::SeqCst);
    }

    /// The same where it is polled, which needs it read.
    pub fn reset(&self) {
        // Fails if the loop was not woken.
        let _ = rustix::io::read(&self.event, &mut [0; 8]);
        self.rearm();
    }
}

impl AsFd for Waker {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}
