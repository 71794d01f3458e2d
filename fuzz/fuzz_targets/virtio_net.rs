//! A card that says anything of itself and writes anything into the memory that it shares with its driver:
//! frames have the bytes that a buffer can have, there are as many buffers as before, nothing panics.
#![no_main]

mod device;

use std::rc::Rc;

use device::{Device, Registers};
use libfuzzer_sys::fuzz_target;
use loadstone_appliance::net::{Departure, Incoming, Outgoing};
use loadstone_appliance::virtio::net::{Card, FRAME};

fuzz_target!(|input: (u8, u64, Vec<u8>, Vec<(u8, u16, u16)>)| {
    let (size, offered, config, steps) = input;
    let device = Rc::new(Device::new(1 << 15));
    let size = 1 << (size % 9);
    let registers = Registers { device: device.clone(), offered: offered | 1 << 32, size, config };
    let Ok(mut card) = Card::new(Box::new(registers), &mut device.region()) else { return };
    let buffers = device.queues.borrow()[1].1;
    for (kind, place, value) in steps {
        match kind % 8 {
            0 => {
                if let Some((frame, _)) = card.receiver.peek() {
                    assert!(frame.len() <= 2048);
                    frame.fill(7);
                    card.receiver.done();
                }
            }
            1 => card.receiver.done(),
            2 => card.receiver.flush(),
            3 if card.sender.has_room() => {
                let bytes = usize::from(value) % (FRAME + 1);
                let unsealed = place & 1 == 0;
                let departure = if unsealed { Departure::Unsealed(34, 16) } else { Departure::Whole };
                card.sender.send(bytes, |frame| (frame.fill(9), departure));
                card.sender.flush();
            }
            4 => device.complete(0, value.into()),
            5 => device.complete(1, value.into()),
            6 => {
                card.receiver.await_frame();
                card.receiver.ignore();
            }
            _ => device.scribble(place, value),
        }
    }
    // A buffer comes back at most as often as the device has said that one was done: its index has two bytes.
    let mut had = 0;
    while card.sender.has_room() {
        card.sender.send(60, |frame| (frame.fill(1), Departure::Whole));
        had += 1;
        assert!(had <= u32::from(buffers) + (1 << 16));
    }
});
