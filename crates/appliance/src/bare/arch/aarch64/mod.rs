//! QEMU's `virt` with one processor: GICv3, PL011, PL031, virtio-mmio, PSCI.

#[cfg(feature = "pci")]
compile_error!("on this machine devices are not on a PCI bus: leave the part `pci` out");

pub mod calls;
pub mod clock;
pub mod console;
pub mod devices;
mod entry;
#[cfg(feature = "tls")]
pub mod fw_cfg;
pub mod interrupts;
pub mod paging;
pub mod power;
pub mod random;
mod registers;
mod start;
