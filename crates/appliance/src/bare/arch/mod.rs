//! What each architecture does in its own way, behind the same names. The rest of `bare` does not know which
//! one it is.
//!
//! | name | what |
//! |---|---|
//! | `entry`, `start` | from the first instruction to [`super::begin`], with what the hypervisor tells |
//! | `paging` | where RAM begins; how far it is mapped; the rights of [`super::layout`] in tables; the address 0 |
//! | `interrupts` | exceptions that are reported, flags of devices and console, a halt with an end |
//! | `clock` | a counter, measured by `interrupts`; the day by a real-time clock |
//! | `console` | a byte out, a byte in |
//! | `random` | a generator in the processor, if there is one |
//! | `fw_cfg` | the registers of the hypervisor's files |
//! | `power` | the end |
//! | `devices` | places of devices that are told elsewhere than on the command line |
//! | `calls` | whether an instruction calls |

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
pub(super) use aarch64::*;
#[cfg(target_arch = "x86_64")]
pub(super) use x86_64::*;
