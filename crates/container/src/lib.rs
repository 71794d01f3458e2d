//! The web container: serves a [`Service`](loadstone_http::Service) over HTTP/1.1.
//!
//! ```
//! use std::sync::Arc;
//! use loadstone_container::{Config, Server};
//! use loadstone_http::{Handler, Request, Response, Service};
//!
//! struct Hello;
//! impl Service for Hello {
//!     fn handler(&self) -> Result<Box<dyn Handler>, String> {
//!         Ok(Box::new(Hello))
//!     }
//! }
//! impl Handler for Hello {
//!     fn handle(&mut self, _request: &Request<'_>, response: &mut Response) {
//!         response.text("hello\n");
//!     }
//! }
//! let config = Config { address: "127.0.0.1:0".parse().unwrap(), ..Config::default() };
//! let server = Server::start(config, Arc::new(Hello)).unwrap();
//! println!("serving at {}", server.address());
//! assert!(server.drain(std::time::Duration::from_secs(1)));
//! ```

#![forbid(unsafe_code)]

mod admission;
mod config;
mod connection;
mod counters;
mod crew;
mod event;
mod event_loop;
mod exchange;
mod files;
mod finishing;
mod hybrid;
mod lifetime;
mod listener;
mod metrics;
mod outgoing;
mod packing;
mod queue;
mod server;
mod slots;
mod socket;
mod threaded;
mod tls;
mod waiting;
mod waker;
mod watch;

pub use config::{Admission, Config, Connector, Timeouts};
pub use counters::Counters;
pub use server::{ReloadError, Server, StartError};
pub use tls::{Tls, TlsError};
pub use watch::{AccessLog, LogError, LogFormat, Watch};
