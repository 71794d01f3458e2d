//! The emulated browser of a user: its cookies and its cache, and what a thread knows of cached files.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use loadstone_http::Headers;

use crate::cookies::Cookies;

/// Most resources that a session's cache remembers; the oldest goes first.
const SEEN_LIMIT: usize = 512;
/// Most files whose validators a thread remembers.
const VALIDATORS_LIMIT: usize = 4_096;

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
        self.cookies.clear();
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

/// Hash of a path on a host, known by its place (FNV-1a): what caches know an address by.
pub(crate) fn address_hash(place: usize, path: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ (place as u64) << 48;
    path.iter().fold(start, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// The keys are hashes already.
#[derive(Debug, Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = address_hash(0, bytes);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
