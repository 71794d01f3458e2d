//! The clock of a run, and the CPU time of a thread.

use std::mem::MaybeUninit;
use std::time::{Duration, Instant};

/// Microseconds since the run began. Every instant of the engine is one of these.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    origin: Instant,
}

impl Clock {
    /// A clock that starts at an instant.
    pub(crate) fn starting_at(origin: Instant) -> Self {
        Self { origin }
    }

    /// Waits until the clock runs: before, it shows 0, and what began then would seem shorter than it was.
    pub(crate) fn wait_for_start(&self) {
        std::thread::sleep(self.origin.saturating_duration_since(Instant::now()));
    }

    /// Sleeps until an instant of the run.
    pub(crate) fn sleep_until(&self, at: u64) {
        std::thread::sleep(Duration::from_micros(at).saturating_sub(self.origin.elapsed()));
    }

    /// Now.
    #[inline]
    pub(crate) fn now(&self) -> u64 {
        Instant::now().saturating_duration_since(self.origin).as_micros() as u64
    }
}

/// The instant at which the system's monotonic clock shows `monotonic`; none when that has passed, or lies
/// too far ahead.
pub(crate) fn instant_at(monotonic: Duration) -> Option<Instant> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let lead = monotonic.checked_sub(Duration::new(now.tv_sec as u64, now.tv_nsec as u32))?;
    Instant::now().checked_add(lead)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_of_the_monotonic_clock() {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let now = Duration::new(now.tv_sec as u64, now.tv_nsec as u32);
        let before = Instant::now();
        let instant = instant_at(now + Duration::from_secs(60)).unwrap();
        assert!(instant <= Instant::now() + Duration::from_secs(60));
        assert!(instant + Duration::from_secs(1) > before + Duration::from_secs(60));
        assert_eq!(instant_at(now), None, "it has passed");
        assert_eq!(instant_at(Duration::MAX), None);
    }
}
