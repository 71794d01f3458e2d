//! The cookies of a session, by host, path and age (RFC 6265).
//!
//! Ports are not told apart, as the standard has it: two servers of one host share their cookies. There is no
//! list of public suffixes; a cookie for a whole top-level domain (a name without a dot) is not kept.

use std::time::{SystemTime, UNIX_EPOCH};

use loadstone_http::{Headers, SetCookie};

/// Most cookies of a session; the oldest goes first. Browsers keep at least as many of a host.
const MOST: usize = 64;
/// Most bytes of one cookie's name and value (RFC 6265 §6.1), and of its host and path.
const LONGEST: usize = 4_096;
/// Most bytes of all.
const ROOM: usize = 32 << 10;

/// A server that cookies come from and go to.
#[derive(Debug)]
pub(crate) struct Origin {
    /// Host name or address, in lower case, without brackets and port.
    name: Box<str>,
    /// Cookies that are marked `Secure` go there: by HTTPS, or on the loopback, as browsers have it.
    trusted: bool,
}

impl Origin {
    /// Of the server with this value of the Host header.
    pub(crate) fn new(authority: &str, tls: bool) -> Self {
        let bracketed = authority.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let bare = || authority.rsplit_once(':').map_or(authority, |(name, _)| name);
        let name = bracketed.map_or_else(bare, |(name, _)| name).to_ascii_lowercase();
        let loopback = match name.parse::<std::net::IpAddr>() {
            Ok(address) => address.is_loopback(),
            Err(_) => name == "localhost" || name.ends_with(".localhost"),
        };
        Self { name: name.into(), trusted: tls || loopback }
    }

    /// Whether the host is `domain` or below it (RFC 6265 §5.1.3).
    fn is_within(&self, domain: &[u8]) -> bool {
        let name = self.name.as_bytes();
        let Some(rest) = name.len().checked_sub(domain.len()) else { return false };
        name[rest..].eq_ignore_ascii_case(domain)
            && (rest == 0 || (name[rest - 1] == b'.' && self.name.parse::<std::net::IpAddr>().is_err()))
    }
}

/// What a session has kept, in the order in which it is sent: longer paths first, then older ones.
#[derive(Debug, Default)]
pub(crate) struct Cookies {
    /// Name, value, host and path of each.
    text: Vec<u8>,
    kept: Vec<Cookie>,
    /// Cookies that were ever kept.
    born: u32,
}

#[derive(Debug, Clone, Copy)]
struct Cookie {
    from: u32,
    name: u16,
    value: u16,
    host: u16,
    path: u16,
    /// Not for hosts below.
    exact: bool,
    secure: bool,
    born: u32,
    /// Its end, seconds since 1970.
    until: u64,
}

impl Cookie {
    fn parts<'t>(&self, text: &'t [u8]) -> [&'t [u8]; 4] {
        let mut rest = &text[self.from as usize..];
        [self.name, self.value, self.host, self.path].map(|length| {
            let (part, others) = rest.split_at(usize::from(length));
            rest = others;
            part
        })
    }

    fn length(&self) -> usize {
        [self.name, self.value, self.host, self.path].into_iter().map(usize::from).sum()
    }

    fn goes_to(&self, text: &[u8], origin: &Origin, path: &[u8], now: &mut Option<u64>) -> bool {
        is_beneath(path, self.parts(text)[3]) && self.is_of(text, origin, now)
    }

    /// Whether it is for some path of this host, now.
    fn is_of(&self, text: &[u8], origin: &Origin, now: &mut Option<u64>) -> bool {
        let host = self.parts(text)[2];
        (!self.exact || origin.name.as_bytes() == host)
            && origin.is_within(host)
            && (origin.trusted || !self.secure)
            && (self.until == u64::MAX || self.until > *now.get_or_insert_with(unix_s))
    }
}

/// Whether a request's path is that of a cookie or beneath it (RFC 6265 §5.1.4).
fn is_beneath(path: &[u8], under: &[u8]) -> bool {
    path.strip_prefix(under)
        .is_some_and(|rest| rest.is_empty() || under.ends_with(b"/") || matches!(rest[0], b'/' | b'?'))
}

/// The path that a cookie has if it names none: that of the request up to its last slash.
fn beside(path: &[u8]) -> &[u8] {
    let end = path.iter().position(|b| *b == b'?').unwrap_or(path.len());
    match path[..end].iter().rposition(|b| *b == b'/') {
        None | Some(0) => b"/",
        Some(at) => &path[..at],
    }
}

