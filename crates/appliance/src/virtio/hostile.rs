//! Devices that do what no device may do: whatever they write, nothing but their own memory is touched, no
//! request is done twice, and nobody waits for ever.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::Cell;

use loadstone_store::vfs::VfsError;
use loadstone_store::vfs::block::{BLOCK_BYTES, BlockDevice};
use proptest::prelude::*;

use super::block::{Disk, Patience};
use super::entropy::Entropy;
use super::queue::Places;
use super::queue::tests::region;
use super::{Buffer, Device, Doorbell, IoRegion, Queue, Transport, Unusable};

/// Where a queue lies, once the driver has said so.
type Placed = Rc<Cell<Option<[u64; 3]>>>;

/// A device with one queue: registers as told, memory as its owner writes it.
struct Registers {
    size: u16,
    config: Vec<u8>,
    placed: Placed,
}

impl Registers {
    fn new(size: u16) -> Self {
        Self { size, config: alloc::vec![0xff; 64], placed: Placed::default() }
    }
}

impl Transport for Registers {
    fn offered(&mut self) -> u64 {
        u64::MAX
    }

    fn choose(&mut self, _: u64) -> bool {
        true
    }

    fn queue_size(&mut self, _: u16) -> u16 {
        self.size
    }

    fn place_queue(&mut self, _: u16, queue: &Places) -> Doorbell {
        self.placed.set(Some(queue.addresses()));
        let bell = core::ptr::from_mut(Box::leak(Box::new(0_u64))).expose_provenance();
        // SAFETY: leaked for it.
        unsafe { Doorbell::new(bell, 0, false) }
    }

    fn start(&mut self) {}

    fn config(&mut self, offset: usize) -> u8 {
        self.config[offset]
    }

    fn quiet(&mut self) {}
}

/// Says that `head` is done, as the `index`-th of all.
fn complete(addresses: [u64; 3], size: u16, index: u16, head: u32, bytes: u32) {
    let used = core::ptr::with_exposed_provenance_mut::<u16>(addresses[2] as usize);
    // SAFETY: within the ring.
    unsafe {
        let entry = used.add(2 + 4 * usize::from(index % size)).cast::<u32>();
        entry.write_volatile(head);
        entry.add(1).write_volatile(bytes);
        used.add(1).write_volatile(index.wrapping_add(1));
    }
}

fn queue(size: u16) -> (Queue, [u64; 3]) {
    let registers = Registers::new(size);
    let placed = registers.placed.clone();
    let queue = Device::agree(Box::new(registers), 0).unwrap().queue(0, 256, &mut region(1 << 16)).unwrap();
    (queue, placed.get().unwrap())
}

/// A request of so many buffers that nobody reads.
fn push(queue: &mut Queue, buffers: usize) -> Option<u16> {
    let buffer = Buffer { address: core::ptr::dangling(), bytes: 1, written: false };
    // SAFETY: the devices here look at no buffer.
    unsafe { queue.push(&alloc::vec![buffer; buffers]) }
}

#[test]
fn a_chain_that_the_device_changes_is_not_followed() {
    let (mut queue, addresses) = queue(8);
    let head = push(&mut queue, 3).unwrap();
    let table = core::ptr::with_exposed_provenance_mut::<u16>(addresses[0] as usize);
    for descriptor in 0..8 {
        // SAFETY: flags (here: another follows) and the next one's number, within the table.
        unsafe {
            table.add(descriptor * 8 + 6).write_volatile(1);
            table.add(descriptor * 8 + 7).write_volatile(60_000);
        }
    }
    complete(addresses, 8, 0, head.into(), 7);
    assert_eq!((queue.pop(), queue.room()), (Some((head, 7)), 8));
    assert!((0..2).all(|_| push(&mut queue, 4).is_some()), "all descriptors are in the table");
}

#[test]
fn a_request_is_done_once() {
    let (mut queue, addresses) = queue(8);
    let (first, second) = (push(&mut queue, 2).unwrap(), push(&mut queue, 2).unwrap());
    for (index, head) in [first, first, 7, 8, second].into_iter().enumerate() {
        complete(addresses, 8, index as u16, head.into(), 0);
        let expected = (index == 0 || index == 4).then_some((head, 0));
        assert_eq!(queue.pop(), expected, "number {index}");
    }
    complete(addresses, 8, 5, u32::from(first) + 0x1_0000, 0);
    assert_eq!((queue.pop(), queue.room()), (None, 8));
}

