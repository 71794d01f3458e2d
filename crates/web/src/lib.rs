//! What the built-in sites are made of: markup that escapes by itself, forms and what they carry, days,
//! passwords, tokens, static files, data sets, plain English.
//!
//! `no_std` + `alloc`; the feature `std` brings the operating system's clock and entropy, and data sets in
//! folders.
#![no_std]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

pub mod attempts;
pub mod check;
pub mod dataset;
pub mod dates;
pub mod field;
pub mod files;
pub mod html;
pub mod origin;
pub mod params;
pub mod password;
pub mod prose;
pub mod rules;
#[cfg(feature = "std")]
pub mod system;
pub mod token;
