//! Where people find a site: what links and cookies must know of the way between them.
//!
//! A site cannot see it in a request: a Host field is what the sender wrote, and behind a proxy that ends TLS
//! everything looks plain. So it is said, by who starts the site.

use alloc::format;
use alloc::string::{String, ToString};

use loadstone_http::{Request, Response, SetCookie};

/// Scheme and name under which a site is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// `https://olio.example`; none: links begin with what the request calls the site.
    url: Option<String>,
    /// Whether people come over TLS, here or up to a proxy.
    is_secure: bool,
    /// Value of the field that keeps browsers to TLS.
    hsts: Option<String>,
}

impl Origin {
    /// `public_url` is where people find the site, `tls` whether it speaks TLS itself, `hsts_s` for how many
    /// seconds browsers that were here are to come by TLS only.
    ///
    /// # Errors
    /// A sentence: a URL that is more or less than a scheme and a host, or one that contradicts the rest.
    pub fn new(public_url: Option<&str>, tls: bool, hsts_s: Option<u32>) -> Result<Self, String> {
        let url = public_url.map(|url| url.strip_suffix('/').unwrap_or(url).to_ascii_lowercase());
        let is_secure = match url.as_deref().map(scheme) {
            None => tls,
            Some(Some(is_secure)) => is_secure,
            Some(None) => {
                let given = public_url.unwrap_or_default();
                return Err(format!(
                    "public URL `{given}`: a scheme and a host, such as https://olio.example"
                ));
            }
        };
        if tls && !is_secure {
            return Err("the public URL begins with http, and the site speaks https".into());
        }
        if hsts_s.is_some() && !is_secure {
            return Err("HSTS needs TLS: a certificate, or a public URL that begins with https".into());
        }
        let hsts = hsts_s.map(|seconds| format!("max-age={seconds}"));
        Ok(Self { url, is_secure, hsts })
    }

    /// What links to this site begin with. Where no public URL was given it is the Host field, when that is a
    /// plain name or address with or without a port, else `localhost`: nothing else that a sender writes gets
    /// into a page.
    pub fn of(&self, request: &Request<'_>) -> String {
        if let Some(url) = &self.url {
            return url.clone();
        }
        let host = request.header("host").filter(|host| is_plain(host)).unwrap_or("localhost");
        format!("{}://{host}", if self.is_secure { "https" } else { "http" })
    }

    /// Whether every link begins alike, whatever a request calls the site.
    pub fn is_known(&self) -> bool {
        self.url.is_some()
    }

    /// A cookie of the whole site that scripts do not see, and that goes over TLS only where people come by
    /// it.
    pub fn cookie<'a>(&self, name: &'a str, value: &'a str) -> SetCookie<'a> {
        SetCookie { http_only: true, secure: self.is_secure, ..SetCookie::new(name, value) }
    }

    /// As [`Self::cookie`], to make a browser forget it.
    pub fn no_cookie<'a>(&self, name: &'a str) -> SetCookie<'a> {
        SetCookie { max_age_s: Some(0), ..self.cookie(name, "") }
    }

    /// Keeps browsers to TLS (RFC 6797), where that is wanted. Of every answer.
    pub fn keep_to_tls(&self, response: &mut Response) {
        if let Some(hsts) = &self.hsts {
            response.header("Strict-Transport-Security", hsts);
        }
    }
}

/// Whether an origin's scheme is https; none for what is no origin.
fn scheme(url: &str) -> Option<bool> {
    let (scheme, host) = url.split_once("://")?;
    let is_secure = match scheme {
        "https" => true,
        "http" => false,
        _ => return None,
    };
    is_plain(host).then_some(is_secure)
}