proptest! {
    /// A device that writes anything anywhere in the memory of its queue.
    #[test]
    fn whatever_a_device_writes_its_queue_stays_sound(
        log in 0..5_u32,
        steps in prop::collection::vec((0..4_u8, any::<u16>(), any::<u16>()), 1..200),
    ) {
        let size = 1_u16 << log;
        let (mut queue, addresses) = queue(size);
        let bytes = [16 * usize::from(size), 6 + 2 * usize::from(size), 6 + 8 * usize::from(size)];
        let mut under_way: Vec<(u16, u16)> = Vec::new();
        for (kind, one, other) in steps {
            match kind {
                0 => {
                    let buffers = one % size + 1;
                    if let Some(head) = push(&mut queue, buffers.into()) {
                        assert!(under_way.iter().all(|(begun, _)| *begun != head));
                        under_way.push((head, buffers));
                    }
                }
                1 => {
                    if let Some((head, _)) = queue.pop() {
                        let at = under_way.iter().position(|(begun, _)| *begun == head);
                        under_way.remove(at.expect("it was under way"));
                    }
                }
                _ => {
                    let area = usize::from(one % 3);
                    let words = bytes[area] / 2;
                    let memory = core::ptr::with_exposed_provenance_mut::<u16>(addresses[area] as usize);
                    // SAFETY: within the area.
                    unsafe { memory.add(usize::from(one / 3) % words).write_volatile(other) };
                }
            }
            let taken: u16 = under_way.iter().map(|(_, buffers)| buffers).sum();
            prop_assert_eq!(queue.room(), size - taken);
        }
    }
}

std::thread_local! {
    static PLACED: Cell<Option<([u64; 3], u16)>> = const { Cell::new(None) };
    static TIME_US: Cell<u64> = const { Cell::new(0) };
    /// How often the device has answered.
    static ANSWERS: Cell<u16> = const { Cell::new(0) };
}

/// A second goes by at each look.
fn now_us() -> u64 {
    TIME_US.set(TIME_US.get() + 1_000_000);
    TIME_US.get()
}

/// The device says that what was asked first is done, and has written nothing.
fn idle_answer(_: u64) {
    if let Some((addresses, size)) = PLACED.get() {
        complete(addresses, size, ANSWERS.get(), 0, u32::MAX);
        ANSWERS.set(ANSWERS.get().wrapping_add(1));
    }
}

fn disk(size: u16, rest: fn(u64)) -> Result<Disk, Unusable> {
    let registers = Registers::new(size);
    let placed = registers.placed.clone();
    let disk = Disk::new(Box::new(registers), &mut region(1 << 16), Patience { now_us, rest });
    PLACED.set(placed.get().map(|addresses| (addresses, size)));
    disk
}

#[test]
fn a_disk_whose_queue_has_no_room_for_a_request_is_refused() {
    for (size, is_fit) in [(0, false), (1, false), (2, false), (3, false), (4, true), (256, true)] {
        let made = disk(size, |_| ());
        assert_eq!(made.err(), (!is_fit).then_some(Unusable::Queue), "{size}");
    }
}

#[test]
fn a_disk_that_says_it_has_read_and_has_not_is_an_error() {
    let mut disk = disk(4, idle_answer).unwrap();
    let mut bytes = [0; BLOCK_BYTES];
    for _ in 0..10 {
        assert_eq!(disk.read(0, &mut bytes), Err(VfsError::Io));
    }
    // As large as it likes: no sum overflows.
    assert_eq!(disk.read(u64::MAX / 2, &mut bytes), Err(VfsError::Io));
    assert!(loadstone_store::vfs::block::holds(&mut disk).is_err());
}

#[test]
#[should_panic(expected = "the disk does not answer")]
fn a_disk_that_names_only_what_it_was_not_given_is_given_up() {
    let wrong = |_| {
        if let Some((addresses, size)) = PLACED.get() {
            complete(addresses, size, ANSWERS.get(), 3, 0);
            ANSWERS.set(ANSWERS.get().wrapping_add(1));
        }
    };
    let _ = disk(4, wrong).unwrap().read(0, &mut [0; BLOCK_BYTES]);
}

#[test]
fn nobody_waits_for_a_source_of_entropy_that_is_slow() {
    let registers = Registers::new(4);
    let placed = registers.placed.clone();
    let mut io: IoRegion = region(1 << 12);
    let mut source = Entropy::new(Box::new(registers), &mut io).unwrap();
    let mut bytes = [0; 16];
    for _ in 0..20 {
        assert_eq!(source.fill(&mut bytes), Err(Unusable::Silent));
    }
    // One request, however often it was asked: now it comes, then there is nothing again.
    complete(placed.get().unwrap(), 4, 0, 0, 16);
    assert_eq!(source.fill(&mut bytes), Ok(()));
    assert_eq!(source.fill(&mut bytes), Err(Unusable::Silent));
    // More than the pool holds is not believed.
    complete(placed.get().unwrap(), 4, 1, 0, u32::MAX);
    assert_eq!(source.fill(&mut [0; 256]), Ok(()));
    assert_eq!(source.fill(&mut bytes), Err(Unusable::Silent));
}
