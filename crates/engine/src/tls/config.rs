//! What a plan says about TLS, as rustls wants it. Files are refused by name, line and cause.

use std::sync::Arc;

use loadstone_workload::{Pem, Tls};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{ClientConnection, Resumption};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::words::told;

/// Of a file of certificates or keys; the bundle of all public authorities has a quarter of a megabyte.
const LARGEST_FILE: u64 = 16 << 20;

/// All that a connection to the target needs.
#[derive(Debug)]
pub(crate) struct Credentials {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    resume: bool,
}

impl Credentials {
    /// Reads the files of `tls` for the target `host`.
    ///
    /// # Errors
    /// A sentence that names the file and its line.
    pub(crate) fn new(tls: &Tls, host: &str) -> Result<Self, String> {
        let name = tls.server_name.as_deref().unwrap_or(host);
        Ok(Self {
            config: Arc::new(config_of(tls)?),
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
    Credentials::new(tls, host).map(drop)
}

fn config_of(tls: &Tls) -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|why| format!("target.tls: {why}"))?;
    let builder = if tls.insecure {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(Anyone(provider)))
    } else {
        builder.with_root_certificates(roots(tls.ca.as_ref())?)
    };
    let mut config = match (&tls.certificate, &tls.key) {
        (None, None) => builder.with_no_client_auth(),
        (Some(certificate), Some(key)) => {
            let chain = certificates(certificate)?.into_iter().map(|(_, certificate)| certificate).collect();
            builder.with_client_auth_cert(chain, private_key(key)?).map_err(|why| {
                format!("{}: the key does not go with {}: {}", key.file, certificate.file, told(&why))
            })?
        }
        _ => return Err("target.tls: `certificate` and `key` go together".into()),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.resumption = Resumption::disabled();
    Ok(config)
}

/// Whose certificates are believed: those of a file, or those that this machine trusts.
fn roots(ca: Option<&Pem>) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    if let Some(ca) = ca {
        for (line, certificate) in certificates(ca)? {
            roots.add(certificate).map_err(|why| format!("{}:{line}: {}", ca.file, told(&why)))?;
        }
        return Ok(roots);
    }
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(
            "target.tls: this machine trusts no authority: install ca-certificates, or name `ca`".into()
        );
    }
    Ok(roots)
}

fn certificates(pem: &Pem) -> Result<Vec<(usize, CertificateDer<'static>)>, String> {
    let found = sections(pem)?
        .into_iter()
        .filter(|section| section.kind == "CERTIFICATE")
        .map(|section| Ok((section.line, section.parse(pem, CertificateDer::from_pem_slice)?)))
        .collect::<Result<Vec<_>, String>>()?;
    if found.is_empty() {
        return Err(format!("{}: there is no certificate in it (`-----BEGIN CERTIFICATE-----`)", pem.file));
    }
    Ok(found)
}

fn private_key(pem: &Pem) -> Result<PrivateKeyDer<'static>, String> {
    let sections = sections(pem)?;
    match sections.iter().find(|section| section.kind.ends_with("PRIVATE KEY")) {
        Some(locked) if locked.kind.starts_with("ENCRYPTED") => Err(format!(
            "{}:{}: the key is encrypted; `openssl pkey -in {} -out plain.pem` takes the pass phrase off",
            pem.file, locked.line, pem.file
        )),
        Some(key) => key.parse(pem, PrivateKeyDer::from_pem_slice),
        None => Err(format!("{}: there is no private key in it (`-----BEGIN PRIVATE KEY-----`)", pem.file)),
    }
}

/// From a BEGIN line to its END line.
struct Section {
    kind: String,
    /// Of its BEGIN line, from 1.
    line: usize,
    text: String,
}

impl Section {
    fn parse<T>(
        &self,
        pem: &Pem,
        parser: impl Fn(&[u8]) -> Result<T, rustls::pki_types::pem::Error>,
    ) -> Result<T, String> {
        parser(self.text.as_bytes()).map_err(|_| {
            format!("{}:{}: the {} is not valid base64", pem.file, self.line, self.kind.to_lowercase())
        })
    }
}

fn sections(pem: &Pem) -> Result<Vec<Section>, String> {
    let text = read(pem)?;
    let mut found: Vec<Section> = Vec::new();
    let mut open: Option<(String, usize, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let at = index + 1;
        if let Some(kind) = mark(line, "-----BEGIN ") {
            if let Some((kind, begun, _)) = &open {
                return Err(format!(
                    "{}:{at}: the {} of line {begun} has no end",
                    pem.file,
                    kind.to_lowercase()
                ));
            }
            open = Some((kind.to_owned(), at, String::new()));
        }
        if let Some((_, _, body)) = &mut open {
            body.push_str(line);
            body.push('\n');
        }
        if let Some(kind) = mark(line, "-----END ") {
            let Some((begun, at, text)) = open.take().filter(|(begun, ..)| begun == kind) else {
                return Err(format!(
                    "{}:{at}: the end of a {} that did not begin",
                    pem.file,
                    kind.to_lowercase()
                ));
            };
            found.push(Section { kind: begun, line: at, text });
        }
    }
    match open {
        Some((kind, at, _)) => Err(format!("{}:{at}: the {} has no end", pem.file, kind.to_lowercase())),
        None => Ok(found),
    }
}

fn mark<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    line.trim_end().strip_prefix(prefix)?.strip_suffix("-----")
}

fn read(pem: &Pem) -> Result<String, String> {
    if let Some(text) = &pem.text {
        return Ok(text.clone());
    }
    let told = |why: std::io::Error| format!("{}: the file cannot be read: {why}", pem.file);
    let size = std::fs::metadata(&pem.file).map_err(told)?.len();
    if size > LARGEST_FILE {
        return Err(format!("{}: the file is larger than 16 MiB", pem.file));
    }
    std::fs::read_to_string(&pem.file).map_err(told)
}

/// Believes every server to be who it says it is.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
