//! The servers that requests go to, and how they are reached.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

/// Where requests go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// As of a [`Place`], of the host of every step that names no other.
    pub host: String,
    /// As above.
    pub port: u16,
    /// As above.
    pub authority: String,
    /// As above.
    pub base_path: String,
    /// As above.
    #[serde(default)]
    pub tls: Option<Tls>,
    /// The protocol that is asked for.
    #[serde(default)]
    pub http: Http,
    /// Addresses of this machine that users connect from, each in turn; none: the system's choice.
    #[serde(default)]
    pub from: Vec<IpAddr>,
    /// The HTTP proxy, host and port, by which all hosts are reached that have no socket.
    #[serde(default)]
    pub proxy: Option<(String, u16)>,
    /// What it is told of who asks: the value of the field Proxy-Authorization.
    #[serde(default)]
    pub proxy_authorization: Option<String>,
    /// As of a [`Place`].
    #[serde(default)]
    pub socket: Option<String>,
    /// Further hosts of the site, by the names that steps call them by.
    #[serde(default)]
    pub hosts: BTreeMap<String, Place>,
}

/// The address of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Host name or address, without brackets.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Value of the Host header.
    pub authority: String,
    /// Prefix of every path, without a trailing slash; empty for a site at the root.
    pub base_path: String,
    /// HTTPS; none: plain HTTP.
    #[serde(default)]
    pub tls: Option<Tls>,
    /// Path of a Unix socket that it listens on, instead of host and port.
    #[serde(default)]
    pub socket: Option<String>,
}

/// A version of HTTP.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Http {
    /// HTTP/1.1.
    #[default]
    #[serde(rename = "1.1")]
    One,
    /// HTTP/2: agreed on in the TLS handshake (ALPN), where a server may choose HTTP/1.1; without TLS, known
    /// beforehand.
    #[serde(rename = "2")]
    Two,
}

impl Target {
    /// All its servers: its own, then the others in the order of their names.
    pub fn places(&self) -> Vec<Place> {
        let Self { host, port, authority, base_path, tls, socket, .. } = self.clone();
        let own = Place { host, port, authority, base_path, tls, socket };
        std::iter::once(own).chain(self.hosts.values().cloned()).collect()
    }
}

impl Place {
    /// The scheme of its addresses.
    pub fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// What its addresses begin with.
    pub fn origin(&self) -> String {
        format!("{}://{}", self.scheme(), self.authority)
    }
}

/// How the target is reached by TLS.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// Name that is asked for (SNI) and checked; none: the host.
    #[serde(default)]
    pub server_name: Option<String>,
    /// The authorities to believe; none: those that the machine trusts.
    #[serde(default)]
    pub ca: Option<Pem>,
    /// Certificate of the users.
    #[serde(default)]
    pub certificate: Option<Pem>,
    /// Its private key.
    #[serde(default)]
    pub key: Option<Pem>,
    /// Believe any certificate.
    #[serde(default)]
    pub insecure: bool,
    /// Later connections of a session resume the TLS session of the first.
    #[serde(default = "yes")]
    pub resume: bool,
}

/// A file of certificates or keys.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pem {
    /// Its name.
    pub file: String,
    /// What is in it, for a machine that does not have the file.
    #[serde(default)]
    pub text: Option<String>,
}

impl std::fmt::Debug for Pem {
    /// Without what may be secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pem").field("file", &self.file).finish_non_exhaustive()
    }
}

fn yes() -> bool {
    true
}
