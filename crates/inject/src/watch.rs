//! A limit for what we wait for: `waitpid` has none of its own.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
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
    /// None: there is nothing to watch any more.
    deadline: Mutex<Option<Instant>>,
    changed: Condvar,
    late: AtomicBool,
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
        let shared = Arc::new(Shared {
            deadline: Mutex::new(Some(Instant::now() + limit)),
            changed: Condvar::new(),
            late: AtomicBool::new(false),
        });
        let own = Arc::clone(&shared);
        let thread = thread::spawn(move || own.watch(&process, &stop));
        Ok(Self { shared, thread: Some(thread) })
    }

    /// From now on this long.
    pub fn again(&self, limit: Duration) {
        *self.shared.deadline.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + limit);
        self.shared.changed.notify_all();
    }

    /// Whether the process was killed at its deadline.
    pub fn late(&self) -> bool {
        self.shared.late.load(Ordering::Acquire)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        *self.shared.deadline.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn watch(&self, process: &OwnedFd, stop: &AtomicBool) {
        let mut deadline = self.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(at) = *deadline {
            let left = at.saturating_duration_since(Instant::now());
            let late = left.is_zero();
            if late || stop.load(Ordering::Relaxed) {
                self.late.store(late, Ordering::Release);
                // SAFETY: the descriptor is ours, and the other arguments are numbers.
                unsafe {
                    let none = std::ptr::null::<libc::siginfo_t>();
                    libc::syscall(libc::SYS_pidfd_send_signal, process.as_raw_fd(), libc::SIGKILL, none, 0);
                }
                return;
            }
            deadline = self
                .changed
                .wait_timeout(deadline, left.min(PATIENCE))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}
