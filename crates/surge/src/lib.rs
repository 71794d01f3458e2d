//! SURGE's workload of files (Barford and Crovella 1998): a set of pages and of the objects that they refer
//! to, with its sizes and popularity, generated from a seed, and the [`loadstone_http::Service`] that serves
//! it.
//!
//! How users go about it is a scenario, `python/loadstone/data/scenarios/surge.toml`.
//! `no_std` + `alloc`: no sockets, threads, files or clock.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod content;
mod files;
mod matching;
mod profile;
mod route;
mod site;

pub use files::{FEWEST, FileSet, MOST};
pub use profile::{Profile, Requested, Sizes};
pub use route::Route;
pub use site::Surge;
