//! Where a database is: URLs of servers, and how to name a place without its password.

use alloc::string::String;
#[cfg(feature = "servers")]
use {
    crate::Error,
    crate::tls::{Tls, Words},
    alloc::format,
    alloc::string::ToString,
    alloc::vec::Vec,
};

/// `place` as people may read it: the password of a URL is left out.
///
/// ```
/// let shown = loadstone_store::without_password("postgres://olio:secret@db.test/olio");
/// assert_eq!(shown, "postgres://olio@db.test/olio");
/// assert_eq!(loadstone_store::without_password("data/olio.db"), "data/olio.db");
/// ```
pub fn without_password(place: &str) -> String {
    let Some((scheme, rest)) = place.split_once("://") else { return place.into() };
    // A password may hold an `@`; the host cannot.
    let Some((who, host)) = rest.rsplit_once('@') else { return place.into() };
    let user = who.split(':').next().unwrap_or("");
    alloc::format!("{scheme}://{user}@{host}")
}

/// A server, a database of it, and who asks.
#[cfg(feature = "servers")]
#[derive(Clone)]
pub(crate) struct Address {
    pub host: String,
    pub port: u16,
    pub user: String,
    pub password: String,
    pub database: String,
    pub tls: Tls,
}

#[cfg(feature = "servers")]
impl Address {
    /// Reads `scheme://user:password@host:port/database?parameter=value&...`. What it holds may be written as
    /// `%40` and the like.
    pub(crate) fn parse(url: &str, default_port: u16, words: &Words) -> crate::Result<Self> {
        let wrong = |what: &str| {
            let shown = without_password(url);
            Error::other(format!("{shown}: {what}; wanted scheme://user:password@host:port/database"))
        };
        let (_, rest) = url.split_once("://").ok_or_else(|| wrong("no scheme"))?;
        let (who, place) = rest.rsplit_once('@').unwrap_or(("", rest));
        let (user, password) = who.split_once(':').unwrap_or((who, ""));
        let (server, database) = place.split_once('/').ok_or_else(|| wrong("no database"))?;
        let (host, port) = match server.strip_prefix('[').and_then(|server| server.split_once(']')) {
            Some((host, rest)) => (host, rest.strip_prefix(':')),
            None => server.split_once(':').map_or((server, None), |(host, port)| (host, Some(port))),
        };
        let port = match port {
            Some(port) => port.parse().map_err(|_| wrong("the port is no number"))?,
            None => default_port,
        };
        let (database, parameters) = database.split_once('?').unwrap_or((database, ""));
        let plain = |text: &str| decode(text).ok_or_else(|| wrong("a broken % sequence"));
        if host.is_empty() || database.is_empty() || user.is_empty() {
            return Err(wrong("user, host and database must be named"));
        }
        let parameters = parameters.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((key, plain(value)?))
        });
        let parameters = parameters.collect::<crate::Result<Vec<_>>>()?;
        let tls = Tls::read(parameters.into_iter(), words)
            .map_err(|why| Error::other(format!("{}: {why}", without_password(url))))?;
        Ok(Self {
            tls,
            host: host.to_string(),
            port,
            user: plain(user)?,
            password: plain(password)?,
            database: plain(database)?,
        })
    }
}

#[cfg(feature = "servers")]
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first == b'%' {
            let digits = core::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(all(test, feature = "servers"))]
mod tests {
    use super::*;
    use crate::tls::Mode;

    const WORDS: Words = Words {
        mode: "sslmode",
        modes: ["disable", "require", "verify-ca", "verify-full"],
        roots: "sslrootcert",
        system: true,
    };

    #[test]
    fn urls_are_read_with_defaults_and_escapes() {
        let full = Address::parse("postgres://olio:p%40ss:w@db.test:6000/site", 5432, &WORDS).unwrap();
        assert_eq!((full.host.as_str(), full.port, full.database.as_str()), ("db.test", 6000, "site"));
        assert_eq!((full.user.as_str(), full.password.as_str()), ("olio", "p@ss:w"));
        let short = Address::parse("mysql://root@[::1]/site", 3306, &WORDS).unwrap();
        assert_eq!((short.host.as_str(), short.port, short.password.as_str()), ("::1", 3306, ""));
    }

    #[test]
    fn parameters_say_how_far_a_server_is_believed() {
        let url = "postgres://u:secret@h/d?sslmode=verify-full&sslrootcert=/etc/a%20b.pem";
        let found = Address::parse(url, 1, &WORDS).unwrap();
        assert_eq!(found.database, "d");
        assert_eq!(found.tls, Tls { mode: Mode::Name, roots: Some("/etc/a b.pem".into()) });
        let why = Address::parse("postgres://u:secret@h/d?sslmode=on", 1, &WORDS).err().unwrap().message;
        assert!(why.starts_with("postgres://u@h/d?sslmode=on: sslmode=on is not known"), "{why}");
    }

    #[test]
    fn broken_urls_are_told_without_the_password() {
        for url in ["postgres://u:secret@host", "postgres://u:secret@host:x/d", "mysql://u:secret%4@h/d"] {
            let message = Address::parse(url, 1, &WORDS).err().unwrap().message;
            assert!(message.contains("wanted scheme://") && !message.contains("secret"), "{message}");
        }
    }
}
