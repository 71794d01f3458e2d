//! The serial console: log lines go out, commands come in, a line each.

use core::fmt::{self, Write};

use super::arch::console::put;

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

/// Writes a line to the console.
#[macro_export]
macro_rules! log {
    ($($part:tt)*) => {{
        use core::fmt::Write as _;
        // The console drops what it cannot write.
        let _ = writeln!($crate::bare::Console, $($part)*);
    }};
}
