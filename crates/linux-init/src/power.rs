//! The end of the machine.

use core::arch::asm;

use rustix::fs::sync;
use rustix::system::{RebootCommand, reboot};

/// QEMU's device whose byte is the exit code: a byte `v` makes it `2 v + 1`.
const EXIT_PORT: u16 = 0xf4;

/// How the machine ended, as images say it, too.
#[derive(Debug, Clone, Copy)]
pub enum End {
    /// Well: QEMU exits with 33.
    Clean = 0x10,
    /// By a mistake of this program: 35.
    Panic = 0x11,
    /// What it was given cannot be run, or failed: 37.
    Refused = 0x12,
}

/// Writes the disk out and ends the machine: with `end` where QEMU has the device for it, else without.
pub fn off(end: End) -> ! {
    sync();
    // SAFETY: asks for one port.
    if unsafe { libc::ioperm(EXIT_PORT.into(), 1, 1) } == 0 {
        // SAFETY: the port is allowed, and a write to it ends the machine or, where no device has it, does
        // nothing.
        unsafe { asm!("out dx, al", in("dx") EXIT_PORT, in("al") end as u8, options(nomem, nostack)) };
    }
    loop {
        // QEMU is told to end instead of rebooting.
        let _ = reboot(RebootCommand::Restart);
    }
}
