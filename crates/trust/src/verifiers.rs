//! Checks of a server's certificate that leave something out.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// Believes a certificate whichever name it is for. Signatures are still checked, by the provider's means.
#[derive(Debug)]
pub struct AnyName {
    provider: Arc<CryptoProvider>,
    /// Who must have signed it; none: anybody may.
    authority: Option<Arc<WebPkiServerVerifier>>,
}

impl AnyName {
    /// Believes every server to be who it says it is.
    pub fn of_anyone(provider: Arc<CryptoProvider>) -> Self {
        Self { provider, authority: None }
    }

    /// # Errors
    /// There is no authority in `roots`.
    pub fn of(roots: RootCertStore, provider: Arc<CryptoProvider>) -> Result<Self, String> {
        let checks = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        let authority = Some(checks.build().map_err(|why| why.to_string())?);
        Ok(Self { provider, authority })
    }
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(authority) = &self.authority else {
            return Ok(ServerCertVerified::assertion());
        };
        match authority.verify_server_cert(certificate, between, name, ocsp, now) {
            // The name is what is asked last.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            outcome => outcome,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
