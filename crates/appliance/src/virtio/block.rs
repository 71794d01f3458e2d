//! A disk (§5.2): each request gathers its parts wherever they lie in memory; nothing is copied.

use alloc::boxed::Box;
use alloc::vec::Vec;

use loadstone_store::vfs::VfsError;
use loadstone_store::vfs::block::{BLOCK_BYTES, BlockDevice, is_within};

use super::{Buffer, Device, IoRegion, Queue, Transport, Unusable};

/// The device tells how many parts a request may have; it is read-only; it has a cache that can be flushed;
/// it takes hints.
const PARTS: u64 = 1 << 2;
const READ_ONLY: u64 = 1 << 5;
const FLUSH: u64 = 1 << 9;
const DISCARD: u64 = 1 << 13;

/// Kinds of requests.
const READ: u32 = 0;
const WRITE: u32 = 1;
const DO_FLUSH: u32 = 4;
const DO_DISCARD: u32 = 11;

/// Sectors, the unit of the device, in a block.
const SECTORS: u64 = (BLOCK_BYTES / 512) as u64;
/// Entries of the queue; one request is under way at a time, of at most so many parts.
const ENTRIES: u16 = 256;
/// What a request has besides its parts: a head and a status.
const ENDS: usize = 2;
/// Looks at the queue before the processor is given away.
const SPINS: u32 = 4000;
/// A disk that has not answered for so long is lost, and memory that it may still write to with it.
const PATIENCE_US: u64 = 60_000_000;

/// How a driver waits.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Microseconds since boot.
    pub now_us: fn() -> u64,
    /// Gives the processor away until an interrupt, at most for so many microseconds.
    pub rest: fn(u64),
}

/// What a discard is about.
#[repr(C)]
struct Range {
    sector: u64,
    sectors: u32,
    flags: u32,
}

/// The head of a request, and its status behind it: both stay in the I/O region.
#[repr(C)]
struct Request {
    kind: u32,
    reserved: u32,
    sector: u64,
    range: Range,
    status: u8,
}

/// A disk that is ready.
pub struct Disk {
    queue: Queue,
    request: *mut Request,
    blocks: u64,
    read_only: bool,
    flushes: bool,
    discards: bool,
    most_parts: usize,
    patience: Patience,
    transport: Box<dyn Transport>,
}

// SAFETY: it owns its memory; there is one processor.
unsafe impl Send for Disk {}

impl Disk {
    /// Starts the device.
    ///
    /// # Errors
    /// It cannot be used.
    pub fn new(
        transport: Box<dyn Transport>,
        io: &mut IoRegion,
        patience: Patience,
    ) -> Result<Self, Unusable> {
        let mut device = Device::agree(transport, PARTS | READ_ONLY | FLUSH | DISCARD)?;
        let queue = device.queue(0, ENTRIES, io)?;
        let fit = usize::from(queue.size()).checked_sub(ENDS).filter(|parts| *parts > 0);
        let fit = fit.ok_or(Unusable::Queue)?;
        let request = io.take(size_of::<Request>(), 16).ok_or(Unusable::Memory)?.cast();
        device.transport.start();
        let mut number = |at: usize, bytes: usize| {
            (0..bytes).fold(0, |sum, byte| sum | u64::from(device.transport.config(at + byte)) << (8 * byte))
        };
        let (sectors, told) = (number(0, 8), number(12, 4) as usize);
        Ok(Self {
            most_parts: if device.has(PARTS) { told.clamp(1, fit) } else { 1 },
            queue,
            request,
            blocks: sectors / SECTORS,
            read_only: device.has(READ_ONLY),
            flushes: device.has(FLUSH),
            discards: device.has(DISCARD),
            patience,
            transport: device.transport,
        })
    }

