//! A split virtqueue (§2.7): descriptors, the ring of what is available to the device, the ring of what it
//! has used.
//!
//! The device can write to all three. So what it must not decide is kept beside them, in memory of our own:
//! which descriptors are free, and which requests are under way.

use alloc::vec::Vec;
use core::sync::atomic::{Ordering, fence};

use super::{Doorbell, IoRegion};

/// A descriptor continues in another, the device writes to it.
const NEXT: u16 = 1;
const WRITES: u16 = 2;
/// In the ring's flags: no notification, please.
const UNWANTED: u16 = 1;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Descriptor {
    address: u64,
    bytes: u32,
    flags: u16,
    next: u16,
}

/// A piece of memory of a request.
#[derive(Debug, Clone, Copy)]
pub struct Buffer {
    /// Where it begins.
    pub address: *const u8,
    /// Its length.
    pub bytes: u32,
    /// Whether the device writes to it; it reads else. Those that it reads come first.
    pub written: bool,
}

/// Where a queue lies.
#[derive(Debug)]
pub struct Places {
    /// Number of entries, a power of two.
    pub size: u16,
    descriptors: *mut Descriptor,
    available: *mut u16,
    used: *mut u16,
}

impl Places {
    /// Takes memory for a queue of so many entries.
    pub fn take(size: u16, io: &mut IoRegion) -> Option<Self> {
        let entries = usize::from(size);
        let descriptors = io.take(entries * size_of::<Descriptor>(), 16)?.cast();
        let available = io.take(6 + 2 * entries, 2)?.cast();
        let used = io.take(6 + 8 * entries, 4)?.cast();
        Some(Self { size, descriptors, available, used })
    }

    /// Addresses of the descriptors, of the ring of available entries and of that of used ones.
    pub fn addresses(&self) -> [u64; 3] {
        let (descriptors, available, used) = (self.descriptors, self.available, self.used);
        [descriptors.expose_provenance(), available.expose_provenance(), used.expose_provenance()]
            .map(|address| address as u64)
    }
}

/// The driver's side of a queue.
#[derive(Debug)]
pub struct Queue {
    places: Places,
    doorbell: Doorbell,
    event_index: bool,
    /// First of the unused descriptors, and their number; the one behind each of them, or behind each of a
    /// request.
    free: u16,
    free_count: u16,
    next: Vec<u16>,
    /// Descriptors of the request that begins with each; 0 when none that is under way does.
    under_way: Vec<u16>,
    /// Entries made available, and of these told to the device, since the beginning (modulo 2¹⁶).
    available: u16,
    told: u16,
    /// Used entries that were taken.
    taken: u16,
}

// SAFETY: it owns its memory; what its descriptors point to is its user's care.
unsafe impl Send for Queue {}

impl Queue {
    /// An empty queue. The device is not to interrupt for it before [`Queue::await_use`].
    pub fn new(places: Places, doorbell: Doorbell, event_index: bool) -> Self {
        let size = places.size;
        let mut queue = Self {
            places,
            doorbell,
            event_index,
            free: 0,
            free_count: size,
            next: (1..=size).collect(),
            under_way: alloc::vec![0; size.into()],
            available: 0,
            told: 0,
            taken: 0,
        };
        queue.ignore_use();
        queue
    }

    /// Number of entries.
    pub fn size(&self) -> u16 {
        self.places.size
    }

    /// Descriptors that are unused: as many buffers fit into further requests.
    pub fn room(&self) -> u16 {
        self.free_count
    }

    /// Makes a request available and returns its number, which [`Queue::pop`] names when it is done; none
    /// when it does not fit. The device hears of it by [`Queue::tell`].
    ///
    /// # Safety
    /// The buffers stay valid, and untouched as far as they are written, until then.
    pub unsafe fn push(&mut self, buffers: &[Buffer]) -> Option<u16> {
        if buffers.is_empty() || buffers.len() > usize::from(self.free_count) {
            return None;
        }
        let head = self.free;
        let mut at = head;
        for (number, buffer) in buffers.iter().enumerate() {
            let last = number + 1 == buffers.len();
            let next = self.next[usize::from(at)];
            let descriptor = Descriptor {
                address: buffer.address.expose_provenance() as u64,
                bytes: buffer.bytes,
                flags: if last { 0 } else { NEXT } | if buffer.written { WRITES } else { 0 },
                next: if last { 0 } else { next },
            };
            // SAFETY: the chain of unused descriptors is as long as `free_count`, and within the table.
            unsafe { self.places.descriptors.add(at.into()).write_volatile(descriptor) };
            at = next;
        }
        self.under_way[usize::from(head)] = buffers.len() as u16;
        self.free = at;
        self.free_count -= buffers.len() as u16;
        let slot = usize::from(self.available % self.places.size);
        self.available = self.available.wrapping_add(1);
        // SAFETY: entries begin behind flags and index.
        unsafe { self.places.available.add(2 + slot).write_volatile(head) };
        fence(Ordering::Release);
        // SAFETY: the index.
        unsafe { self.places.available.add(1).write_volatile(self.available) };
        Some(head)
    }

