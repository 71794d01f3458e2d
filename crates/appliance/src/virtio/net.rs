//! A network card (§5.1): one queue of frames each way, with buffers that stay in place.

use alloc::boxed::Box;

use super::{Buffer, Device, IoRegion, Queue, Transport, Unusable};
use crate::net::{Departure, Incoming, Offload, Outgoing, Verified};

/// The device completes checksums that the driver began; the driver takes frames without checksums.
const CHECKSUMS_SENT: u64 = 1;
const CHECKSUMS_TAKEN: u64 = 1 << 1;
/// It has an address of its own.
const ADDRESS: u64 = 1 << 5;

/// What precedes a frame (`virtio_net_hdr`, with the number of buffers).
const HEADER: usize = 12;
/// In its first byte: the checksum is to be completed; it was verified.
const NEEDS_CHECKSUM: u8 = 1;
const IS_VERIFIED: u8 = 2;
/// A buffer: the header, a frame of at most 1,514 bytes, and room to spare.
const BUFFER: usize = 2048;
/// Largest frame, with its Ethernet header.
pub const FRAME: usize = 1514;

/// Most entries of a queue.
const MOST: u16 = 256;

/// The receiving side.
pub struct Receiver {
    queue: Queue,
    buffers: *mut u8,
    /// Number and length of the frame that is looked at.
    current: Option<(u16, usize)>,
}

/// The sending side.
pub struct Sender {
    queue: Queue,
    buffers: *mut u8,
    offload: Offload,
    /// Buffers that were never used: those that were return through the queue.
    fresh: u16,
    /// Buffers that came back.
    spare: alloc::vec::Vec<u16>,
    /// Which buffer a request number means.
    of_request: alloc::vec::Vec<u16>,
}

/// A card that is ready.
pub struct Card {
    /// Frames from others.
    pub receiver: Receiver,
    /// Frames to others.
    pub sender: Sender,
    /// Its Ethernet address.
    pub address: [u8; 6],
    /// Its registers.
    pub transport: Box<dyn Transport>,
}

impl Card {
    /// Starts the device; it may take half of what is left of the I/O region for each direction.
    ///
    /// # Errors
    /// It cannot be used.
    pub fn new(transport: Box<dyn Transport>, io: &mut IoRegion) -> Result<Self, Unusable> {
        let mut device = Device::agree(transport, CHECKSUMS_SENT | CHECKSUMS_TAKEN | ADDRESS)?;
        // A frame takes its buffer, a descriptor and an entry of each ring.
        let fit = io.left() / 2 / (BUFFER + 26 + 16);
        let most = fit.checked_ilog2().map_or(0, |log| 1_u16 << log.min(8)).min(MOST);
        let receiving = device.queue(0, most, io)?;
        let sending = device.queue(1, most, io)?;
        let mut buffers =
            |queue: &Queue| io.take(usize::from(queue.size()) * BUFFER, 64).ok_or(Unusable::Memory);
        let (in_buffers, out_buffers) = (buffers(&receiving)?, buffers(&sending)?);
        let mut address = [0x52, 0x54, 0, 0x12, 0x34, 0x56];
        if device.has(ADDRESS) {
            address = core::array::from_fn(|at| device.transport.config(at));
        }
        let offload = Offload { completes_sent: device.has(CHECKSUMS_SENT) };
        let mut receiver = Receiver { queue: receiving, buffers: in_buffers, current: None };
        let size = sending.size();
        let sender = Sender {
            queue: sending,
            buffers: out_buffers,
            offload,
            fresh: size,
            spare: alloc::vec::Vec::with_capacity(size.into()),
            of_request: alloc::vec![0; size.into()],
        };
        for index in 0..receiver.queue.size() {
            receiver.offer(index);
        }
        device.transport.start();
        receiver.queue.tell();
        Ok(Self { receiver, sender, address, transport: device.transport })
    }
}

impl Receiver {
    /// Makes a buffer available. Each is one request, so that its number is that of its only descriptor,
    /// always.
    fn offer(&mut self, index: u16) {
        // SAFETY: within the buffers.
        let address = unsafe { self.buffers.add(usize::from(index) * BUFFER) };
        // SAFETY: buffers live as long as the machine; this one is not looked at before it comes back.
        let request = unsafe { self.queue.push(&[Buffer { address, bytes: BUFFER as u32, written: true }]) };
        debug_assert_eq!(request, Some(index), "buffers are offered in the order of the free descriptors");
    }

    /// Whether a frame waits; if none does, an interrupt comes with the next one.
    pub fn await_frame(&mut self) -> bool {
        self.queue.await_use()
    }

    /// Asks for no interrupts.
    pub fn ignore(&mut self) {
        self.queue.ignore_use();
    }
}

impl Incoming for Receiver {
    fn peek(&mut self) -> Option<(&mut [u8], Verified)> {
        if self.current.is_none() {
            let (index, bytes) = self.queue.pop()?;
            self.current = Some((index, (bytes as usize).clamp(HEADER, BUFFER)));
        }
        let (index, bytes) = self.current?;
        // SAFETY: the device has written so many bytes and gave the buffer back.
        let buffer =
            unsafe { core::slice::from_raw_parts_mut(self.buffers.add(usize::from(index) * BUFFER), bytes) };
        let verified = Verified(buffer[0] & (NEEDS_CHECKSUM | IS_VERIFIED) != 0);
        Some((&mut buffer[HEADER..], verified))
    }

    fn done(&mut self) {
        if let Some((index, _)) = self.current.take() {
            // The descriptor that came free last is taken first: the buffer keeps its number.
            self.offer(index);
        }
    }

    fn flush(&mut self) {
        self.queue.tell();
    }
}

impl Outgoing for Sender {
    fn offload(&self) -> Offload {
        self.offload
    }

    fn has_room(&mut self) -> bool {
        if self.fresh > 0 || !self.spare.is_empty() {
            return true;
        }
        while let Some((request, _)) = self.queue.pop() {
            self.spare.push(self.of_request[usize::from(request)]);
        }
        !self.spare.is_empty()
    }

    fn send<R>(&mut self, bytes: usize, fill: impl FnOnce(&mut [u8]) -> (R, Departure)) -> R {
        let index = self.spare.pop().or_else(|| {
            self.fresh = self.fresh.checked_sub(1)?;
            Some(self.fresh)
        });
        let index = index.expect("callers ask for room first");
        // SAFETY: within the buffers, and this one is with nobody.
        let buffer =
            unsafe { core::slice::from_raw_parts_mut(self.buffers.add(usize::from(index) * BUFFER), BUFFER) };
        let (header, frame) = buffer.split_at_mut(HEADER);
        let (result, departure) = fill(&mut frame[..bytes]);
        header.fill(0);
        match departure {
            Departure::Whole => {}
            Departure::Unsealed(from, at) => {
                header[0] = NEEDS_CHECKSUM;
                header[6..8].copy_from_slice(&from.to_le_bytes());
                header[8..10].copy_from_slice(&at.to_le_bytes());
            }
            Departure::Withheld => {
                self.spare.push(index);
                return result;
            }
        }
        let frame = Buffer { address: buffer.as_ptr(), bytes: (HEADER + bytes) as u32, written: false };
        // SAFETY: buffers live as long as the machine; this one is not touched before it comes back.
        let request = unsafe { self.queue.push(&[frame]) };
        let request = request.expect("there is a descriptor for each buffer");
        self.of_request[usize::from(request)] = index;
        result
    }

    fn flush(&mut self) {
        self.queue.tell();
    }
}
