//! TLS 1.2 and 1.3 by rustls: a certificate that can be exchanged while connections last.

mod socket;

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::ProducesTickets;
use rustls::{InconsistentKeys, ServerConfig};

pub(crate) use socket::TlsSocket;

/// Why a certificate cannot be used, in a sentence that names the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsError(String);

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TlsError {}

/// A certificate with its key, read from files. Sessions begin with what was read last.
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    /// Encrypts the tickets by which clients resume sessions; it outlives an exchange of certificates.
    tickets: Arc<dyn ProducesTickets>,
    current: Mutex<Arc<ServerConfig>>,
}

impl Tls {
    /// Reads a chain of certificates, the server's own first, and its private key, both in PEM.
    ///
    /// # Errors
    /// A file cannot be read or holds something else, or the key is not that of the certificate.
    pub fn load(certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Result<Self, TlsError> {
        let (certificate, key) = (certificate.into(), key.into());
        let tickets = ring::Ticketer::new()
            .map_err(|error| TlsError(format!("no keys for session tickets: {error}")))?;
        let current = Mutex::new(read(&certificate, &key, &tickets)?);
        Ok(Self { certificate, key, tickets, current })
    }

    /// Reads both files again: connections accepted from now on get the new certificate, those that are open
    /// keep theirs.
    ///
    /// # Errors
    /// As [`Tls::load`]; the certificate in use stays in use.
    pub fn reload(&self) -> Result<(), TlsError> {
        let fresh = read(&self.certificate, &self.key, &self.tickets)?;
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

    pub(crate) fn session(&self, socket: OwnedFd) -> io::Result<TlsSocket> {
        let config = self.current.lock().unwrap_or_else(PoisonError::into_inner).clone();
        TlsSocket::new(socket, config)
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

fn read(
    certificate: &Path,
    key: &Path,
    tickets: &Arc<dyn ProducesTickets>,
) -> Result<Arc<ServerConfig>, TlsError> {
    let broken = |path: &Path, what: &str, error: pem::Error| {
        TlsError(match error {
            pem::Error::Io(error) => format!("cannot read {}: {error}", path.display()),
            pem::Error::NoItemsFound => format!("{} holds no {what} in PEM", path.display()),
            other => format!("{} is no {what} in PEM: {other}", path.display()),
        })
    };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| broken(certificate, "certificate", error))?;
    if chain.is_empty() {
        return Err(broken(certificate, "certificate", pem::Error::NoItemsFound));
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| broken(key, "private key", error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError(format!("TLS cannot be set up: {error}")))?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .map_err(|error| unusable(certificate, key, &error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.ticketer = tickets.clone();
    Ok(Arc::new(config))
}

fn unusable(certificate: &Path, key: &Path, error: &rustls::Error) -> TlsError {
    let (certificate, key) = (certificate.display(), key.display());
    TlsError(match error {
        rustls::Error::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
            format!("{key} is not the key of the first certificate in {certificate}")
        }
        rustls::Error::InvalidCertificate(_) => format!("{certificate} cannot be used: {error}"),
        _ => format!("{certificate} with {key} cannot be used: {error}"),
    })
}
