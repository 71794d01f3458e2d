//! A device that writes anything anywhere into the memory of its queue, between a driver's requests: no
//! request is done twice or without having been made, none is lost room, and nothing else is touched.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_appliance::virtio::queue::Places;
use loadstone_appliance::virtio::{Buffer, Doorbell, IoRegion, Queue};

fuzz_target!(|input: (u8, Vec<(u8, u16, u16)>)| {
    let size = 1_u16 << (input.0 % 9);
    let mut memory = vec![0_u64; 4096];
    let start = memory.as_mut_ptr().expose_provenance();
    // SAFETY: the memory outlives the queue, and is used by nothing else.
    let mut region = unsafe { IoRegion::new(start..start + 8 * 4096) };
    let places = Places::take(size, &mut region).unwrap();
    let addresses = places.addresses();
    let bytes = [16 * usize::from(size), 6 + 2 * usize::from(size), 6 + 8 * usize::from(size)];
    let mut bell = 0_u64;
    // SAFETY: the bell outlives the queue.
    let doorbell = unsafe { Doorbell::new((&raw mut bell).expose_provenance(), 0, false) };
    let mut queue = Queue::new(places, doorbell, input.0 & 0x80 != 0);
    let mut under_way: Vec<(u16, u16)> = Vec::new();
    for (kind, one, other) in input.1 {
        match kind % 5 {
            0 => {
                let count = one % (size + 2);
                let buffer = Buffer { address: core::ptr::dangling(), bytes: 1, written: false };
                // SAFETY: this device looks at no buffer.
                if let Some(head) = unsafe { queue.push(&vec![buffer; count.into()]) } {
                    assert!(under_way.iter().all(|(begun, _)| *begun != head));
                    under_way.push((head, count));
                }
            }
            1 => {
                if let Some((head, _)) = queue.pop() {
                    let at = under_way.iter().position(|(begun, _)| *begun == head);
                    under_way.remove(at.expect("it was under way"));
                }
            }
            2 => {
                queue.tell();
                queue.await_use();
                queue.ignore_use();
            }
            _ => {
                let area = usize::from(one % 3);
                let place = core::ptr::with_exposed_provenance_mut::<u16>(addresses[area] as usize);
                // SAFETY: within the area.
                unsafe { place.add(usize::from(one / 3) % (bytes[area] / 2)).write_volatile(other) };
            }
        }
        assert_eq!(queue.room(), size - under_way.iter().map(|(_, count)| count).sum::<u16>());
    }
});
