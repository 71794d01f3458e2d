//! Transient faults of a CPU, made on purpose: one flipped bit in what an instruction has just written.
//!
//! A program is run once step by step, which gives the order of its instructions (`trace.rs`). Each injection
//! runs it again: breakpoints at rarely executed addresses and a short walk lead to one instruction of that
//! order (`route.rs`, `walk.rs`); it executes, one bit of a register or of the flags that it wrote is turned
//! (`place.rs`, `flip.rs`), and the program runs on to its end (`campaign.rs`). A server is hit in mid-traffic
//! (`server.rs`). Everything that happens follows from the seed and the number of the injection.
//!
//! Only Linux on x86-64 has what this takes; elsewhere every entry answers with an error that says so.

mod error;
mod outcome;
mod place;
mod program;
mod route;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod campaign;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod child;
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod elsewhere;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod flip;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod server;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod trace;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod tracee;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod walk;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod watch;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use campaign::{Campaign, Golden, Traced};
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub use elsewhere::{Campaign, Golden, Server, Traced};
pub use error::{Error, Kind, Result};
pub use outcome::{End, Injection, Outcome};
pub use place::{Place, Target, targets};
pub use program::{Only, Program};
pub use route::{Leg, Route, Stream};
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use server::Server;