    /// Tells the device of what was pushed, once for all of it, if it wants to be told.
    pub fn tell(&mut self) {
        let new = self.available.wrapping_sub(self.told);
        if new == 0 {
            return;
        }
        fence(Ordering::SeqCst);
        let wanted = if self.event_index {
            // SAFETY: behind the used entries.
            let event =
                unsafe { self.places.used.add(2 + 4 * usize::from(self.places.size)).read_volatile() };
            self.available.wrapping_sub(event).wrapping_sub(1) < new
        } else {
            // SAFETY: the flags.
            unsafe { self.places.used.read_volatile() & UNWANTED == 0 }
        };
        self.told = self.available;
        if wanted {
            self.doorbell.ring();
        }
    }

    /// Whether a request is done.
    pub fn has_used(&self) -> bool {
        // SAFETY: the index.
        unsafe { self.places.used.add(1).read_volatile() != self.taken }
    }

    /// Takes a request that is done: its number, and how many bytes the device says that it wrote. A device
    /// that names what is not under way, or has been done before, is not heard.
    pub fn pop(&mut self) -> Option<(u16, u32)> {
        if !self.has_used() {
            return None;
        }
        fence(Ordering::Acquire);
        let slot = usize::from(self.taken % self.places.size);
        // SAFETY: entries of 8 bytes begin behind flags and index.
        let entry = unsafe { self.places.used.add(2 + 4 * slot).cast::<u32>() };
        // SAFETY: as before.
        let (head, bytes) = unsafe { (entry.read_volatile(), entry.add(1).read_volatile()) };
        self.taken = self.taken.wrapping_add(1);
        let head = u16::try_from(head).ok().filter(|head| *head < self.places.size)?;
        self.release(head).then_some((head, bytes))
    }

    /// Puts the descriptors of a request back; false when none that is under way begins with `head`.
    fn release(&mut self, head: u16) -> bool {
        let count = core::mem::take(&mut self.under_way[usize::from(head)]);
        if count == 0 {
            return false;
        }
        let last = (1..count).fold(head, |at, _| self.next[usize::from(at)]);
        self.next[usize::from(last)] = self.free;
        self.free = head;
        self.free_count += count;
        true
    }

    /// Asks for an interrupt at the next use; whether there is one already, for which none will come.
    pub fn await_use(&mut self) -> bool {
        self.set_event(self.taken, 0);
        fence(Ordering::SeqCst);
        self.has_used()
    }

    /// Asks for no interrupts.
    pub fn ignore_use(&mut self) {
        // By index: the one that is farthest off.
        self.set_event(self.taken.wrapping_sub(1), UNWANTED);
    }

