//! Which devices there are.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::arch::interrupts;
use crate::args::Args;
use crate::virtio::{Kind, Transport};

/// A device that was found, with the number of its interrupt.
pub(super) struct Found {
    pub kind: Kind,
    pub transport: Box<dyn Transport>,
    pub number: usize,
}

/// Finds all devices, and has their interrupts delivered.
pub(super) fn find(args: &Args) -> Vec<Found> {
    let mut found = Vec::new();
    #[cfg(feature = "mmio")]
    for &(address, line) in &args.mmio {
        // SAFETY: the hypervisor says that there is a device.
        let Some((device, kind)) = (unsafe { crate::virtio::mmio::Mmio::probe(address as usize) }) else {
            continue;
        };
        let number = found.len();
        interrupts::route_device(line, number);
        found.push(Found { kind, transport: Box::new(device), number });
    }
    #[cfg(feature = "pci")]
    super::arch::pci::find(&mut found);
    let _ = args;
    found
}
