//! PCs, as QEMU's microvm and q35 are.

pub mod calls;
pub mod clock;
pub mod console;
pub mod devices;
mod entry;
#[cfg(feature = "tls")]
pub mod fw_cfg;
pub mod interrupts;
pub mod paging;
#[cfg(feature = "pci")]
pub mod pci;
mod ports;
pub mod power;
pub mod random;
mod start;
mod symbols;
