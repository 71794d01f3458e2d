//! Time: the processor's counter, measured against the interval timer; the day from the real-time clock,
//! where there is one.

use core::arch::x86_64::_rdtsc;
use core::sync::atomic::{AtomicU64, Ordering};

use super::ports::{in8, out8};

/// Ticks of the interval timer a second.
const TIMER_HZ: u64 = 1_193_182;
/// Ticks that are measured: five milliseconds.
const WINDOW: u16 = 5966;
/// Counts of the processor that are more than those five milliseconds on any: almost half a second at 10 GHz.
const MOST_COUNTS: u64 = 1 << 32;

/// Counts a second of the processor's counter, and its count at boot.
static HZ: AtomicU64 = AtomicU64::new(0);
static BOOT: AtomicU64 = AtomicU64::new(0);
/// Factor from counts to microseconds, in units of 2⁻³².
static SCALE: AtomicU64 = AtomicU64::new(0);
/// Microseconds since 1970 at boot.
static EPOCH_US: AtomicU64 = AtomicU64::new(0);

fn counter() -> u64 {
    // SAFETY: there on every 64-bit processor, and allowed to us.
    unsafe { _rdtsc() }
}

/// Measures the counter; returns what another clock counted meanwhile, which `start` starts and `read` reads.
pub(super) fn calibrate(start: impl FnOnce(), read: impl FnOnce() -> u64) -> u64 {
    start();
    let from = timer();
    let begun = counter();
    let mut ticks;
    loop {
        ticks = from.wrapping_sub(timer());
        if ticks >= WINDOW {
            break;
        }
        if counter() - begun > MOST_COUNTS {
            super::refuse("there is no interval timer (PIT), by which the processor's clock is measured");
        }
    }
    let (ended, other) = (counter(), read());
    let per_second = |count: u64| (u128::from(count) * u128::from(TIMER_HZ) / u128::from(ticks)) as u64;
    let hz = per_second(ended - begun).max(1_000_000);
    HZ.store(hz, Ordering::Relaxed);
    SCALE.store(((1_000_000_u128 << 32) / u128::from(hz)) as u64, Ordering::Relaxed);
    BOOT.store(begun, Ordering::Relaxed);
    per_second(other)
}

/// Channel 0 of the interval timer, which counts down from 65,536 again and again.
pub(super) fn start_timer() {
    // SAFETY: the timer's registers; nobody else uses it.
    unsafe {
        out8(0x43, 0b0011_0100);
        out8(0x40, 0);
        out8(0x40, 0);
    }
}

fn timer() -> u16 {
    // SAFETY: as before; the first write holds the count until both bytes are read.
    unsafe {
        out8(0x43, 0);
        u16::from_le_bytes([in8(0x40), in8(0x40)])
    }
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
    let Some(now_s) = read_clock().or(told_s) else { return false };
    let shown_s = unix_s();
    // The clock shows whole seconds: what is shown already and within its second is kept, and never goes back
    // by it.
    if shown_s < now_s || shown_s > now_s + 1 {
        EPOCH_US.store((now_s * 1_000_000).saturating_sub(monotonic_us()), Ordering::Relaxed);
    }
    true
}

/// Seconds since 1970 by the real-time clock.
fn read_clock() -> Option<u64> {
    let mut last = registers();
    for _ in 0..100 {
        let now = registers();
        // The same twice and no update under way: the registers belong together.
        if now == last && now[7] & 0x80 == 0 {
            return crate::day::from_registers(&now);
        }
        last = now;
    }
    None
}

/// Second, minute, hour, day, month, year, status B, status A.
fn registers() -> [u8; 8] {
    [0, 2, 4, 7, 8, 9, 0x0b, 0x0a].map(|register| {
        // SAFETY: the clock's registers.
        unsafe {
            out8(0x70, register);
            in8(0x71)
        }
    })
}
