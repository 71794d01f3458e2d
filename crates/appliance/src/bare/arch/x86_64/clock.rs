//! The processor's counter, measured against a clock of known rate; the real-time clock.

use core::arch::x86_64::{__cpuid, _rdtsc};

use super::ports::{in8, out8};
use crate::bare::{clock, refuse};

/// Ticks of the interval timer a second.
const TIMER_HZ: u64 = 1_193_182;
/// Ticks of the local APIC's timer a second, where a hypervisor is known to make it: KVM, and QEMU's emulator.
const EMULATED_HZ: u64 = 1_000_000_000;
/// How those hypervisors begin their names.
const KVM: u32 = u32::from_le_bytes(*b"KVMK");
const TCG: u32 = u32::from_le_bytes(*b"TCGT");
/// What is measured lasts five milliseconds.
const WINDOWS_A_SECOND: u64 = 200;
/// Counts of the processor in which an interval timer has counted: five milliseconds at 3 GHz.
const TO_TICK: u64 = 1 << 24;

/// The counter.
pub fn counter() -> u64 {
    // SAFETY: there on every 64-bit processor, and allowed to us.
    unsafe { _rdtsc() }
}

/// Measures the counter and starts the clock; returns how often the local APIC's timer counts a second, which
/// `start` starts and `read` reads.
///
/// Cloud Hypervisor has no interval timer; there the local APIC's is of a known rate.
pub fn calibrate(start: impl FnOnce(), read: impl Fn() -> u64) -> u64 {
    start();
    let (first, started) = (timer(), counter());
    let mut hz = TIMER_HZ;
    while timer() == first {
        if counter() - started > TO_TICK {
            if !matches!(__cpuid(0x4000_0000).ebx, KVM | TCG) {
                refuse("there is no interval timer (PIT) to measure the clock by");
            }
            hz = EMULATED_HZ;
            break;
        }
    }
    let (from, other, begun) = (timer(), read(), counter());
    loop {
        let (ended, counted) = (counter(), read() - other);
        let ticks = if hz == TIMER_HZ { from.wrapping_sub(timer()).into() } else { counted };
        if ticks >= hz / WINDOWS_A_SECOND {
            let per_second = |count: u64| (u128::from(count) * u128::from(hz) / u128::from(ticks)) as u64;
            clock::start(begun, per_second(ended - begun));
            return per_second(counted);
        }
    }
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
