//! Devices at addresses that the command line tells (§4.2).

use super::{Doorbell, Kind, Transport, queue::Places};

const MAGIC: u32 = 0x7472_6976;

/// Registers, by their offsets (§4.2.2).
mod register {
    pub const MAGIC: usize = 0x00;
    pub const VERSION: usize = 0x04;
    pub const KIND: usize = 0x08;
    pub const FEATURES: usize = 0x10;
    pub const FEATURES_SELECT: usize = 0x14;
    pub const CHOSEN: usize = 0x20;
    pub const CHOSEN_SELECT: usize = 0x24;
    pub const QUEUE_SELECT: usize = 0x30;
    pub const QUEUE_MOST: usize = 0x34;
    pub const QUEUE_SIZE: usize = 0x38;
    pub const QUEUE_READY: usize = 0x44;
    pub const NOTIFY: usize = 0x50;
    pub const INTERRUPT: usize = 0x60;
    pub const INTERRUPT_DONE: usize = 0x64;
    pub const STATUS: usize = 0x70;
    pub const QUEUE_PLACES: [usize; 3] = [0x80, 0x90, 0xa0];
    pub const CONFIG: usize = 0x100;
}

/// A device's registers.
#[derive(Debug)]
pub struct Mmio {
    base: usize,
}

impl Mmio {
    /// The device at `base` and what it is; none where there is none that this crate drives.
    ///
    /// # Safety
    /// The page at `base` holds the registers of a virtio device, or nothing.
    pub unsafe fn probe(base: usize) -> Option<(Self, Kind)> {
        let device = Self { base };
        if device.read(register::MAGIC) != MAGIC || device.read(register::VERSION) != 2 {
            return None;
        }
        let kind = Kind::from_number(device.read(register::KIND))?;
        Some((device, kind))
    }

    fn register(&self, offset: usize) -> *mut u32 {
        core::ptr::with_exposed_provenance_mut(self.base + offset)
    }

    fn read(&self, offset: usize) -> u32 {
        // SAFETY: a register, as `probe` was promised.
        unsafe { self.register(offset).read_volatile() }
    }

    fn write(&mut self, offset: usize, value: u32) {
        // SAFETY: as before.
        unsafe { self.register(offset).write_volatile(value) };
    }
}

impl Transport for Mmio {
    fn offered(&mut self) -> u64 {
        let mut half = |select| {
            self.write(register::FEATURES_SELECT, select);
            u64::from(self.read(register::FEATURES))
        };
        half(0) | half(1) << 32
    }

    fn choose(&mut self, features: u64) -> bool {
        for status in [0, super::SEEN, super::SEEN | super::DRIVEN] {
            self.write(register::STATUS, status.into());
        }
        for (select, half) in [(0, features as u32), (1, (features >> 32) as u32)] {
            self.write(register::CHOSEN_SELECT, select);
            self.write(register::CHOSEN, half);
        }
        self.write(register::STATUS, (super::SEEN | super::DRIVEN | super::AGREED).into());
        self.read(register::STATUS) & u32::from(super::AGREED) != 0
    }

    fn queue_size(&mut self, index: u16) -> u16 {
        self.write(register::QUEUE_SELECT, index.into());
        self.read(register::QUEUE_MOST) as u16
    }

    fn place_queue(&mut self, index: u16, queue: &Places) -> Doorbell {
        self.write(register::QUEUE_SELECT, index.into());
        self.write(register::QUEUE_SIZE, queue.size.into());
        for (offset, address) in register::QUEUE_PLACES.into_iter().zip(queue.addresses()) {
            self.write(offset, address as u32);
            self.write(offset + 4, (address >> 32) as u32);
        }
        self.write(register::QUEUE_READY, 1);
        // SAFETY: the register of this device.
        unsafe { Doorbell::new(self.base + register::NOTIFY, index, true) }
    }

    fn start(&mut self) {
        self.write(register::STATUS, super::ALL_STATUS.into());
    }

    fn config(&mut self, offset: usize) -> u8 {
        // SAFETY: configuration can be read byte by byte.
        unsafe { self.register(register::CONFIG).cast::<u8>().add(offset).read_volatile() }
    }

    fn quiet(&mut self) {
        let pending = self.read(register::INTERRUPT);
        if pending != 0 {
            self.write(register::INTERRUPT_DONE, pending);
        }
    }
}