impl Cookies {
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.kept.clear();
    }

    /// The value of this host's cookie of this name, whatever its path; of several the one with the longest.
    pub(crate) fn get(&self, name: &str, origin: &Origin) -> Option<&[u8]> {
        let mut now = None;
        let mut named = self.kept.iter().filter(|cookie| cookie.parts(&self.text)[0] == name.as_bytes());
        let found = named.find(|cookie| cookie.is_of(&self.text, origin, &mut now))?;
        Some(found.parts(&self.text)[1])
    }

    /// Appends the value of the `Cookie` field of a request for `path`: nothing if there is none to send.
    pub(crate) fn write(&self, origin: &Origin, path: &[u8], out: &mut Vec<u8>) {
        let (from, mut now) = (out.len(), None);
        for cookie in self.kept.iter().filter(|cookie| cookie.goes_to(&self.text, origin, path, &mut now)) {
            let [name, value, ..] = cookie.parts(&self.text);
            let lead: &[u8] = if out.len() > from { b"; " } else { b"" };
            [lead, name, b"=", value].into_iter().for_each(|piece| out.extend_from_slice(piece));
        }
    }

    /// Keeps what an answer to a request asks to keep. `path` writes the request's path; `requested` is any buffer.
    #[inline]
    pub(crate) fn learn(
        &mut self,
        headers: &Headers<'_>,
        origin: &Origin,
        requested: &mut Vec<u8>,
        path: impl Fn(&mut Vec<u8>),
    ) {
        for value in headers.all("set-cookie") {
            let Some(cookie) = std::str::from_utf8(value).ok().and_then(SetCookie::parse) else { continue };
            let of = cookie.path.map_or_else(
                || {
                    requested.clear();
                    path(requested);
                    beside(requested)
                },
                str::as_bytes,
            );
            self.keep(&cookie, origin, of);
        }
    }

    fn keep(&mut self, cookie: &SetCookie<'_>, origin: &Origin, path: &[u8]) {
        let host = match cookie.domain {
            Some(domain) if !origin.is_within(domain.as_bytes()) => return,
            // A whole top-level domain is nobody's.
            Some(domain) if !domain.contains('.') && domain.len() < origin.name.len() => return,
            Some(domain) => domain,
            None => &origin.name,
        };
        if cookie.name.len() + cookie.value.len() > LONGEST || host.len() + path.len() > LONGEST {
            return;
        }
        let known = self.kept.iter().position(|kept| {
            let [name, _, of, under] = kept.parts(&self.text);
            name == cookie.name.as_bytes() && of.eq_ignore_ascii_case(host.as_bytes()) && under == path
        });
        let born = known.map(|at| self.remove(at).born);
        let now = unix_s();
        if cookie.is_expired(now) {
            return;
        }
        let until = match (cookie.max_age_s, cookie.expires_unix_s) {
            (Some(age), _) => now.saturating_add(age.unsigned_abs()),
            (None, expires) => expires.unwrap_or(u64::MAX),
        };
        let born = born.unwrap_or_else(|| {
            self.born = self.born.wrapping_add(1);
            self.born
        });
        let parts = [cookie.name, cookie.value, host].map(str::as_bytes);
        let length = parts.iter().map(|part| part.len()).sum::<usize>() + path.len();
        while self.kept.len() >= MOST || self.text.len() + length > ROOM {
            let Some(oldest) = (0..self.kept.len()).min_by_key(|at| self.kept[*at].born) else { return };
            self.remove(oldest);
        }
        let from = self.text.len() as u32;
        parts.iter().for_each(|part| self.text.extend_from_slice(part));
        self.text.extend_from_slice(path);
        let [name, value, host] = parts.map(|part| part.len() as u16);
        let kept = Cookie {
            from,
            name,
            value,
            host,
            path: path.len() as u16,
            exact: cookie.domain.is_none(),
            secure: cookie.secure,
            born,
            until,
        };
        let before = |other: &Cookie| (std::cmp::Reverse(other.path), other.born);
        let at = self.kept.partition_point(|other| before(other) < before(&kept));
        self.kept.insert(at, kept);
    }

    fn remove(&mut self, at: usize) -> Cookie {
        let gone = self.kept.remove(at);
        let (from, length) = (gone.from as usize, gone.length());
        self.text.drain(from..from + length);
        self.kept.iter_mut().filter(|kept| kept.from > gone.from).for_each(|kept| kept.from -= length as u32);
        gone
    }
}

fn unix_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs())
}

#[cfg(test)]
mod tests;
