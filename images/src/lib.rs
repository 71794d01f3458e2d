//! What several images are made of: a database on the machine's disk, and services from other folders.
#![no_std]

extern crate alloc;

#[cfg(feature = "database")]
pub mod database;
#[cfg(feature = "own")]
pub mod own;
