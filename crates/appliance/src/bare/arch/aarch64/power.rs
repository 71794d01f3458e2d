//! The end of the machine, by its firmware (PSCI).

use core::arch::asm;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::bare::End;

const SYSTEM_OFF: u64 = 0x8400_0008;

/// Whether the firmware is called by `smc`, and not by `hvc`.
static BY_SMC: AtomicBool = AtomicBool::new(false);

/// Tells how the firmware is called.
pub(super) fn set_call(by_smc: bool) {
    BY_SMC.store(by_smc, Ordering::Relaxed);
}

/// Ends the machine. It has no exit device, so that its last line says how.
pub fn end(end: End) -> ! {
    let how = match end {
        End::Clean => "well",
        End::Fault => "by a fault",
        End::Refused => "by a refusal",
    };
    crate::log!("appliance: ended {how}");
    // SAFETY: the firmware turns the machine off.
    unsafe {
        if BY_SMC.load(Ordering::Relaxed) {
            asm!("smc #0", in("x0") SYSTEM_OFF, options(nostack));
        } else {
            asm!("hvc #0", in("x0") SYSTEM_OFF, options(nostack));
        }
    }
    loop {
        // SAFETY: nothing is left to do.
        unsafe { asm!("wfi", options(nomem, nostack)) };
    }
}
