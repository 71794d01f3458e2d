//! Olio, the social-events application: a [`loadstone_http::Service`] on [`loadstone_store`].
//!
//! `no_std` + `alloc`: no sockets, threads or clock of its own. What it needs from its surroundings is the
//! [`host::Host`]; the feature `std` brings hosts on the operating system and the loader's folder.
#![no_std]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod actions;
mod cache;
mod data;
mod failure;
mod geocoder;
pub mod host;
pub mod loader;
pub mod media;
mod message;
mod model;
mod pack;
mod page;
mod replica;
mod reply;
mod route;
pub mod schema;
mod site;
pub mod statics;
mod upload;
mod validate;
mod visit;

pub use loadstone_web::{dates, origin, password, rules};

pub use cache::CacheLevel;
pub use site::{Olio, Options};
