//! The serial console: log lines go out, commands come in, a line each.

use core::fmt::{self, Write};

use super::ports::{in8, out8};

const BASE: u16 = 0x3f8;
const LINE_STATUS: u16 = BASE + 5;
const RECEIVED: u8 = 1;
const ROOM: u8 = 1 << 5;
/// Looks at the line before a byte is dropped: a port that nobody reads must not hold up the machine.
const PATIENCE: u32 = 100_000;

/// Sets the port up: 8 bits without parity, FIFOs on, an interrupt for each byte that comes.
pub(super) fn start() {
    for (port, value) in [(1, 0), (3, 0x80), (0, 1), (1, 0), (3, 3), (2, 7), (4, 0x0b), (1, 1)] {
        // SAFETY: registers of the port.
        unsafe { out8(BASE + port, value) };
    }
}

/// Writes to the console.
pub struct Console;

impl Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            if byte == b'\n' {
                put(b'\r');
            }
            put(byte);
        }
        Ok(())
    }
}

fn put(byte: u8) {
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
pub(super) fn take() -> Option<u8> {
    // SAFETY: registers of the port.
    let status = unsafe { in8(LINE_STATUS) };
    // SAFETY: as before.
    (status != 0xff && status & RECEIVED != 0).then(|| unsafe { in8(BASE) })
}

/// Writes a line to the console.
#[macro_export]
macro_rules! log {
    ($($part:tt)*) => {{
        use core::fmt::Write as _;
        // The console drops what it cannot write.
        let _ = writeln!($crate::bare::Console, $($part)*);
    }};
}
