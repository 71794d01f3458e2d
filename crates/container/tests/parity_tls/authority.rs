//! Certificates made for the tests, each its own authority.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};

/// A certificate and its key in files, and who trusts it.
pub struct Identity {
    pub certificate: PathBuf,
    pub key: PathBuf,
    der: CertificateDer<'static>,
}

/// A folder that goes with the test process's temporary files.
pub fn folder(name: &str) -> PathBuf {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tls-{}", std::process::id())).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

impl Identity {
    /// A new certificate for `test`.
    pub fn new(name: &str) -> Self {
        let made = rcgen::generate_simple_self_signed(["test".to_owned()]).unwrap();
        let folder = folder(name);
        let (certificate, key) = (folder.join("cert.pem"), folder.join("key.pem"));
        std::fs::write(&certificate, made.cert.pem()).unwrap();
        std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
        Self { certificate, key, der: made.cert.der().clone() }
    }

    /// A client that trusts it and nobody else.
    pub fn trusting(&self) -> ClientConfig {
        self.trusting_in(rustls::DEFAULT_VERSIONS)
    }

    /// The same that speaks one version only.
    pub fn trusting_only(&self, version: &'static SupportedProtocolVersion) -> ClientConfig {
        self.trusting_in(&[version])
    }

    fn trusting_in(&self, versions: &[&'static SupportedProtocolVersion]) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(versions)
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth()
    }
}

/// The certificate of the whole suite.
pub fn ours() -> &'static Identity {
    static OURS: OnceLock<Identity> = OnceLock::new();
    OURS.get_or_init(|| Identity::new("ours"))
}
