//! What a plan says about TLS, as rustls wants it. Files are refused by name, line and cause.

use std::sync::Arc;

use loadstone_trust::{AnyName, certificates, private_key, read, told};
use loadstone_workload::{Http, Pem, Tls};
use rustls::client::{ClientConnection, Resumption};
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, Error, RootCertStore};

/// All that a connection to the target needs.
#[derive(Debug)]
pub(crate) struct Credentials {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    resume: bool,
}

impl Credentials {
    /// Reads the files of `tls` for the target `host`, which is asked for the protocol `http`.
    ///
    /// # Errors
    /// A sentence that names the file and its line.
    pub(crate) fn new(tls: &Tls, host: &str, http: Http) -> Result<Self, String> {
        let name = tls.server_name.as_deref().unwrap_or(host);
        let mut config = config_of(tls)?;
        let offered: &[&[u8]] = match http {
            Http::One => &[b"http/1.1"],
            Http::Two => &[b"h2", b"http/1.1"],
        };
        config.alpn_protocols = offered.iter().map(|name| name.to_vec()).collect();
        Ok(Self {
            config: Arc::new(config),
            name: ServerName::try_from(name.to_owned())
                .map_err(|_| format!("target.tls: `{name}` is no name that a certificate can have"))?,
            resume: tls.resume,
        })
    }

    /// The client side of a new connection. `own` is what the session of the user at hand has kept of earlier
    /// ones: a new session is a new client, which can resume nothing.
    pub(crate) fn connect(&self, own: &mut Option<Arc<ClientConfig>>) -> Result<ClientConnection, Error> {
        let config = if self.resume {
            own.get_or_insert_with(|| {
                let mut config = ClientConfig::clone(&self.config);
                config.resumption = Resumption::in_memory_sessions(1);
                Arc::new(config)
            })
        } else {
            &self.config
        };
        ClientConnection::new(config.clone(), self.name.clone())
    }
}

/// What is wrong with the names and files of `tls` for the target `host`, if anything.
///
/// # Errors
/// A sentence that names the file and its line.
pub fn check_tls(tls: &Tls, host: &str) -> Result<(), String> {
    Credentials::new(tls, host, Http::One).map(drop)
}

fn config_of(tls: &Tls) -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|why| format!("target.tls: {why}"))?;
    let builder = if tls.insecure {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyName::of_anyone(provider)))
    } else {
        builder.with_root_certificates(roots(tls.ca.as_ref())?)
    };
    let mut config = match (&tls.certificate, &tls.key) {
        (None, None) => builder.with_no_client_auth(),
        (Some(certificate), Some(key)) => {
            let chain = certificates(&certificate.file, &text(certificate)?)?;
            let chain = chain.into_iter().map(|(_, certificate)| certificate).collect();
            builder.with_client_auth_cert(chain, private_key(&key.file, &text(key)?)?).map_err(|why| {
                format!("{}: the key does not go with {}: {}", key.file, certificate.file, told(&why))
            })?
        }
        _ => return Err("target.tls: `certificate` and `key` go together".into()),
    };
    config.resumption = Resumption::disabled();
    Ok(config)
}

/// Whose certificates are believed: those of a file, or those that this machine trusts.
fn roots(ca: Option<&Pem>) -> Result<RootCertStore, String> {
    if let Some(ca) = ca {
        return loadstone_trust::roots(&ca.file, &text(ca)?);
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(
            "target.tls: this machine trusts no authority: install ca-certificates, or name `ca`".into()
        );
    }
    Ok(roots)
}

fn text(pem: &Pem) -> Result<String, String> {
    pem.text.clone().map_or_else(|| read(&pem.file), Ok)
}
