//! The processor's counter, measured against the interval timer; the real-time clock.

use core::arch::x86_64::_rdtsc;

use super::ports::{in8, out8};
use crate::bare::{clock, refuse};

/// Ticks of the interval timer a second.
const TIMER_HZ: u64 = 1_193_182;
/// Ticks that are measured: five milliseconds.
const WINDOW: u16 = 5966;
/// Counts of the processor that are more than those five milliseconds on any: almost half a second at 10 GHz.
const MOST_COUNTS: u64 = 1 << 32;

/// The counter.
pub fn counter() -> u64 {
    // SAFETY: there on every 64-bit processor, and allowed to us.
    unsafe { _rdtsc() }
}

/// Measures the counter and starts the clock; returns what another clock counted meanwhile a second, which
/// `start` starts and `read` reads.
pub fn calibrate(start: impl FnOnce(), read: impl FnOnce() -> u64) -> u64 {
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
            refuse("there is no interval timer (PIT), by which the processor's clock is measured");
        }
    }
    let (ended, other) = (counter(), read());
    let per_second = |count: u64| (u128::from(count) * u128::from(TIMER_HZ) / u128::from(ticks)) as u64;
    clock::start(begun, per_second(ended - begun));
    per_second(other)
}

/// Channel 0 of the interval timer, which counts down from 65,536 again and again.
pub fn start_timer() {
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

/// Seconds since 1970 by the real-time clock.
pub fn day() -> Option<u64> {
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
