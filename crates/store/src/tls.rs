//! TLS to a database on a server: what its address says, and the client side by rustls.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;

use loadstone_trust::AnyName;
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore};

/// The authorities that this machine trusts, in place of a file; libpq's word.
const SYSTEM: &str = "system";

/// How an address says it, in the words of the database's own clients.
pub(crate) struct Words {
    /// The parameter, and its values from nothing to everything.
    pub mode: &'static str,
    pub modes: [&'static str; 4],
    /// The parameter that names the file of authorities.
    pub roots: &'static str,
    /// Whether [`SYSTEM`] may stand in its place.
    pub system: bool,
}

/// How much of a server is checked; each includes those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(crate) enum Mode {
    Plain,
    /// Nobody reads along, but nobody knows who answers.
    Encrypted,
    Authority,
    Name,
}

/// What an address says of TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tls {
    pub mode: Mode,
    /// The file of authorities; there is one from [`Mode::Authority`] on.
    pub roots: Option<String>,
}

impl Tls {
    /// From the parameters of an address.
    ///
    /// # Errors
    /// A sentence about what is unknown or does not go together.
    pub(crate) fn read<'a>(
        parameters: impl Iterator<Item = (&'a str, String)>,
        words: &Words,
    ) -> Result<Self, String> {
        let [plain, encrypted, authority, name] = words.modes;
        let (mut mode, mut roots) = (None, None);
        for (key, value) in parameters {
            if key == words.roots {
                roots = Some(value);
            } else if key == words.mode {
                let found = words.modes.iter().position(|known| *known == value);
                let Some(found) = found else {
                    let key = words.mode;
                    return Err(format!(
                        "{key}={value} is not known; it is {plain}, {encrypted}, {authority} or {name}"
                    ));
                };
                mode = Some([Mode::Plain, Mode::Encrypted, Mode::Authority, Mode::Name][found]);
            } else {
                return Err(format!("`{key}` is not known; known are {} and {}", words.mode, words.roots));
            }
        }
        let (mode, file) = (mode.unwrap_or(Mode::Plain), words.roots);
        match (mode, &roots) {
            (Mode::Plain, Some(_)) => Err(format!("{file} without {} says nothing", words.mode)),
            (Mode::Authority | Mode::Name, None) => {
                Err(format!("{}={authority} and {name} need {file}, a file of authorities", words.mode))
            }
            (_, Some(roots)) if roots == SYSTEM && !words.system => {
                Err(format!("{file} is a file, such as /etc/ssl/certs/ca-certificates.crt"))
            }
            // Whoever has a certificate of a public authority would do.
            (Mode::Encrypted | Mode::Authority, Some(roots)) if roots == SYSTEM => {
                Err(format!("{file}={SYSTEM} needs {}={name}", words.mode))
            }
            // As libpq has it: who names authorities wants them asked.
            (Mode::Encrypted, Some(_)) => Ok(Self { mode: Mode::Authority, roots }),
            _ => Ok(Self { mode, roots }),
        }
    }

    /// The authorities of the address; none where it needs none.
    ///
    /// # Errors
    /// A sentence that names the file and its line.
    pub(crate) fn authorities(&self) -> Result<Option<RootCertStore>, String> {
        match self.roots.as_deref() {
            None => Ok(None),
            Some(SYSTEM) => {
                let mut roots = RootCertStore::empty();
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
                if roots.is_empty() {
                    return Err("this machine trusts no authority: install ca-certificates".to_owned());
                }
                Ok(Some(roots))
            }
            Some(file) => Ok(Some(loadstone_trust::roots(file, &loadstone_trust::read(file)?)?)),
        }
    }

    /// The client side of a connection to `host`; none without TLS.
    ///
    /// # Errors
    /// As [`Self::authorities`].
    #[cfg(feature = "postgres")]
    pub(crate) fn client(&self, host: &str) -> Result<Option<ClientConnection>, String> {
        if self.mode == Mode::Plain {
            return Ok(None);
        }
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|why| why.to_string())?;
        let builder = match (self.mode, self.authorities()?) {
            (Mode::Name, Some(roots)) => builder.with_root_certificates(roots),
            (_, Some(roots)) => {
                builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyName::of(roots, provider)?))
            }
            (_, None) => {
                builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyName::of_anyone(provider)))
            }
        };
        let mut config = builder.with_no_client_auth();
        // A connection stays for as long as its worker.
        config.resumption = Resumption::disabled();
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| format!("`{host}` is no name that a certificate can have"))?;
        ClientConnection::new(Arc::new(config), name).map(Some).map_err(|why| loadstone_trust::told(&why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: Words = Words {
        mode: "sslmode",
        modes: ["disable", "require", "verify-ca", "verify-full"],
        roots: "sslrootcert",
        system: true,
    };

    fn read(parameters: &[(&str, &str)]) -> Result<Tls, String> {
        Tls::read(parameters.iter().map(|(key, value)| (*key, (*value).to_string())), &WORDS)
    }

    #[test]
    fn modes_are_told_apart() {
        let plain = Ok(Tls { mode: Mode::Plain, roots: None });
        assert_eq!(read(&[]), plain);
        assert_eq!(read(&[("sslmode", "disable")]), plain);
        assert_eq!(read(&[("sslmode", "require")]), Ok(Tls { mode: Mode::Encrypted, roots: None }));
        for (word, mode) in
            [("require", Mode::Authority), ("verify-ca", Mode::Authority), ("verify-full", Mode::Name)]
        {
            let found = read(&[("sslrootcert", "a.pem"), ("sslmode", word)]);
            assert_eq!(found, Ok(Tls { mode, roots: Some("a.pem".into()) }));
        }
    }

    #[test]
    fn what_would_check_less_than_it_says_is_refused() {
        for (parameters, words) in [
            (&[("sslmode", "prefer")][..], "sslmode=prefer is not known; it is disable, require,"),
            (&[("sslmode", "verify-full")], "need sslrootcert, a file"),
            (&[("sslrootcert", "a.pem")], "sslrootcert without sslmode says nothing"),
            (&[("sslmode", "verify-ca"), ("sslrootcert", "system")], "needs sslmode=verify-full"),
            (&[("ssl", "true")], "`ssl` is not known; known are sslmode and sslrootcert"),
        ] {
            let why = read(parameters).unwrap_err();
            assert!(why.contains(words), "{why}");
        }
    }

    #[test]
    fn a_file_without_authorities_is_told_by_name() {
        let here = Tls { mode: Mode::Name, roots: Some("Cargo.toml".into()) };
        assert!(here.authorities().unwrap_err().starts_with("Cargo.toml: there is no certificate in it"));
        let gone = Tls { mode: Mode::Name, roots: Some("gone.pem".into()) };
        assert!(gone.authorities().unwrap_err().starts_with("gone.pem: the file cannot be read"));
    }
}
