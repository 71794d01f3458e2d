//! The appliance: a library OS that a [`loadstone_http::Service`] is linked with to boot straight on a
//! hypervisor.
//!
//! | part | what it is |
//! |---|---|
//! | [`args`], [`memory`], [`heap`] | the command line, the memory map, the allocator |
//! | [`device_tree`] | what a machine without PC firmware tells of itself |
//! | [`events`] | relocation, shutdown, the wish for a sibling |
//! | `fw_cfg` | files that the hypervisor has for the machine (feature `tls`) |
//! | [`virtio`] | queues and devices, over memory that is told to them |
//! | [`net`] | frames to TCP/IP: the adaptor for smoltcp, checksums, who may connect |
//! | [`server`] | HTTP on its sockets, as cooperative tasks |
//! | `tls` | sessions between the two (feature `tls`) |
//! | `bare` | what only a bare machine can do (feature `bare`): boot, pages, interrupts, console, clock; `bare::arch` is what each processor does in its own way |
//!
//! All but `bare` is ordinary code, tested on the host. There is one processor and nothing preempts; what
//! waits is a state with a deadline. After Madhavapeddy et al., "Unikernels: Library Operating Systems for
//! the Cloud" (ASPLOS 2013).
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod args;
#[cfg(feature = "bare")]
pub mod bare;
pub mod day;
pub mod device_tree;
pub mod events;
pub mod fixed;
#[cfg(feature = "tls")]
pub mod fw_cfg;
pub mod heap;
pub mod memory;
pub mod net;
pub mod one_cpu;
pub mod server;
#[cfg(feature = "tls")]
pub mod tls;
pub mod virtio;

/// An application, as an image hands it over.
pub type BoxedService = alloc::boxed::Box<dyn loadstone_http::Service>;
/// Why an image cannot start: a sentence for the operator.
pub type Refusal = alloc::string::String;
