//! The emulated browser of a user: its cookies and its cache, and what a thread knows of cached files.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use loadstone_http::{Headers, SetCookie};
use memchr::memmem;

/// Most resources that a session's cache remembers; the oldest goes first.
const SEEN_LIMIT: usize = 512;
/// Most files whose validators a thread remembers.
const VALIDATORS_LIMIT: usize = 4_096;
/// Most bytes of cookies, as browsers have it for one cookie; beyond it new ones are not kept.
const COOKIES_LIMIT: usize = 4_096;

/// What a session's browser holds.
#[derive(Debug, Default)]
pub(crate) struct Browser {
    pub cookies: Cookies,
    /// The cache held the site's style sheets and scripts before the session.
    pub warm: bool,
    seen: Vec<u64>,
    oldest: usize,
}

impl Browser {
    /// Empties it for a new session.
    pub(crate) fn reset(&mut self, warm: bool) {
        self.cookies.0.clear();
        self.seen.clear();
        self.oldest = 0;
        self.warm = warm;
    }

    /// Whether the session fetched this resource.
    pub(crate) fn has_seen(&self, address: u64) -> bool {
        self.seen.contains(&address)
    }

    pub(crate) fn saw(&mut self, address: u64) {
        if self.seen.len() < SEEN_LIMIT {
            self.seen.push(address);
        } else {
            self.seen[self.oldest] = address;
            self.oldest = (self.oldest + 1) % SEEN_LIMIT;
        }
    }
}

/// Cookies as they are sent: `a=1; b=2`. Paths are not told apart: a session talks to one site.
#[derive(Debug, Default)]
pub(crate) struct Cookies(Vec<u8>);

impl Cookies {
    /// The value of the `Cookie` field, empty when there is none to send.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Keeps what the answer asks to keep.
    pub(crate) fn learn(&mut self, headers: &Headers<'_>) {
        for value in headers.all("set-cookie") {
            if let Some(cookie) = std::str::from_utf8(value).ok().and_then(SetCookie::parse) {
                self.remove(cookie.name);
                if !cookie.is_expired(unix_s()) {
                    self.insert(&cookie);
                }
            }
        }
    }

    fn insert(&mut self, cookie: &SetCookie<'_>) {
        if self.0.len() + cookie.name.len() + cookie.value.len() + 3 > COOKIES_LIMIT {
            return;
        }
        if !self.0.is_empty() {
            self.0.extend_from_slice(b"; ");
        }
        for piece in [cookie.name, "=", cookie.value] {
            self.0.extend_from_slice(piece.as_bytes());
        }
    }

    fn remove(&mut self, name: &str) {
        let mut start = 0;
        while start < self.0.len() {
            let end = memmem::find(&self.0[start..], b"; ").map_or(self.0.len(), |at| start + at);
            let pair = &self.0[start..end];
            let ours = pair.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.starts_with(b"="));
            if ours {
                // The separator before goes with it, or the one behind when it is the first.
                let (from, to) = if start > 0 { (start - 2, end) } else { (0, (end + 2).min(self.0.len())) };
                self.0.drain(from..to);
                return;
            }
            start = end + 2;
        }
    }
}

fn unix_s() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |age| age.as_secs())
}

/// What a warm cache knows of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Validator {
    pub etag: Option<Box<[u8]>>,
    pub modified: Option<Box<[u8]>>,
}

impl Validator {
    /// Whether there is anything to ask with.
    pub(crate) fn can_ask(&self) -> bool {
        self.etag.is_some() || self.modified.is_some()
    }
}

/// Validators of the files that a thread fetched, by address.
#[derive(Debug, Default)]
pub(crate) struct Validators(HashMap<u64, Validator, BuildHasherDefault<Identity>>);

impl Validators {
    pub(crate) fn get(&self, address: u64) -> Option<&Validator> {
        self.0.get(&address)
    }

    /// Remembers what an answer says of its file, when that is new.
    pub(crate) fn learn(&mut self, address: u64, headers: &Headers<'_>) {
        let (etag, modified) = (headers.get_bytes("etag"), headers.get_bytes("last-modified"));
        let known = self.0.get(&address);
        let same = known.is_some_and(|v| v.etag.as_deref() == etag && v.modified.as_deref() == modified);
        if !same && (known.is_some() || self.0.len() < VALIDATORS_LIMIT) {
            self.0.insert(
                address,
                Validator { etag: etag.map(Into::into), modified: modified.map(Into::into) },
            );
        }
    }
}

/// A set of addresses.
pub(crate) type Addresses = HashSet<u64, BuildHasherDefault<Identity>>;

/// Hash of an address (FNV-1a): what caches know it by.
pub(crate) fn address_hash(address: &[u8]) -> u64 {
    address
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// The keys are hashes already.
#[derive(Debug, Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = address_hash(bytes);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_kept_replaced_and_deleted() {
        let mut cookies = Cookies::default();
        let mut learn = |lines: &str| {
            cookies.learn(&Headers::new(lines.as_bytes()));
            String::from_utf8(cookies.as_bytes().to_vec()).unwrap()
        };
        assert_eq!(
            learn("Set-Cookie: a=1; Path=/\r\nSet-Cookie: bb=2\r\nSet-Cookie: c=3\r\n"),
            "a=1; bb=2; c=3"
        );
        assert_eq!(learn("set-cookie: bb=9\r\n"), "a=1; c=3; bb=9");
        assert_eq!(learn("Set-Cookie: b=0; Max-Age=0\r\n"), "a=1; c=3; bb=9");
        assert_eq!(learn("Set-Cookie: a=; Max-Age=0\r\n"), "c=3; bb=9");
        assert_eq!(learn("Set-Cookie: bb=; Expires=Thu, 01 Jan 1970 00:00:00 GMT\r\n"), "c=3");
        assert_eq!(learn("Set-Cookie: c=x; Max-Age=-1\r\n"), "");
    }

    #[test]
    fn the_cache_forgets_the_oldest() {
        let mut browser = Browser::default();
        (0..SEEN_LIMIT as u64 + 3).for_each(|address| browser.saw(address));
        assert!(!browser.has_seen(2) && browser.has_seen(3) && browser.has_seen(SEEN_LIMIT as u64 + 2));
        browser.reset(true);
        assert!(browser.warm && !browser.has_seen(3));
    }

    #[test]
    fn validators_follow_the_file() {
        let mut validators = Validators::default();
        validators.learn(5, &Headers::new(b"ETag: \"a\"\r\n"));
        validators.learn(5, &Headers::new(b"ETag: \"b\"\r\nLast-Modified: x\r\n"));
        let known = validators.get(5).unwrap();
        assert_eq!(
            (known.etag.as_deref(), known.modified.as_deref()),
            (Some(&b"\"b\""[..]), Some(&b"x"[..]))
        );
        validators.learn(6, &Headers::new(b"A: b\r\n"));
        assert!(!validators.get(6).unwrap().can_ask());
    }
}
