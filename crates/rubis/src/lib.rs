//! RUBiS, the auction site: a [`loadstone_http::Service`] on [`loadstone_store`].
//!
//! `no_std` + `alloc`: no sockets, threads or clock of its own. What it needs from its surroundings is the
//! [`Host`]; the feature `std` brings the operating system's and the loader's places.
#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod actions;
mod data;
mod failure;
mod host;
pub mod loader;
mod model;
mod page;
mod reply;
mod route;
pub mod schema;
mod site;
mod statics;
mod validate;
mod visit;

pub use loadstone_web::{origin, rules};

pub use host::Host;
pub use site::{Options, Rubis};
