//! A virtio device whose registers and memory are the fuzzer's: it writes anything anywhere into the region
//! that was shared with it, and nowhere else.

use std::cell::RefCell;
use std::rc::Rc;

use loadstone_appliance::virtio::queue::Places;
use loadstone_appliance::virtio::{Doorbell, IoRegion, Transport};

/// Where a queue lies: its addresses and its size.
pub type Queue = ([u64; 3], u16);

/// What the device is made of, shared with who plays it.
#[derive(Default)]
pub struct Device {
    pub queues: RefCell<Vec<Queue>>,
    region: Vec<u64>,
    bell: Vec<u64>,
}

impl Device {
    /// With so many bytes of shared memory.
    pub fn new(bytes: usize) -> Self {
        Self { queues: RefCell::default(), region: vec![0; bytes / 8], bell: vec![0; 1] }
    }

    /// The memory as its driver gets it. It is used by nothing else, and the device outlives its driver.
    pub fn region(&self) -> IoRegion {
        let start = self.region.as_ptr().expose_provenance();
        // SAFETY: as said above.
        unsafe { IoRegion::new(start..start + 8 * self.region.len()) }
    }

    /// Writes two bytes somewhere into the shared memory; half of all times into a ring of a queue.
    pub fn scribble(&self, place: u16, value: u16) {
        let words = 4 * self.region.len();
        let start = self.region.as_ptr().expose_provenance();
        let mut at = start + 2 * (usize::from(place / 2) % words);
        if place & 1 == 0 {
            let queues = self.queues.borrow();
            if let Some((addresses, size)) = queues.get(usize::from(place / 2) % queues.len().max(1)) {
                at = addresses[2] as usize + 2 * (usize::from(place / 4) % (3 + 4 * usize::from(*size)));
            }
        }
        // SAFETY: within the region.
        unsafe { core::ptr::with_exposed_provenance_mut::<u16>(at).write_volatile(value) };
    }

    /// Says that the request that was made last is done, with so many bytes written: in every entry, so that
    /// the driver finds it wherever it looks.
    pub fn complete(&self, queue: usize, bytes: u32) {
        let (addresses, size) = self.queues.borrow()[queue];
        let word = |area: usize, at: usize| {
            core::ptr::with_exposed_provenance_mut::<u16>(addresses[area] as usize + 2 * at)
        };
        // SAFETY: within the rings.
        unsafe {
            let last = word(1, 1).read_volatile().wrapping_sub(1);
            let head = word(1, 2 + usize::from(last % size)).read_volatile();
            for entry in 0..usize::from(size) {
                word(2, 2 + 4 * entry).cast::<u32>().write_volatile(head.into());
                word(2, 4 + 4 * entry).cast::<u32>().write_volatile(bytes);
            }
            word(2, 1).write_volatile(word(2, 1).read_volatile().wrapping_add(1));
        }
    }
}

/// The registers of such a device.
pub struct Registers {
    pub device: Rc<Device>,
    pub offered: u64,
    pub size: u16,
    /// What it says of itself; behind its end it says ones.
    pub config: Vec<u8>,
}

impl Transport for Registers {
    fn offered(&mut self) -> u64 {
        self.offered
    }

    fn choose(&mut self, _: u64) -> bool {
        true
    }

    fn queue_size(&mut self, _: u16) -> u16 {
        self.size
    }

    fn place_queue(&mut self, _: u16, queue: &Places) -> Doorbell {
        self.device.queues.borrow_mut().push((queue.addresses(), queue.size));
        // SAFETY: the device outlives its driver.
        unsafe { Doorbell::new(self.device.bell.as_ptr().expose_provenance(), 0, false) }
    }

    fn start(&mut self) {}

    fn config(&mut self, offset: usize) -> u8 {
        self.config.get(offset).copied().unwrap_or(0xff)
    }

    fn quiet(&mut self) {}
}
