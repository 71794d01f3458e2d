//! TLS 1.2 and 1.3 by rustls, with what the container has: its suites, groups and kinds of keys, HTTP/1.1
//! by name. Nothing of it is linked without the feature `tls`.
//!
//! A session needs no socket and no clock of its own: bytes go in and come out ([`Session`]).

mod kept;
mod session;

use alloc::format;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;

use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::{InconsistentKeys, ServerConfig};

use crate::Refusal;
use kept::Sessions;
#[cfg(test)]
pub(crate) use kept::{LIFETIME_S, SESSIONS};
use session::MOST_INCOMING;
pub use session::Session;

/// Memory of an open session: its keys and state, and a record on its way in, encrypted and decrypted.
pub(crate) const SESSION: usize = 2 * MOST_INCOMING + 8 * 1024;

/// A certificate with its key, for all connections of a port.
#[derive(Debug)]
pub struct Tls {
    config: Arc<ServerConfig>,
    /// Where the record is put together that a socket is given next.
    scratch: Scratch,
}

/// Room for a record, before and after encryption.
#[derive(Debug, Default)]
struct Scratch {
    plain: Vec<u8>,
    record: Vec<u8>,
}

/// The wall clock.
#[derive(Debug)]
struct Clock(fn() -> u64);

impl TimeProvider for Clock {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(Duration::from_secs((self.0)())))
    }
}

impl Tls {
    /// From a chain of certificates, the server's own first, and its private key, both in PEM; `now_s` tells
    /// the seconds since 1970.
    ///
    /// # Errors
    /// One of the texts holds something else, or the key is not that of the certificate.
    pub fn new(certificate: &[u8], key: &[u8], now_s: fn() -> u64) -> Result<Self, Refusal> {
        let chain = CertificateDer::pem_slice_iter(certificate)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| broken("certificate", &error))?;
        if chain.is_empty() {
            return Err(broken("certificate", &pem::Error::NoItemsFound));
        }
        let private = PrivateKeyDer::from_pem_slice(key).map_err(|error| broken("private key", &error))?;
        let provider = Arc::new(ring::default_provider());
        let mut config = ServerConfig::builder_with_details(provider, Arc::new(Clock(now_s)))
            .with_safe_default_protocol_versions()
            .map_err(|error| format!("TLS cannot be set up: {error}"))?
            .with_no_client_auth()
            .with_single_cert(chain, private)
            .map_err(|error| unusable(&error))?;
        config.session_storage = Arc::new(Sessions::new(now_s));
        // A client with several connections gets one with each.
        config.send_tls13_tickets = 1;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let config = Arc::new(config);
        // What can be wrong with a configuration is wrong for every session.
        Session::new(config.clone()).map_err(|error| format!("TLS cannot be set up: {error}"))?;
        Ok(Self { config, scratch: Scratch::default() })
    }

    /// A session for a client that has just connected.
    pub fn session(&self) -> Session {
        Session::new(self.config.clone()).expect("one was made of this configuration before")
    }

    /// Has `take` take a record with the beginning of `head` and `body`, of at most `room` bytes; how many of
    /// theirs. `take` tells how many bytes of the record it took; the session holds the others.
    pub fn send(
        &mut self,
        session: &mut Session,
        (head, body): (&[u8], &[u8]),
        room: usize,
        take: impl FnOnce(&[u8]) -> usize,
    ) -> usize {
        let (count, record) = session.seal(head, body, room, &mut self.scratch);
        let taken = take(record);
        session.hold(&record[taken..]);
        count
    }
}

fn broken(what: &str, error: &pem::Error) -> Refusal {
    match error {
        pem::Error::NoItemsFound => format!("TLS: what was given holds no {what} in PEM"),
        other => format!("TLS: what was given is no {what} in PEM: {other}"),
    }
}

fn unusable(error: &rustls::Error) -> Refusal {
    match error {
        rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
            "TLS: the key is not that of the first certificate".into()
        }
        _ => format!("TLS: the certificate with its key cannot be used: {error}"),
    }
}
