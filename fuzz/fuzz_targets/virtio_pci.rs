//! A function on a PCI bus that says anything of itself, and a device behind it whose registers say anything:
//! windows lie where memory is mapped, the doorbell rings within its own, and nothing else is touched.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_appliance::virtio::bus::{Function, kind, messages, windows};
use loadstone_appliance::virtio::pci::{Pci, Windows};
use loadstone_appliance::virtio::{Buffer, Device, IoRegion};

/// The registers of a function: 256 bytes, or what there is of them.
struct Registers(Vec<u8>);

impl Function for Registers {
    fn read(&self, register: u8) -> u32 {
        let at = usize::from(register & 0xfc);
        u32::from_le_bytes(std::array::from_fn(|byte| self.0.get(at + byte).copied().unwrap_or(0)))
    }
}

const MAPPED: u64 = 4 << 30;

fuzz_target!(|input: (Vec<u8>, [u8; 56], u8, u16, Vec<(u8, u8)>)| {
    let (function, common, notify_bytes, notify_step, changes) = input;
    let function = Registers(function);
    let _ = kind(&function);
    if let Ok(Some(found)) = windows(&function, MAPPED) {
        for (start, bytes) in
            [(found.common, 56), (found.notify, found.notify_bytes), (found.own, found.own_bytes)]
        {
            assert!(start.checked_add(bytes).is_some_and(|end| end as u64 <= MAPPED));
        }
    }
    if let Ok(Some((at, entry))) = messages(&function, MAPPED) {
        assert!(at & 3 == 0 && entry as u64 + 16 <= MAPPED);
    }

    // Each in memory of its own, so that whoever goes beyond it is seen.
    let mut common: Box<[u64]> =
        common.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
    let notify = vec![0_u16; usize::from(notify_bytes).div_ceil(2)];
    let own = [1_u8; 6];
    let memory = vec![0_u64; 4096];
    let start = memory.as_ptr().expose_provenance();
    // SAFETY: the memory outlives its user, and is used by nothing else.
    let mut io = unsafe { IoRegion::new(start..start + 8 * 4096) };
    let registers = common.as_mut_ptr();
    // SAFETY: these windows are mapped as long as the device is used.
    let pci = unsafe {
        Pci::new(Windows {
            common: registers.expose_provenance(),
            notify: notify.as_ptr().expose_provenance(),
            notify_step: notify_step.into(),
            notify_bytes: notify_bytes.into(),
            own: own.as_ptr().expose_provenance(),
            own_bytes: own.len(),
        })
    };
    let Ok(mut device) = Device::agree(Box::new(pci), u64::MAX) else { return };
    for (number, (place, value)) in changes.into_iter().enumerate() {
        // SAFETY: within the common configuration.
        unsafe { registers.cast::<u8>().add(usize::from(place) % 56).write_volatile(value) };
        let _ = device.transport.config(usize::from(place));
        if let Ok(mut queue) = device.queue(number as u16, 256, &mut io) {
            let buffer = Buffer { address: core::ptr::dangling(), bytes: 1, written: false };
            // SAFETY: nobody looks at the buffer.
            unsafe { queue.push(&[buffer]) };
            queue.tell();
        }
        device.transport.start();
        device.transport.quiet();
    }
});
