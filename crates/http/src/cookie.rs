//! Cookies (RFC 6265), both ways.

use crate::parse_date;

/// Name and value of every cookie in a `Cookie` header.
#[derive(Debug, Clone)]
pub struct Cookies<'a> {
    rest: &'a str,
}

impl<'a> Cookies<'a> {
    /// The cookies of a header value.
    pub fn new(value: &'a str) -> Self {
        Self { rest: value }
    }
}

impl<'a> Iterator for Cookies<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let (pair, rest) = self.rest.split_once(';').unwrap_or((self.rest, ""));
            self.rest = rest;
            if let Some((name, value)) = pair.split_once('=') {
                return Some((name.trim_ascii(), unquote(value.trim_ascii())));
            }
        }
        None
    }
}

fn unquote(value: &str) -> &str {
    value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap_or(value)
}

/// A `Set-Cookie` header: what a server asks to keep. Its `Display` is the header value.
///
/// ```
/// use loadstone_http::SetCookie;
/// let cookie = SetCookie { http_only: true, max_age_s: Some(3600), ..SetCookie::new("sid", "42") };
/// assert_eq!(cookie.to_string(), "sid=42; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax");
/// assert_eq!(SetCookie::parse("sid=42; path=/a; Max-Age=0").unwrap().is_expired(0), true);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetCookie<'a> {
    /// Name; must be a token.
    pub name: &'a str,
    /// Value; must not hold `;`, `,`, quotes, white space or control characters.
    pub value: &'a str,
    /// Paths it is sent back to; none: those beside the requested one.
    pub path: Option<&'a str>,
    /// Hosts that it is sent back to, with those below; none: the one that set it.
    pub domain: Option<&'a str>,
    /// Seconds to live; zero or less deletes. Wins over `expires_unix_s`.
    pub max_age_s: Option<i64>,
    /// End of life, seconds since 1970.
    pub expires_unix_s: Option<u64>,
    /// Hidden from scripts.
    pub http_only: bool,
    /// Sent over TLS only.
    pub secure: bool,
}

impl<'a> SetCookie<'a> {
    /// A cookie of the whole site that lives as long as the browser session.
    pub fn new(name: &'a str, value: &'a str) -> Self {
        Self {
            name,
            value,
            path: Some("/"),
            domain: None,
            max_age_s: None,
            expires_unix_s: None,
            http_only: false,
            secure: false,
        }
    }

    /// Reads a `Set-Cookie` header value; none when it has no name. Quotes around the value belong to it and
    /// go back to the server as they are (RFC 6265 §5.2): some servers escape what stands between them.
    /// Attributes not listed here (same-site) are skipped: a load generator follows what its scenario says.
    pub fn parse(value: &'a str) -> Option<Self> {
        let mut parts = value.split(';');
        let (name, value) = parts.next()?.split_once('=')?;
        let mut cookie = Self { path: None, ..Self::new(name.trim_ascii(), value.trim_ascii()) };
        for part in parts {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let (key, value) = (key.trim_ascii(), value.trim_ascii());
            if key.eq_ignore_ascii_case("path") {
                cookie.path = value.starts_with('/').then_some(value);
            } else if key.eq_ignore_ascii_case("domain") {
                // A dot before the name says nothing (RFC 6265 §5.2.3).
                let domain = value.strip_prefix('.').unwrap_or(value);
                cookie.domain = (!domain.is_empty()).then_some(domain);
            } else if key.eq_ignore_ascii_case("max-age") {
                cookie.max_age_s = value.parse().ok().or(cookie.max_age_s);
            } else if key.eq_ignore_ascii_case("expires") {
                cookie.expires_unix_s = parse_date(value).or(cookie.expires_unix_s);
            } else if key.eq_ignore_ascii_case("httponly") {
                cookie.http_only = true;
            } else if key.eq_ignore_ascii_case("secure") {
                cookie.secure = true;
            }
        }
        (!cookie.name.is_empty()).then_some(cookie)
    }

    /// Whether it deletes the cookie, at a time in seconds since 1970.
    pub fn is_expired(&self, now_unix_s: u64) -> bool {
        match (self.max_age_s, self.expires_unix_s) {
            (Some(age), _) => age <= 0,
            (None, Some(expires)) => expires <= now_unix_s,
            (None, None) => false,
        }
    }
}

/// Writes the value of a `Set-Cookie` header, always with `SameSite=Lax` (our forms are our own).
impl core::fmt::Display for SetCookie<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}={}", self.name, self.value)?;
        if let Some(path) = self.path {
            write!(f, "; Path={path}")?;
        }
        if let Some(domain) = self.domain {
            write!(f, "; Domain={domain}")?;
        }
        if let Some(age) = self.max_age_s {
            write!(f, "; Max-Age={age}")?;
        }
        if let Some(expires) = self.expires_unix_s {
            let date = crate::format_date(expires);
            write!(f, "; Expires={}", core::str::from_utf8(&date).map_err(|_| core::fmt::Error)?)?;
        }
        if self.http_only {
            f.write_str("; HttpOnly")?;
        }
        if self.secure {
            f.write_str("; Secure")?;
        }
        f.write_str("; SameSite=Lax")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    #[test]
    fn a_cookie_header_is_read() {
        let all: Vec<_> = Cookies::new("a=1;  b=\"two\" ; junk; c=x=y;").collect();
        assert_eq!(all, [("a", "1"), ("b", "two"), ("c", "x=y")]);
    }

    #[test]
    fn max_age_wins_over_expires() {
        let cookie = SetCookie::parse("s=1; Expires=Thu, 01 Jan 1970 00:00:01 GMT; Max-Age=60").unwrap();
        assert!(!cookie.is_expired(1_000));
        let cookie = SetCookie::parse("s=1; Expires=Thu, 01-Jan-1970 00:00:01 GMT").unwrap();
        assert!(cookie.is_expired(1_000));
        assert!(!SetCookie::parse("s=1").unwrap().is_expired(u64::MAX));
    }

    #[test]
    fn a_quoted_value_keeps_its_quotes() {
        let cookie = SetCookie::parse("s=\"a\\054b\"; Path=/").unwrap();
        assert_eq!(cookie.value, "\"a\\054b\"");
    }

    #[test]
    fn what_has_no_name_is_no_cookie() {
        assert_eq!(SetCookie::parse("=x"), None);
        assert_eq!(SetCookie::parse("alone; Path=/"), None);
    }

    proptest! {
        #[test]
        fn cookies_round_trip(
            name in "[a-zA-Z0-9_]{1,9}",
            value in "[a-zA-Z0-9+/=.]{0,20}",
            max_age_s in proptest::option::of(-5_i64..1_000_000),
            expires_unix_s in proptest::option::of(0_u64..4_000_000_000),
            http_only: bool,
            secure: bool,
        ) {
            let cookie =
                SetCookie { name: &name, value: &value, path: Some("/"), domain: None, max_age_s, expires_unix_s, http_only, secure };
            let written = cookie.to_string();
            prop_assert_eq!(SetCookie::parse(&written), Some(cookie));
        }

        #[test]
        fn any_text_is_survived(text in ".*") {
            let _ = SetCookie::parse(&text).map(|cookie| cookie.is_expired(5));
            let _ = Cookies::new(&text).count();
        }
    }
}
