//! TLS by rustls over the engine's non-blocking sockets.

mod config;
mod seen;
mod session;

pub(crate) use config::Credentials;
pub use config::check_tls;
pub(crate) use seen::Handshakes;
pub use session::{Records, Session, Wire};
