//! The generic timer's counter, which tells its frequency; the real-time clock (PL031).

use core::sync::atomic::{AtomicUsize, Ordering};

use super::registers::{read, read_own};

/// Where the real-time clock is; 0: there is none.
static REAL_TIME: AtomicUsize = AtomicUsize::new(0);

/// The counter.
pub fn counter() -> u64 {
    read_own!("cntvct_el0")
}

/// Its counts a second.
pub fn hz() -> u64 {
    read_own!("cntfrq_el0")
}

/// Tells where the real-time clock is.
pub fn set_place(address: u64) {
    REAL_TIME.store(address as usize, Ordering::Relaxed);
}

/// Seconds since 1970 by the real-time clock.
pub fn day() -> Option<u64> {
    match REAL_TIME.load(Ordering::Relaxed) {
        0 => None,
        // SAFETY: its data register, by the device tree.
        base => Some(unsafe { read(base) }.into()),
    }
}
