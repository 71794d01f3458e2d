//! A layer-2 switch on TAP devices whose links have delay, jitter, loss, rate and cross-traffic.
//!
//! It stands in for netem where the kernel has none, and for what netem cannot do: jitter that keeps the
//! order of frames, and cross-traffic. The switch itself (`Switch`, `Pipe`) is pure: frames and times go in,
//! frames and times come out, so that tests run it under a virtual clock. `run` drives it with TAP devices,
//! an epoll and a timer.

mod config;
mod control;
mod counters;
mod frame;
mod pipe;
mod publish;
mod run;
mod shape;
mod switch;
mod table;
mod tap;

pub use config::{Config, Link, Port};
pub use counters::{Counters, PortCounters};
pub use frame::{Header, Mac};
pub use pipe::{Fate, Pipe};
pub use run::{Error, run};
pub use shape::{Jitter, Shape};
pub use switch::Switch;
pub use table::Table;

/// Nanoseconds since the zero of whichever clock the caller uses.
pub type Nanos = u64;
