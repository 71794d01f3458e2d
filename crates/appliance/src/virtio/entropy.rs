//! A source of entropy (§5.4).

use alloc::boxed::Box;

use super::{Buffer, Device, IoRegion, Queue, Transport, Unusable};

/// Bytes fetched at a time.
const POOL: usize = 256;
/// Looks at the queue before somebody else is asked: a host may limit the rate, and answer in seconds.
const PATIENCE: u32 = 20_000;

/// The device, with some bytes at hand.
pub struct Entropy {
    queue: Queue,
    pool: *mut u8,
    /// Bytes of the pool that were not given out.
    left: usize,
    /// Whether the device was asked for more and has not answered.
    asked: bool,
}

impl Entropy {
    /// Starts the device.
    ///
    /// # Errors
    /// It cannot be used.
    pub fn new(transport: Box<dyn Transport>, io: &mut IoRegion) -> Result<Self, Unusable> {
        let mut device = Device::agree(transport, 0)?;
        let queue = device.queue(0, 4, io)?;
        device.transport.start();
        let pool = io.take(POOL, 8).ok_or(Unusable::Memory)?;
        Ok(Self { queue, pool, left: 0, asked: false })
    }

    /// Fills `bytes` with what the device has sent; the device is asked for more where that is not enough.
    ///
    /// # Errors
    /// [`Unusable::Silent`]: it has not answered yet. It may have when it is asked again.
    pub fn fill(&mut self, bytes: &mut [u8]) -> Result<(), Unusable> {
        for byte in bytes {
            if self.left == 0 {
                self.fetch()?;
            }
            self.left -= 1;
            // SAFETY: within the pool. What was given out is not kept.
            *byte = unsafe { self.pool.add(self.left).replace(0) };
        }
        Ok(())
    }

    fn fetch(&mut self) -> Result<(), Unusable> {
        if !self.asked {
            let buffer = Buffer { address: self.pool, bytes: POOL as u32, written: true };
            // SAFETY: the pool lives as long as the machine, and is not looked at before the device is done.
            unsafe { self.queue.push(&[buffer]) }.ok_or(Unusable::Silent)?;
            self.queue.tell();
            self.asked = true;
        }
        for _ in 0..PATIENCE {
            if let Some((_, count)) = self.queue.pop() {
                self.asked = false;
                self.left = (count as usize).min(POOL);
                return if self.left > 0 { Ok(()) } else { Err(Unusable::Silent) };
            }
            core::hint::spin_loop();
        }
        Err(Unusable::Silent)
    }
}
