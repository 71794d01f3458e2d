//! A limit for what we wait for: `waitpid` has none of its own.
//!
//! What a process is given is time on the clock, but for that in which it would run and no processor was free: on a busy
//! machine a fault must not look like one that hangs. So we look at it a few times a second, and settle what has passed
//! since (`spent`). An endless loop is late when it has computed for its time, and what waits for what never comes when
//! that time has passed.

use std::fs;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// How often we look at the process, and how soon somebody who asks us to stop is heard.
const PATIENCE: Duration = Duration::from_millis(100);
/// How soon we look again where little is left: that little may be long in coming.
const SOONEST: Duration = Duration::from_millis(5);

/// Kills a process when its time is up, or when asked to stop.
pub struct Watch {
    pid: i32,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    watched: Mutex<Watched>,
    changed: Condvar,
}

struct Watched {
    /// None: there is nothing to watch any more.
    account: Option<Account>,
    late: bool,
}

/// What is left of a process' time.
struct Account {
    pid: i32,
    left: Duration,
    /// When we looked, and how long it had computed by then.
    seen: Instant,
    computed: Duration,
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
        let watched = Watched { account: Some(Account::new(pid, limit)), late: false };
        let shared = Arc::new(Shared { watched: Mutex::new(watched), changed: Condvar::new() });
        let own = Arc::clone(&shared);
        let thread = thread::spawn(move || own.watch(&process, &stop));
        Ok(Self { pid, shared, thread: Some(thread) })
    }

    /// From now on this long; false: it was killed before, since its time was up.
    pub fn again(&self, limit: Duration) -> bool {
        let mut watched = self.shared.lock();
        watched.account = Some(Account::new(self.pid, limit));
        self.shared.changed.notify_all();
        !watched.late
    }

    /// Whether the process was killed since its time was up.
    pub fn late(&self) -> bool {
        self.shared.lock().late
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.lock().account = None;
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
        while let Some(account) = &mut watched.account {
            let left = account.settle();
            if left.is_zero() || stop.load(Ordering::Relaxed) {
                watched.late = killed(process) && left.is_zero();
                return;
            }
            watched = self
                .changed
                .wait_timeout(watched, left.clamp(SOONEST, PATIENCE))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

impl Account {
    fn new(pid: i32, limit: Duration) -> Self {
        let computed = computed(pid).unwrap_or_default();
        Self { pid, left: limit, seen: Instant::now(), computed }
    }

    /// What is left by now.
    fn settle(&mut self) -> Duration {
        let (now, computed) = (Instant::now(), computed(self.pid).unwrap_or(self.computed));
        let passed = now.saturating_duration_since(self.seen);
        let given = computed.saturating_sub(self.computed);
        self.left = self.left.saturating_sub(spent(wants_processor(self.pid), passed, given));
        (self.seen, self.computed) = (now, computed);
        self.left
    }
}

/// What a process has spent of its time since it was looked at: what it was given of processors while it wants one, and
/// the time on the clock while it does not. Where we ourselves came late to look, as we do on a busy machine, it may have
/// wanted one in between: then no more counts than if we had come soon enough.
fn spent(wants: bool, passed: Duration, given: Duration) -> Duration {
    let sure = given.min(passed);
    if wants { sure } else { sure.max(passed.min(2 * PATIENCE)) }
}

/// Whether a process computes or waits for a processor.
fn wants_processor(pid: i32) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    state.rsplit(") ").next().is_some_and(|rest| rest.starts_with('R'))
}

/// Time of processors that a process was given so far, with all its threads.
fn computed(pid: i32) -> Option<Duration> {
    let (mut clock, mut now) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
    // SAFETY: both calls write what is ours.
    let there = unsafe {
        libc::clock_getcpuclockid(pid, &raw mut clock) == 0 && libc::clock_gettime(clock, &raw mut now) == 0
    };
    let seconds = u64::try_from(now.tv_sec).ok().filter(|_| there)?;
    Some(Duration::new(seconds, u32::try_from(now.tv_nsec).ok()?))
}

/// Kills it; false: its end was waited for already.
fn killed(process: &OwnedFd) -> bool {
    // SAFETY: the descriptor is ours, and the other arguments are numbers.
    unsafe {
        let none = std::ptr::null::<libc::siginfo_t>();
        libc::syscall(libc::SYS_pidfd_send_signal, process.as_raw_fd(), libc::SIGKILL, none, 0) == 0
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    fn started(program: &str, arguments: &[&str], limit: Duration) -> (Child, Watch) {
        let child = Command::new(program).args(arguments).spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        (child, Watch::new(pid, limit, Arc::new(AtomicBool::new(false))).unwrap())
    }

    /// When it ends: what it was given of processors.
    fn ended(pid: i32) -> Duration {
        let mut status = 0;
        // SAFETY: zeros are a structure of numbers, and the call writes what is ours.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            assert_eq!(libc::wait4(pid, &raw mut status, 0, &raw mut usage), pid);
            usage
        };
        assert_eq!(libc::WTERMSIG(status), libc::SIGKILL);
        [usage.ru_utime, usage.ru_stime]
            .map(|one| Duration::new(one.tv_sec as u64, one.tv_usec as u32 * 1000))
            .iter()
            .sum()
    }

    #[test]
    fn time_that_a_process_waits_for_a_processor_is_not_its_own() {
        let [none, one, five, most] = [0, 1, 5, 200].map(Duration::from_millis);
        let whole = Duration::from_millis(100);
        assert_eq!(spent(true, whole, none), none);
        assert_eq!(spent(true, whole, five), five);
        assert_eq!(spent(false, whole, five), whole);
        // Several threads: never more than has passed.
        assert_eq!(spent(true, five, whole), five);
        assert_eq!(spent(false, five, whole), five);
        // We came after five seconds only.
        let late = Duration::from_secs(5);
        assert_eq!(spent(false, late, one), most);
        assert_eq!(spent(false, late, late - one), late - one);
    }

    /// Eight at once want four seconds of processors, however many there are and whoever else wants them. Half is for what
    /// else a program may do while it starts.
    #[test]
    fn an_endless_loop_is_late_when_it_has_computed_for_its_time() {
        let limit = Duration::from_millis(500);
        let all: Vec<_> = (0..8).map(|_| started("/bin/sh", &["-c", "while :; do :; done"], limit)).collect();
        for (child, watch) in all {
            let given = ended(i32::try_from(child.id()).unwrap());
            assert!(watch.late() && given >= limit / 2, "{given:?}");
        }
    }

    #[test]
    fn what_sleeps_is_late_when_its_time_has_passed_and_has_more_when_it_is_given_more() {
        let began = Instant::now();
        let (child, watch) = started("/bin/sleep", &["600"], Duration::from_secs(60));
        assert!(watch.again(Duration::from_millis(300)));
        let given = ended(i32::try_from(child.id()).unwrap());
        assert!(watch.late() && given < Duration::from_millis(300));
        assert!(began.elapsed() >= Duration::from_millis(300) && !watch.again(Duration::ZERO));
    }
}