    /// Makes a request and waits for its end.
    fn request(&mut self, kind: u32, sector: u64, buffers: &[Buffer]) -> Result<(), VfsError> {
        // SAFETY: it is nobody's while no request is under way.
        let request = unsafe { &mut *self.request };
        (request.kind, request.sector, request.status) = (kind, sector, 0xff);
        let head = Buffer { address: (&raw const request.kind).cast(), bytes: 16, written: false };
        let status = Buffer { address: &raw const request.status, bytes: 1, written: true };
        let mut all = Vec::with_capacity(buffers.len() + ENDS);
        all.push(head);
        all.extend_from_slice(buffers);
        all.push(status);
        // SAFETY: callers keep their buffers until this returns, which it does when the device is done with
        // them.
        unsafe { self.queue.push(&all) }.ok_or(VfsError::Io)?;
        self.queue.tell();
        self.wait();
        // SAFETY: written by the device.
        match unsafe { (&raw const (*self.request).status).read_volatile() } {
            0 => Ok(()),
            _ => Err(VfsError::Io),
        }
    }

    /// Waits for the device: soon over, or the processor rests.
    fn wait(&mut self) {
        let mut spins = 0;
        let mut since_us = None;
        while self.queue.pop().is_none() {
            spins += 1;
            if spins < SPINS {
                core::hint::spin_loop();
                continue;
            }
            let now_us = (self.patience.now_us)();
            assert!(now_us - *since_us.get_or_insert(now_us) < PATIENCE_US, "the disk does not answer");
            if !self.queue.await_use() {
                (self.patience.rest)(100_000);
            }
            self.queue.ignore_use();
            self.transport.quiet();
        }
    }

    fn check(&self, first: u64, bytes: usize) -> Result<u64, VfsError> {
        if is_within(self.blocks, first, bytes) { Ok(first * SECTORS) } else { Err(VfsError::Io) }
    }
}

impl BlockDevice for Disk {
    fn blocks(&self) -> u64 {
        self.blocks
    }

    fn read(&mut self, first: u64, bytes: &mut [u8]) -> Result<(), VfsError> {
        let mut sector = self.check(first, bytes.len())?;
        // A buffer's length is told in 32 bits.
        for piece in bytes.chunks_mut(1 << 30) {
            let buffer = Buffer { address: piece.as_ptr(), bytes: piece.len() as u32, written: true };
            self.request(READ, sector, &[buffer])?;
            sector += piece.len() as u64 / 512;
        }
        Ok(())
    }

    fn write(&mut self, first: u64, parts: &[&[u8]]) -> Result<(), VfsError> {
        if self.read_only {
            return Err(VfsError::Io);
        }
        let mut sector = self.check(first, parts.iter().map(|part| part.len()).sum())?;
        for group in parts.chunks(self.most_parts) {
            let buffer =
                |bytes: &&[u8]| Buffer { address: bytes.as_ptr(), bytes: bytes.len() as u32, written: false };
            let gathered: Vec<Buffer> = group.iter().filter(|bytes| !bytes.is_empty()).map(buffer).collect();
            if gathered.is_empty() {
                continue;
            }
            self.request(WRITE, sector, &gathered)?;
            sector += gathered.iter().map(|buffer| u64::from(buffer.bytes) / 512).sum::<u64>();
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), VfsError> {
        // Without a cache there is nothing to flush.
        if self.flushes { self.request(DO_FLUSH, 0, &[]) } else { Ok(()) }
    }

    fn discard(&mut self, first: u64, blocks: u64) -> Result<(), VfsError> {
        if !self.discards || self.read_only || blocks == 0 {
            return Ok(());
        }
        let bytes = usize::try_from(blocks).ok().and_then(|blocks| blocks.checked_mul(BLOCK_BYTES));
        let sector = self.check(first, bytes.ok_or(VfsError::Io)?)?;
        let sectors = u32::try_from(blocks * SECTORS).map_err(|_| VfsError::Io)?;
        // SAFETY: no request is under way.
        let range = unsafe { &raw mut (*self.request).range };
        // SAFETY: as before.
        unsafe { range.write(Range { sector, sectors, flags: 0 }) };
        let range = Buffer { address: range.cast(), bytes: 16, written: false };
        self.request(DO_DISCARD, 0, &[range])
    }
}
