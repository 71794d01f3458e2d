//! The load engine: the only crate that makes load.
//!
//! Emulated users walk the mix of a [`loadstone_workload::Plan`] in a closed loop, or come as sessions that
//! arrive at a rate; or single operations arrive at a rate, and share connections. Each thread drives its share of them in one event loop; each user has a
//! connection to each host, and several while it fetches the files of a page; by HTTP/2 one, with several requests
//! at once on it. [`Run::next`] hands out what was measured, second by second.

mod address;
mod browser;
mod budget;
mod calls;
mod change;
mod clock;
mod coding;
mod connect;
mod control;
mod cookies;
mod driver;
mod due;
mod examples;
mod exchange;
mod files;
mod hands;
mod hosts;
mod invariants;
mod judge;
mod lanes;
mod lived;
mod merge;
mod multiplex;
mod offered;
mod open;
mod overload;
mod page;
mod parting;
mod reach;
mod reader;
mod receive;
mod record;
mod recorder;
mod references;
mod request;
mod run;
mod secure;
mod sessions;
mod shared;
mod socket;
mod sources;
mod steps;
mod tls;
mod trace;
mod tunnel;
mod unread;
mod user;
mod walk;
mod websocket;
mod yardstick;

pub use hands::{Answered, Asked, Functions};
pub use merge::merged;
pub use record::*;
pub use run::{Beginning, Run};
pub use tls::check_tls;
pub use trace::Exchange;
pub use yardstick::{Reading, Yardstick};

/// The reader of TLS records, which a fuzz target feeds.
#[doc(hidden)]
pub mod records {
    pub use crate::socket::{Broken, Received};
    pub use crate::tls::{Records, Session, Wire};
}
