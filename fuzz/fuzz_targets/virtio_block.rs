//! A disk that says anything of itself and writes anything into the memory that it shares with its driver:
//! its driver ends each request, touches nothing but what it was given, and panics at most because the disk
//! never answers, which this one does.
#![no_main]

mod device;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use device::{Device, Registers};
use libfuzzer_sys::fuzz_target;
use loadstone_appliance::virtio::block::{Disk, Patience};
use loadstone_store::vfs::block::{BLOCK_BYTES, BlockDevice};

/// What the disk does while its driver waits: (whether it is done, where it writes, what).
type Turn = (bool, u16, u16);

thread_local! {
    static DEVICE: RefCell<Option<Rc<Device>>> = const { RefCell::new(None) };
    static TURNS: RefCell<VecDeque<Turn>> = const { RefCell::new(VecDeque::new()) };
    static TIME_US: Cell<u64> = const { Cell::new(0) };
}

/// A millisecond goes by at each look.
fn now_us() -> u64 {
    TIME_US.set(TIME_US.get() + 1000);
    TIME_US.get()
}

/// A few things that the disk does; in the end it says that it is done.
fn rest(_: u64) {
    let device = DEVICE.with_borrow(|device| device.clone()).expect("there is a disk");
    for _ in 0..8 {
        match TURNS.with_borrow_mut(VecDeque::pop_front) {
            Some((false, place, value)) => device.scribble(place, value),
            Some((true, place, value)) => {
                device.scribble(place, value);
                return device.complete(0, value.into());
            }
            None => return device.complete(0, 1),
        }
    }
}

fuzz_target!(|input: (u8, u64, Vec<u8>, Vec<(u8, u16, u8)>, Vec<Turn>)| {
    let (size, offered, config, requests, turns) = input;
    let device = Rc::new(Device::new(1 << 15));
    DEVICE.set(Some(device.clone()));
    TURNS.set(turns.into());
    let size = 1 << (size % 9);
    let registers = Registers { device: device.clone(), offered: offered | 1 << 32, size, config };
    let Ok(mut disk) = Disk::new(Box::new(registers), &mut device.region(), Patience { now_us, rest }) else {
        return;
    };
    let blocks = disk.blocks();
    let mut room = vec![0; 4 * BLOCK_BYTES];
    for (kind, first, count) in requests.into_iter().take(32) {
        // From the beginning, or near the end.
        let first = if first & 1 == 0 { first.into() } else { blocks.wrapping_sub(first.into()) };
        let bytes = usize::from(count % 5) * BLOCK_BYTES;
        let _ = match kind % 4 {
            0 => disk.read(first, &mut room[..bytes]),
            1 => disk.write(first, &room[..bytes].chunks(BLOCK_BYTES).collect::<Vec<_>>()),
            2 => disk.flush(),
            _ => disk.discard(first, count.into()),
        };
    }
});
