//! The end of the machine.

use core::arch::asm;

use super::ports::out8;
use crate::bare::End;

/// Where QEMU's documentation puts `isa-debug-exit`.
const DEBUG_EXIT: u16 = 0xf4;

/// Ends the machine: QEMU's exit code is 2 · value + 1, which is none of its own. Where there is no such
/// device it is turned off, or reset, which QEMU's `-no-reboot` makes an end.
pub fn end(end: End) -> ! {
    // SAFETY: the device ends the machine; no other is known at this port.
    unsafe { out8(DEBUG_EXIT, end as u8) };
    #[cfg(feature = "pci")]
    if let Some(power) = super::pci::Power::find() {
        power.off();
    }
    let nothing = [0_u8; 10];
    // SAFETY: the reset registers of chipset and keyboard controller; then an exception without a table to
    // handle it.
    unsafe {
        out8(0xcf9, 6);
        out8(0x64, 0xfe);
        asm!("lidt [{}]", "ud2", in(reg) &nothing, options(noreturn));
    }
}
