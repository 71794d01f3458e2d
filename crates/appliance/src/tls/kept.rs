//! Sessions that clients may take up again, without a signature and a certificate: the latest ones.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::fmt;

use rustls::server::StoresServerSessions;
use spin::Mutex;

/// How many are kept.
pub(crate) const SESSIONS: usize = 256;
/// Most bytes of one with its name: a secret, and what the client called the server.
pub(crate) const LONGEST: usize = 512;
/// For how long; the secrets of one that nobody takes up are forgotten then or before.
pub(crate) const LIFETIME_S: u64 = 3600;

/// Kept here and nowhere else: there is no key that would open a session which somebody has recorded, and none
/// to renew. With TLS 1.3 each counts once.
pub(super) struct Sessions {
    now_s: fn() -> u64,
    /// In the order of their ends.
    kept: Mutex<VecDeque<Kept>>,
}

struct Kept {
    end_s: u64,
    name: Vec<u8>,
    session: Vec<u8>,
}

impl fmt::Debug for Sessions {
    /// Without their secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").field("kept", &self.kept.lock().len()).finish_non_exhaustive()
    }
}

impl Sessions {
    /// None yet; `now_s` tells the seconds since 1970.
    pub(super) fn new(now_s: fn() -> u64) -> Self {
        Self { now_s, kept: Mutex::new(VecDeque::with_capacity(SESSIONS)) }
    }
}

impl StoresServerSessions for Sessions {
    fn put(&self, name: Vec<u8>, session: Vec<u8>) -> bool {
        if name.len() + session.len() > LONGEST {
            return false;
        }
        let now_s = (self.now_s)();
        let mut kept = self.kept.lock();
        kept.retain(|one| one.end_s > now_s && one.name != name);
        if kept.len() == SESSIONS {
            kept.pop_front();
        }
        kept.push_back(Kept { end_s: now_s + LIFETIME_S, name, session });
        true
    }

    fn get(&self, name: &[u8]) -> Option<Vec<u8>> {
        let now_s = (self.now_s)();
        let kept = self.kept.lock();
        kept.iter().find(|one| one.end_s > now_s && one.name == name).map(|one| one.session.clone())
    }

    fn take(&self, name: &[u8]) -> Option<Vec<u8>> {
        let found = self.get(name)?;
        self.kept.lock().retain(|one| one.name != name);
        Some(found)
    }

    fn can_cache(&self) -> bool {
        true
    }
}
