//! The first serial port.

use super::ports::{in8, out8};

const BASE: u16 = 0x3f8;
const LINE_STATUS: u16 = BASE + 5;
const RECEIVED: u8 = 1;
const ROOM: u8 = 1 << 5;
/// Looks at the line before a byte is dropped: a port that nobody reads must not hold up the machine.
const PATIENCE: u32 = 100_000;

/// Sets the port up: 8 bits without parity, FIFOs on, an interrupt for each byte that comes.
pub fn start() {
    for (port, value) in [(1, 0), (3, 0x80), (0, 1), (1, 0), (3, 3), (2, 7), (4, 0x0b), (1, 1)] {
        // SAFETY: registers of the port.
        unsafe { out8(BASE + port, value) };
    }
}

/// Writes a byte.
pub fn put(byte: u8) {
    // SAFETY: registers of the port.
    unsafe {
        for _ in 0..PATIENCE {
            if in8(LINE_STATUS) & ROOM != 0 {
                break;
            }
        }
        out8(BASE, byte);
    }
}

/// A byte that has come. A port that is not there reads as all ones.
pub fn take() -> Option<u8> {
    // SAFETY: registers of the port.
    let status = unsafe { in8(LINE_STATUS) };
    // SAFETY: as before.
    (status != 0xff && status & RECEIVED != 0).then(|| unsafe { in8(BASE) })
}
