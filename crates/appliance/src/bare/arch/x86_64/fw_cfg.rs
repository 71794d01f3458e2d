//! The ports of the device that has the hypervisor's files.

use super::ports::{in8, out16};
use crate::fw_cfg::Registers;

const SELECTOR: u16 = 0x510;
const DATA: u16 = 0x511;

/// The device.
pub struct Device;

impl Registers for Device {
    fn select(&mut self, key: u16) {
        // SAFETY: nothing else uses the device; where there is none, nobody listens.
        unsafe { out16(SELECTOR, key) };
    }

    fn byte(&mut self) -> u8 {
        // SAFETY: as before.
        unsafe { in8(DATA) }
    }
}
