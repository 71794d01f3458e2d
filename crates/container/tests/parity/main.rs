//! One suite for every connector: real sockets on the loopback, no sleeping.

mod admission;
mod app;
mod client;
mod conformance;
mod content;
mod faults;
mod framing;
mod lifecycle;
mod load;
mod protocol;
mod stream;
mod suite;
mod timeouts;
mod transport;
mod watch;

use suite::{each, each_that_may_block, eventually, start};