/// A name or address as RFC 3986 §3.2.2 writes them, without escapes, and a port: `a.example`, `10.0.0.1:80`,
/// `[::1]:80`.
fn is_plain(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let Some((address, port)) = rest.split_once(']') else { return false };
            if address.parse::<core::net::Ipv6Addr>().is_err() {
                return false;
            }
            ("address", port)
        }
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let letters = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
    let named = (1..=253).contains(&name.len()) && name.bytes().all(letters) && !name.starts_with(['.', '-']);
    // As it was written: no sign, no leading zero, no port 0.
    let number = port.strip_prefix(':').map(|digits| (digits, digits.parse::<u16>()));
    let ported = match number {
        None => port.is_empty(),
        Some((digits, Ok(number))) => number > 0 && number.to_string() == digits,
        Some((_, Err(_))) => false,
    };
    named && ported
}

#[cfg(test)]
mod tests {
    use super::*;
    use loadstone_http::{Headers, Method};

    fn of(origin: &Origin, host: &str) -> String {
        let fields = format!("Host: {host}\r\n");
        let mut request = Request::new(Method::Get, "/");
        request.headers = Headers::new(fields.as_bytes());
        origin.of(&request)
    }

    #[test]
    fn links_begin_with_a_plain_host_or_with_none_of_it() {
        let origin = Origin::default();
        for host in
            ["a.example", "A.b-c.example:8080", "10.0.0.1:80", "[::1]", "[2001:db8::7]:443", "my_host"]
        {
            assert_eq!(of(&origin, host), format!("http://{host}"));
        }
        for host in [
            "", "a b", "a/b", "a@b", "a?b", "a#b", "a<b", "a\"b", "a%62", "a:", "a:x", "a:0", "a:080",
            "a:+80", "a:65536", "a:80:80", "[::1", "[::1]x", "[::zz]", "[]", "::1", ":80", ".a", "-a", "ä",
            "[a]:80",
        ] {
            assert_eq!(of(&origin, host), "http://localhost", "{host}");
        }
    }

    #[test]
    fn with_a_public_url_no_host_field_gets_into_a_link() {
        let origin = Origin::new(Some("https://Olio.example/"), false, None).expect("an origin");
        assert_eq!(of(&origin, "evil.example"), "https://olio.example");
        assert!(origin.is_known() && !Origin::default().is_known());
        let port = Origin::new(Some("http://[::1]:8080"), false, None).expect("an origin");
        assert_eq!(of(&port, "evil.example"), "http://[::1]:8080");
    }

    #[test]
    fn over_tls_links_and_cookies_say_so() {
        let origin = Origin::new(None, true, None).expect("an origin");
        assert_eq!(of(&origin, "olio.test"), "https://olio.test");
        assert_eq!(origin.cookie("a", "b").to_string(), "a=b; Path=/; HttpOnly; Secure; SameSite=Lax");
        let behind = Origin::new(Some("https://x.example"), false, None).expect("an origin");
        assert!(behind.cookie("a", "b").secure && behind.no_cookie("a").secure);
        assert_eq!(Origin::default().cookie("a", "b").to_string(), "a=b; Path=/; HttpOnly; SameSite=Lax");
    }

    #[test]
    fn hsts_is_for_tls_only() {
        let mut response = Response::new();
        Origin::new(None, true, None).expect("an origin").keep_to_tls(&mut response);
        assert_eq!(response.get("strict-transport-security"), None);
        Origin::new(None, true, Some(86_400)).expect("an origin").keep_to_tls(&mut response);
        assert_eq!(response.get("strict-transport-security"), Some("max-age=86400"));
        assert!(Origin::new(None, false, Some(1)).unwrap_err().contains("HSTS needs TLS"));
        assert!(Origin::new(Some("http://x"), false, Some(1)).is_err());
    }

    #[test]
    fn what_is_no_origin_is_refused() {
        for url in
            ["", "x.example", "ftp://x", "https://", "https://x/y", "https://a@b", "https://x:99999", "//x"]
        {
            assert!(
                Origin::new(Some(url), false, None).unwrap_err().contains("a scheme and a host"),
                "{url}"
            );
        }
        assert!(Origin::new(Some("http://x"), true, None).unwrap_err().contains("speaks https"));
    }
}
