//! Devices on a PCI bus (§4.1), the current version only. Who found the device has put its windows into
//! memory.

use super::{AGREED, ALL_STATUS, DRIVEN, Doorbell, SEEN, Transport, queue::Places};

/// Registers of the common configuration, by their offsets (§4.1.4.3).
mod register {
    pub const FEATURES_SELECT: usize = 0;
    pub const FEATURES: usize = 4;
    pub const CHOSEN_SELECT: usize = 8;
    pub const CHOSEN: usize = 12;
    pub const CONFIG_VECTOR: usize = 16;
    pub const STATUS: usize = 20;
    pub const QUEUE_SELECT: usize = 22;
    pub const QUEUE_SIZE: usize = 24;
    pub const QUEUE_VECTOR: usize = 26;
    pub const QUEUE_ENABLE: usize = 28;
    pub const QUEUE_NOTIFY: usize = 30;
    pub const QUEUE_PLACES: [usize; 3] = [32, 40, 48];
}

/// Bytes of the common configuration.
pub(super) const COMMON_BYTES: usize = 56;

/// No message for changes of the configuration; the first message for queues.
const NO_VECTOR: u16 = 0xffff;
const FIRST_VECTOR: u16 = 0;

/// Looks at a reset before the device counts as silent: each is an exit to the hypervisor, so a second or more.
const PATIENCE: u32 = 1_000_000;

/// Where a device's windows lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Windows {
    /// The common configuration.
    pub common: usize,
    /// Where doorbells begin, and how far they are apart.
    pub notify: usize,
    /// See `notify`.
    pub notify_step: usize,
    /// Bytes of the window of doorbells.
    pub notify_bytes: usize,
    /// The device's own configuration.
    pub own: usize,
    /// Bytes of its window.
    pub own_bytes: usize,
}

/// A device's registers.
#[derive(Debug)]
pub struct Pci {
    windows: Windows,
}

impl Pci {
    /// A device whose first MSI-X message is the interrupt of its queues.
    ///
    /// # Safety
    /// The windows are those of a virtio device, for as long as it is used.
    pub unsafe fn new(windows: Windows) -> Self {
        Self { windows }
    }

    fn read<T>(&self, offset: usize) -> T {
        let register = core::ptr::with_exposed_provenance::<T>(self.windows.common + offset);
        // SAFETY: a register, as `new` was promised.
        unsafe { register.read_volatile() }
    }

    /// Where in its window the doorbell of the chosen queue is; none where that is beyond it, or where no
    /// register of two bytes can be.
    fn doorbell(&self) -> Option<usize> {
        let at =
            usize::from(self.read::<u16>(register::QUEUE_NOTIFY)).checked_mul(self.windows.notify_step)?;
        let end = at.checked_add(size_of::<u16>())?;
        (end <= self.windows.notify_bytes && at.is_multiple_of(size_of::<u16>())).then_some(at)
    }

    fn write<T>(&mut self, offset: usize, value: T) {
        let register = core::ptr::with_exposed_provenance_mut::<T>(self.windows.common + offset);
        // SAFETY: as before.
        unsafe { register.write_volatile(value) };
    }
}

impl Transport for Pci {
    fn offered(&mut self) -> u64 {
        let mut half = |select: u32| {
            self.write(register::FEATURES_SELECT, select);
            u64::from(self.read::<u32>(register::FEATURES))
        };
        half(0) | half(1) << 32
    }

    fn choose(&mut self, features: u64) -> bool {
        self.write(register::STATUS, 0_u8);
        // A reset is done when it reads so.
        if !(0..PATIENCE).any(|_| self.read::<u8>(register::STATUS) == 0) {
            return false;
        }
        self.write(register::STATUS, SEEN);
        self.write(register::STATUS, SEEN | DRIVEN);
        for (select, half) in [(0_u32, features as u32), (1, (features >> 32) as u32)] {
            self.write(register::CHOSEN_SELECT, select);
            self.write(register::CHOSEN, half);
        }
        self.write(register::STATUS, SEEN | DRIVEN | AGREED);
        self.write(register::CONFIG_VECTOR, NO_VECTOR);
        self.read::<u8>(register::STATUS) & AGREED != 0
    }

    fn queue_size(&mut self, index: u16) -> u16 {
        self.write(register::QUEUE_SELECT, index);
        // A doorbell elsewhere would be a write to memory that is not the device's.
        if self.doorbell().is_some() { self.read(register::QUEUE_SIZE) } else { 0 }
    }

    fn place_queue(&mut self, index: u16, queue: &Places) -> Doorbell {
        self.write(register::QUEUE_SELECT, index);
        self.write(register::QUEUE_SIZE, queue.size);
        self.write(register::QUEUE_VECTOR, FIRST_VECTOR);
        for (offset, address) in register::QUEUE_PLACES.into_iter().zip(queue.addresses()) {
            self.write(offset, address as u32);
            self.write(offset + 4, (address >> 32) as u32);
        }
        self.write(register::QUEUE_ENABLE, 1_u16);
        // Looked at again by what it may have become meanwhile: out of its window, the first one rings.
        let at = self.doorbell();
        // SAFETY: within the window of doorbells.
        unsafe { Doorbell::new(self.windows.notify + at.unwrap_or(0), index, false) }
    }

    fn start(&mut self) {
        self.write(register::STATUS, ALL_STATUS);
    }

    fn config(&mut self, offset: usize) -> u8 {
        // What it does not have it does not say.
        if offset >= self.windows.own_bytes {
            return 0;
        }
        let place = core::ptr::with_exposed_provenance::<u8>(self.windows.own + offset);
        // SAFETY: within the device's own configuration.
        unsafe { place.read_volatile() }
    }

    fn quiet(&mut self) {
        // A message is over when it is sent.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_whose_doorbell_is_nowhere_is_none() {
        // (which step, bytes of the window, entries)
        for (step, bytes, entries) in
            [(4, 8, 16), (4, 5, 0), (3, 8, 0), (usize::MAX, 8, 0), (0, 2, 16), (0, 1, 0)]
        {
            let mut common = [0_u64; 7];
            let registers: *mut u16 = common.as_mut_ptr().cast();
            // SAFETY: within the registers.
            unsafe {
                registers.add(register::QUEUE_SIZE / 2).write(16);
                registers.add(register::QUEUE_NOTIFY / 2).write(1);
            }
            let windows = Windows {
                common: registers.expose_provenance(),
                notify_step: step,
                notify_bytes: bytes,
                ..Windows::default()
            };
            // SAFETY: the common configuration is there; nothing rings.
            let mut pci = unsafe { Pci::new(windows) };
            assert_eq!(pci.queue_size(0), entries, "{step} {bytes}");
        }
    }
}
