//! The clock of a run, and the CPU time of a thread.

use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

/// Microseconds since the run began. Every instant of the engine is one of these.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    origin: Instant,
}

impl Clock {
    /// A clock that starts when `lead` has passed: threads come up meanwhile.
    pub(crate) fn starting_in(lead: Duration) -> Self {
        Self { origin: Instant::now() + lead }
    }

    /// Waits until the clock runs: before, it shows 0, and what began then would seem shorter than it was.
    pub(crate) fn wait_for_start(&self) {
        std::thread::sleep(self.origin.saturating_duration_since(Instant::now()));
    }

    /// Now.
    #[inline]
    pub(crate) fn now(&self) -> u64 {
        Instant::now().saturating_duration_since(self.origin).as_micros() as u64
    }
}

/// Microseconds of a time in seconds.
pub(crate) fn micros(seconds: f64) -> u64 {
    (seconds * 1e6).round() as u64
}

/// CPU seconds that the calling thread has used so far: user and system.
pub(crate) fn thread_cpu_s() -> (f64, f64) {
    let mut usage = MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the pointer is valid for a whole rusage, which the call fills when it returns 0.
    let usage = unsafe {
        if libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) != 0 {
            return (0.0, 0.0);
        }
        usage.assume_init()
    };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
    (seconds(usage.ru_utime), seconds(usage.ru_stime))
}
