//! Time: the processor's counter; the day from the real-time clock, where there is one.

use core::sync::atomic::{AtomicU64, Ordering};

use super::arch::clock::{counter, day};

/// The counter at boot.
static BOOT: AtomicU64 = AtomicU64::new(0);
/// Factor from counts to microseconds, in units of 2⁻³².
static SCALE: AtomicU64 = AtomicU64::new(0);
/// Microseconds since 1970 at boot.
static EPOCH_US: AtomicU64 = AtomicU64::new(0);

/// Time begins when the counter was at `begun`; it counts `hz` a second.
pub(super) fn start(begun: u64, hz: u64) {
    let hz = hz.max(1_000_000);
    SCALE.store(((1_000_000_u128 << 32) / u128::from(hz)) as u64, Ordering::Relaxed);
    BOOT.store(begun, Ordering::Relaxed);
}

/// Microseconds since boot.
pub fn monotonic_us() -> u64 {
    let count = counter().wrapping_sub(BOOT.load(Ordering::Relaxed));
    ((u128::from(count) * u128::from(SCALE.load(Ordering::Relaxed))) >> 32) as u64
}

/// Microseconds since 1970.
pub fn unix_us() -> u64 {
    EPOCH_US.load(Ordering::Relaxed) + monotonic_us()
}

/// Seconds since 1970.
pub fn unix_s() -> u64 {
    unix_us() / 1_000_000
}

/// Sets the day; 0 for the clock's own, if there is one. Returns whether it is known now.
pub(super) fn set_day(told_s: Option<u64>) -> bool {
    let Some(now_s) = day().or(told_s) else { return false };
    let shown_s = unix_s();
    // The clock shows whole seconds: what is shown already and within its second is kept, and never goes back
    // by it.
    if shown_s < now_s || shown_s > now_s + 1 {
        EPOCH_US.store((now_s * 1_000_000).saturating_sub(monotonic_us()), Ordering::Relaxed);
    }
    true
}
