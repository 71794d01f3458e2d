//! The registers of the device that has the hypervisor's files.

use core::sync::atomic::{AtomicUsize, Ordering};

use crate::fw_cfg::Registers;

/// Where the device is; 0: there is none.
static BASE: AtomicUsize = AtomicUsize::new(0);
const SELECTOR: usize = 8;

/// Tells where it is.
pub(super) fn set_place(address: u64) {
    BASE.store(address as usize, Ordering::Relaxed);
}

/// The device.
pub struct Device;

impl Registers for Device {
    fn select(&mut self, key: u16) {
        let base = BASE.load(Ordering::Relaxed);
        if base != 0 {
            let register = core::ptr::with_exposed_provenance_mut::<u16>(base + SELECTOR);
            // SAFETY: nothing else uses the device, which is there by the device tree.
            unsafe { register.write_volatile(key.to_be()) };
        }
    }

    fn byte(&mut self) -> u8 {
        match BASE.load(Ordering::Relaxed) {
            0 => 0,
            // SAFETY: as before.
            base => unsafe { core::ptr::with_exposed_provenance::<u8>(base).read_volatile() },
        }
    }
}
