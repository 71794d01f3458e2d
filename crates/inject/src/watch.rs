//! A limit for what we wait for: `waitpid` has none of its own.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// How soon somebody who asks us to stop is heard.
const PATIENCE: Duration = Duration::from_millis(100);

/// Kills a process at its deadline, or when asked to stop.
pub struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    watched: Mutex<Watched>,
    changed: Condvar,
}

struct Watched {
    /// None: there is nothing to watch any more.
    deadline: Option<Instant>,
    late: bool,
}

impl Watch {
    /// Watches the process `pid`, a child of ours that was not waited for yet.
    pub fn new(pid: i32, limit: Duration, stop: Arc<AtomicBool>) -> Result<Self> {
        // SAFETY: a system call with plain numbers.
        let number = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
        let number = i32::try_from(number).ok().filter(|number| *number >= 0);
        let number = number.ok_or_else(|| Error::last("watching the program"))?;
        // SAFETY: the call has just opened it for us.
        let process = unsafe { OwnedFd::from_raw_fd(number) };
        let watched = Watched { deadline: Some(Instant::now() + limit), late: false };
        let shared = Arc::new(Shared { watched: Mutex::new(watched), changed: Condvar::new() });
        let own = Arc::clone(&shared);
        let thread = thread::spawn(move || own.watch(&process, &stop));
        Ok(Self { shared, thread: Some(thread) })
    }

    /// From now on this long; false: it was killed at its deadline before.
    pub fn again(&self, limit: Duration) -> bool {
        let mut watched = self.shared.lock();
        watched.deadline = Some(Instant::now() + limit);
        self.shared.changed.notify_all();
        !watched.late
    }

    /// Whether the process was killed at its deadline.
    pub fn late(&self) -> bool {
        self.shared.lock().late
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.lock().deadline = None;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whoever asks whether it was late waits for the lock: what was killed is not seen to end before it is known why.
    fn watch(&self, process: &OwnedFd, stop: &AtomicBool) {
        let mut watched = self.lock();
        while let Some(deadline) = watched.deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || stop.load(Ordering::Relaxed) {
                watched.late = killed(process) && left.is_zero();
                return;
            }
            watched = self
                .changed
                .wait_timeout(watched, left.min(PATIENCE))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

/// Kills it; false: its end was waited for already.
fn killed(process: &OwnedFd) -> bool {
    // SAFETY: the descriptor is ours, and the other arguments are numbers.
    unsafe {
        let none = std::ptr::null::<libc::siginfo_t>();
        libc::syscall(libc::SYS_pidfd_send_signal, process.as_raw_fd(), libc::SIGKILL, none, 0) == 0
    }
}