    fn set_event(&mut self, event: u16, flags: u16) {
        // SAFETY: behind the available entries; the flags.
        unsafe {
            if self.event_index {
                self.places.available.add(2 + usize::from(self.places.size)).write_volatile(event);
            } else {
                self.places.available.write_volatile(flags);
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Memory of the host as an I/O region, which lives as long as the test.
    pub(crate) fn region(bytes: usize) -> IoRegion {
        let memory = Vec::leak(alloc::vec![0_u64; bytes / 8]);
        let start = memory.as_mut_ptr().expose_provenance();
        // SAFETY: leaked for this region.
        unsafe { IoRegion::new(start..start + bytes) }
    }

    /// The device's side of a queue: it takes what is available and calls it used.
    struct Peer {
        addresses: [u64; 3],
        size: u16,
        seen: u16,
        bell: &'static mut u16,
    }

    impl Peer {
        fn available(&self, at: usize) -> u16 {
            // SAFETY: within the ring.
            unsafe { (self.addresses[1] as *const u16).add(at).read_volatile() }
        }

        /// Serves up to `most` requests; the lengths of their buffers.
        fn serve(&mut self, most: usize) -> Vec<Vec<u32>> {
            let mut requests = Vec::new();
            while self.seen != self.available(1) && requests.len() < most {
                let head = self.available(2 + usize::from(self.seen % self.size));
                let (mut buffers, mut at) = (Vec::new(), head);
                loop {
                    // SAFETY: within the table.
                    let descriptor =
                        unsafe { (self.addresses[0] as *const Descriptor).add(at.into()).read_volatile() };
                    buffers.push(descriptor.bytes);
                    if descriptor.flags & NEXT == 0 {
                        break;
                    }
                    at = descriptor.next;
                }
                let used = self.addresses[2] as *mut u16;
                // SAFETY: within the ring.
                unsafe {
                    let entry = used.add(2 + 4 * usize::from(self.seen % self.size)).cast::<u32>();
                    entry.write_volatile(head.into());
                    entry.add(1).write_volatile(buffers.iter().sum());
                    self.seen = self.seen.wrapping_add(1);
                    used.add(1).write_volatile(self.seen);
                }
                requests.push(buffers);
            }
            // SAFETY: where it wants to be told next.
            unsafe {
                (self.addresses[2] as *mut u16).add(2 + 4 * usize::from(self.size)).write_volatile(self.seen)
            };
            requests
        }
    }

    fn pair(size: u16) -> (Queue, Peer) {
        let places = Places::take(size, &mut region(1 << 16)).unwrap();
        let bell: &'static mut u16 = alloc::boxed::Box::leak(alloc::boxed::Box::new(99));
        let address = core::ptr::from_mut(bell).expose_provenance();
        let peer = Peer { addresses: places.addresses(), size, seen: 0, bell };
        // SAFETY: it rings at a leaked number.
        let doorbell = unsafe { Doorbell::new(address, 3, false) };
        (Queue::new(places, doorbell, true), peer)
    }

    fn buffer(bytes: u32) -> Buffer {
        Buffer { address: core::ptr::dangling(), bytes, written: false }
    }

    #[test]
    fn requests_go_round_many_times() {
        let (mut queue, mut peer) = pair(8);
        for round in 0..40_000_u32 {
            // SAFETY: the peer looks at no memory.
            let first = unsafe { queue.push(&[buffer(round), buffer(1), buffer(2)]) }.unwrap();
            // SAFETY: as before.
            let second = unsafe { queue.push(&[buffer(7); 5]) }.unwrap();
            // SAFETY: as before.
            assert_eq!(unsafe { queue.push(&[buffer(0)]) }, None, "the queue is full");
            assert_eq!(peer.serve(9), [alloc::vec![round, 1, 2], alloc::vec![7; 5]]);
            assert_eq!((queue.pop(), queue.pop()), (Some((first, round + 3)), Some((second, 35))));
            assert_eq!((queue.pop(), queue.room()), (None, 8));
        }
    }

    #[test]
    fn the_device_is_told_once_and_when_it_wants() {
        let (mut queue, mut peer) = pair(8);
        queue.tell();
        assert_eq!(*peer.bell, 99, "there is nothing to tell");
        for _ in 0..3 {
            // SAFETY: as before.
            unsafe { queue.push(&[buffer(1)]) };
        }
        queue.tell();
        assert_eq!(*peer.bell, 3);
        *peer.bell = 99;
        // SAFETY: as before.
        unsafe { queue.push(&[buffer(1)]) };
        queue.tell();
        assert_eq!(*peer.bell, 99, "it has not yet looked at what it was told of");
        assert_eq!(peer.serve(9).len(), 4);
        // SAFETY: as before.
        unsafe { queue.push(&[buffer(1)]) };
        queue.tell();
        assert_eq!(*peer.bell, 3);
    }

    #[test]
    fn waiting_notices_what_is_done_already() {
        let (mut queue, mut peer) = pair(4);
        assert!(!queue.await_use());
        // SAFETY: as before.
        unsafe { queue.push(&[buffer(1)]) };
        peer.serve(1);
        assert!(queue.await_use());
        assert_eq!(peer.available(2 + 4), 0, "an interrupt at the first use");
        queue.ignore_use();
        assert_eq!(peer.available(2 + 4), u16::MAX);
    }
}
