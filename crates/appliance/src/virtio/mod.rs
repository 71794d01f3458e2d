//! Virtio devices (the OASIS specification, version 1.2): queues in shared memory, found over MMIO or PCI.
//!
//! A device gets memory from the I/O region, once; addresses of the machine are those of the program.

#[cfg(any(feature = "block", test))]
pub mod block;
pub mod bus;
pub mod entropy;
#[cfg(test)]
mod hostile;
pub mod mmio;
pub mod net;
pub mod pci;
pub mod queue;

use alloc::boxed::Box;
use core::fmt;
use core::ops::Range;

pub use queue::{Buffer, Queue};

/// The device speaks the current version of the specification.
const VERSION_1: u64 = 1 << 32;
/// Notifications name the entry at which they are wanted (§2.7.10).
const EVENT_INDEX: u64 = 1 << 29;

/// What the driver says of itself (§2.1): it has seen the device, can drive it, has agreed on features, is
/// ready.
const SEEN: u8 = 1;
const DRIVEN: u8 = 2;
const AGREED: u8 = 8;
const ALL_STATUS: u8 = SEEN | DRIVEN | AGREED | 4;

/// What a device is (§5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A network card.
    Net,
    /// A disk.
    Block,
    /// A source of entropy.
    Entropy,
}

impl Kind {
    /// From the number of the specification.
    pub fn from_number(number: u32) -> Option<Self> {
        match number {
            1 => Some(Self::Net),
            2 => Some(Self::Block),
            4 => Some(Self::Entropy),
            _ => None,
        }
    }
}

/// Why a device cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// It lacks what every driver here needs.
    TooOld,
    /// It refused the features that were chosen.
    Features,
    /// It has not the queue.
    Queue,
    /// The I/O region is too small.
    Memory,
    /// It does not answer.
    Silent,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooOld => "it is a legacy device; virtio 1.0 is needed",
            Self::Features => "it refused the driver's features",
            Self::Queue => "it lacks a queue",
            Self::Memory => "the machine has too little memory for its buffers",
            Self::Silent => "it does not answer",
        })
    }
}

/// Memory that devices read and write, handed out once.
#[derive(Debug)]
pub struct IoRegion {
    rest: Range<usize>,
}

impl IoRegion {
    /// Over memory that nothing else uses.
    ///
    /// # Safety
    /// The range is mapped, writable and unused for as long as the program runs.
    pub unsafe fn new(range: Range<usize>) -> Self {
        Self { rest: range }
    }

    /// Bytes left.
    pub fn left(&self) -> usize {
        self.rest.end - self.rest.start
    }

    /// Takes zeroed memory, at a multiple of `alignment`.
    pub fn take(&mut self, bytes: usize, alignment: usize) -> Option<*mut u8> {
        let start = self.rest.start.next_multiple_of(alignment);
        let end = start.checked_add(bytes).filter(|end| *end <= self.rest.end)?;
        self.rest.start = end;
        let memory = core::ptr::with_exposed_provenance_mut::<u8>(start);
        // SAFETY: the memory is ours, and nobody else has this part of it.
        unsafe { memory.write_bytes(0, bytes) };
        Some(memory)
    }
}

/// How a driver reaches a device's registers.
pub trait Transport {
    /// The features that it offers.
    fn offered(&mut self) -> u64;

    /// Tells it which it is to use; whether it agrees.
    fn choose(&mut self, features: u64) -> bool;

    /// Most entries of a queue; 0: there is none.
    fn queue_size(&mut self, index: u16) -> u16;

    /// Tells it where a queue lies; returns where to ring for it.
    fn place_queue(&mut self, index: u16, queue: &queue::Places) -> Doorbell;

    /// Says that the driver is ready.
    fn start(&mut self);

    /// A byte of its configuration.
    fn config(&mut self, offset: usize) -> u8;

    /// Quiets its interrupt line, if that must be done by hand.
    fn quiet(&mut self);
}

/// A register that tells the device about new entries of a queue.
#[derive(Debug, Clone, Copy)]
pub struct Doorbell {
    address: usize,
    index: u16,
    wide: bool,
}

impl Doorbell {
    /// At `address`; `wide` when the register takes 32 bits.
    ///
    /// # Safety
    /// The address is that of such a register, for as long as the doorbell is used.
    pub unsafe fn new(address: usize, index: u16, wide: bool) -> Self {
        Self { address, index, wide }
    }

    /// Rings.
    pub fn ring(&self) {
        let register = core::ptr::with_exposed_provenance_mut::<u16>(self.address);
        // SAFETY: a register of the device, as `new` was promised.
        unsafe {
            if self.wide {
                register.cast::<u32>().write_volatile(self.index.into());
            } else {
                register.write_volatile(self.index);
            }
        }
    }
}

/// A device between its discovery and its first use.
pub struct Device {
    /// Its registers.
    pub transport: Box<dyn Transport>,
    features: u64,
}

impl Device {
    /// Agrees on features: those of `wanted` that the device offers.
    ///
    /// # Errors
    /// [`Unusable::TooOld`], [`Unusable::Features`].
    pub fn agree(mut transport: Box<dyn Transport>, wanted: u64) -> Result<Self, Unusable> {
        let offered = transport.offered();
        if offered & VERSION_1 == 0 {
            return Err(Unusable::TooOld);
        }
        let features = offered & (wanted | VERSION_1 | EVENT_INDEX);
        if !transport.choose(features) {
            return Err(Unusable::Features);
        }
        Ok(Self { transport, features })
    }

    /// Whether a feature is in use.
    pub fn has(&self, feature: u64) -> bool {
        self.features & feature != 0
    }

    /// Makes a queue of at most `most` entries.
    ///
    /// # Errors
    /// [`Unusable::Queue`], [`Unusable::Memory`].
    pub fn queue(&mut self, index: u16, most: u16, io: &mut IoRegion) -> Result<Queue, Unusable> {
        let size = self.transport.queue_size(index).min(most);
        if size == 0 || !size.is_power_of_two() {
            return Err(Unusable::Queue);
        }
        let places = queue::Places::take(size, io).ok_or(Unusable::Memory)?;
        let doorbell = self.transport.place_queue(index, &places);
        Ok(Queue::new(places, doorbell, self.has(EVENT_INDEX)))
    }
}
