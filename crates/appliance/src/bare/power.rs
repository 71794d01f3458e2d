//! The end of the machine.

use core::arch::asm;

use super::ports::{out8, out32};

/// What is wrong is the image's own fault, or the command line's and the machine's.
pub(super) const FAULT: u8 = 4;
pub(super) const BAD_INPUT: u8 = 2;

/// QEMU's `isa-debug-exit`, at the address that its documentation uses.
const DEBUG_EXIT: u16 = 0xf4;

/// Ends with an exit code: QEMU ends with 2 · `code` + 1. Where there is no such device the machine is reset.
pub(super) fn fail(code: u8) -> ! {
    // SAFETY: the device ends the machine, another at this address is not known.
    unsafe { out32(DEBUG_EXIT, code.into()) };
    reset()
}

/// Turns the machine off; where that cannot be done it is reset, which QEMU's `-no-reboot` makes an end.
pub(super) fn off() -> ! {
    reset()
}

fn reset() -> ! {
    let nothing = [0_u8; 10];
    // SAFETY: the reset registers of chipset and keyboard controller; then an exception without a table to handle it.
    unsafe {
        out8(0xcf9, 6);
        out8(0x64, 0xfe);
        asm!("lidt [{}]", "ud2", in(reg) &nothing, options(noreturn));
    }
}
