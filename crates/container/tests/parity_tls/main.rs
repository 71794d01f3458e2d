//! The suite of `parity`, word for word, over TLS; and what only TLS has.

#[path = "../parity/app.rs"]
mod app;
mod authority;
mod certificates;
#[path = "../parity/client.rs"]
mod client;
#[path = "../parity/content.rs"]
mod content;
#[path = "../parity/lifecycle.rs"]
mod lifecycle;
#[path = "../parity/protocol.rs"]
mod protocol;
#[path = "../parity/stream.rs"]
mod stream;
#[path = "../parity/suite.rs"]
mod suite;
#[path = "../parity/timeouts.rs"]
mod timeouts;
mod transport;

use suite::{each, each_that_may_block, eventually, start};
