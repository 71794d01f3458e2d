//! A limit for what we wait for: `waitpid` has none of its own.
//!
//! Time is that of the clock on the wall. A process that would run, and was not given that much time of a processor, is
//! not late: on a busy machine a fault must not look like one that hangs.

use std::fs;
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
    /// When, and how much time that was. None: there is nothing to watch any more.
    deadline: Mutex<Option<(Instant, Duration)>>,
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
            deadline: Mutex::new(Some((Instant::now() + limit, limit))),
            changed: Condvar::new(),
            late: AtomicBool::new(false),
        });
        let own = Arc::clone(&shared);
        let thread = thread::spawn(move || own.watch(pid, &process, &stop));
        Ok(Self { shared, thread: Some(thread) })
    }

    /// From now on this long.
    pub fn again(&self, limit: Duration) {
        let until = Some((Instant::now() + limit, limit));
        *self.shared.deadline.lock().unwrap_or_else(PoisonError::into_inner) = until;
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
    fn watch(&self, pid: i32, process: &OwnedFd, stop: &AtomicBool) {
        let mut deadline = self.deadline.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((at, limit)) = *deadline {
            let left = at.saturating_duration_since(Instant::now());
            let late = left.is_zero();
            if late && starved(pid, limit) && !stop.load(Ordering::Relaxed) {
                *deadline = Some((Instant::now() + limit / 4, limit));
                continue;
            }
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

/// Whether a process waits for a processor and was given less time of one than this.
fn starved(pid: i32, limit: Duration) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let runs = state.rsplit(") ").next().is_some_and(|rest| rest.starts_with('R'));
    runs && used(pid).is_some_and(|used| used < limit)
}

/// Time of processors that a process was given so far.
fn used(pid: i32) -> Option<Duration> {
    let (mut clock, mut now) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
    // SAFETY: both calls write what is ours.
    let there = unsafe {
        libc::clock_getcpuclockid(pid, &raw mut clock) == 0 && libc::clock_gettime(clock, &raw mut now) == 0
    };
    let seconds = u64::try_from(now.tv_sec).ok().filter(|_| there)?;
    Some(Duration::new(seconds, u32::try_from(now.tv_nsec).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn who_waits_for_a_processor_is_starved_and_who_sleeps_or_had_its_time_is_not() {
        let mut sleeps = Command::new("/bin/sleep").arg("60").spawn().unwrap();
        let mut runs = Command::new("/bin/sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        thread::sleep(Duration::from_millis(300));
        let number = |child: &std::process::Child| i32::try_from(child.id()).unwrap();
        let (asleep, awake) = (number(&sleeps), number(&runs));
        let found = [
            starved(asleep, Duration::from_secs(50)),
            starved(awake, Duration::from_secs(50)),
            starved(awake, Duration::from_nanos(1)),
        ];
        for child in [&mut sleeps, &mut runs] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert_eq!(found, [false, true, false]);
    }
}
