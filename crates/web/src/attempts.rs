//! How often passwords may be tried: few times in a row for a name, and for all names together.
//!
//! Each name has a small store of tries that fills up slowly (a leaky bucket, kept as the time at which it is
//! full again: GCRA). Names share a fixed number of stores, chosen by a keyed hash, so that memory is bounded
//! and nobody can aim at another's. A browser that has been logged in under a name before proves it by a
//! cookie and has a store of its own: whoever guesses at somebody's name does not lock them out of their own
//! browser.
//!
//! What a site counts it counts for itself: each of several servers on one database allows as many.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::token::{TokenKey, same};

/// Stores that the names share: 64 KiB of them.
const STORES: usize = 8192;

/// How fast tries may follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pace {
    /// So many at once.
    at_once: u64,
    /// Then one each time so many seconds have passed.
    every_s: u64,
}

/// For one name: ten tries, then one in five minutes, 298 on the first day and 288 on any other.
const A_NAME: Pace = Pace { at_once: 10, every_s: 300 };
/// For all names together, by browsers that are not known: a password tried on every name there is.
const ALL_NAMES: Pace = Pace { at_once: 300, every_s: 1 };

/// A store of tries: when it will be full again, in seconds since 1970.
#[derive(Debug, Default)]
struct Store(AtomicU64);

impl Store {
    /// Takes one try out; else the seconds until there is one.
    fn take(&self, pace: Pace, now_s: u64) -> Result<(), u64> {
        let most = pace.at_once * pace.every_s;
        let mut outcome = Ok(());
        let update = |full_s: u64| {
            // More than a store holds: the clock was set back, which is to lock nobody out.
            let owed = Some(full_s.saturating_sub(now_s)).filter(|&owed| owed <= most).unwrap_or(0);
            outcome = match (owed + pace.every_s).checked_sub(most) {
                None | Some(0) => Ok(()),
                Some(wait_s) => Err(wait_s),
            };
            Some(now_s + owed + if outcome.is_ok() { pace.every_s } else { 0 })
        };
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
        outcome
    }

    /// Puts a try back.
    fn put_back(&self, pace: Pace) {
        let update = |full_s: u64| Some(full_s.saturating_sub(pace.every_s));
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
    }
}

/// The tries of all names.
pub struct Attempts {
    key: TokenKey,
    names: Box<[Store]>,
    all: Store,
}

/// A try that has been counted.
#[derive(Debug)]
pub struct Attempt {
    store: usize,
    is_known: bool,
}

impl Attempts {
    /// Nobody has tried anything yet. `key` is the site's.
    pub fn new(key: TokenKey) -> Self {
        let names = core::iter::repeat_with(Store::default).take(STORES).collect();
        Self { key, names, all: Store::default() }
    }

    /// Counts a try before the password is looked at, so that a thousand at once are a thousand. `proof` is
    /// the cookie of a browser that says to be known, see [`Self::proof`].
    ///
    /// # Errors
    /// The seconds after which another may be made.
    pub fn begin(&self, name: &str, proof: Option<&str>, now_s: u64) -> Result<Attempt, u64> {
        let is_known = proof.is_some_and(|proof| same(proof, &self.proof(name)));
        let of = if is_known { "known" } else { "any" };
        let digest = self.key.token(&format!("attempts:{of}:{name}"));
        let number = u64::from_str_radix(&digest[..15], 16).unwrap_or(0);
        let store = (number % STORES as u64) as usize;
        self.names[store].take(A_NAME, now_s)?;
        if !is_known && let Err(wait_s) = self.all.take(ALL_NAMES, now_s) {
            self.names[store].put_back(A_NAME);
            return Err(wait_s);
        }
        Ok(Attempt { store, is_known })
    }

    /// The password was right: the try does not count.
    pub fn succeeded(&self, attempt: &Attempt) {
        self.names[attempt.store].put_back(A_NAME);
        if !attempt.is_known {
            self.all.put_back(ALL_NAMES);
        }
    }

    /// What proves that a browser has been logged in under a name. It opens nothing without the password.
    pub fn proof(&self, name: &str) -> String {
        self.key.token(&format!("known:{name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    const NOW_S: u64 = 1_000_000;

    fn attempts() -> Attempts {
        Attempts::new(TokenKey::new(b"key"))
    }

    /// How many of `tries` for a name are let through.
    fn let_through(attempts: &Attempts, name: &str, proof: Option<&str>, tries: usize, now_s: u64) -> usize {
        (0..tries).filter(|_| attempts.begin(name, proof, now_s).is_ok()).count()
    }

    #[test]
    fn a_name_has_ten_tries_and_then_one_in_five_minutes() {
        let attempts = attempts();
        assert_eq!(let_through(&attempts, "ann", None, 50, NOW_S), 10);
        assert_eq!(attempts.begin("ann", None, NOW_S).unwrap_err(), 300);
        assert_eq!(attempts.begin("ann", None, NOW_S + 299).unwrap_err(), 1);
        assert_eq!(let_through(&attempts, "bob", None, 50, NOW_S), 10, "others are not concerned");
        assert_eq!(let_through(&attempts, "ann", None, 50, NOW_S + 300), 1);
        assert_eq!(let_through(&attempts, "ann", None, 50, NOW_S + 86_400), 10, "never more than ten");
    }

    #[test]
    fn a_day_of_guessing_at_a_name_is_three_hundred_guesses() {
        let attempts = attempts();
        let day =
            (0..86_400).step_by(60).map(|s| let_through(&attempts, "eve", None, 3, NOW_S + s)).sum::<usize>();
        assert_eq!(day, 10 + 287);
    }

    #[test]
    fn right_passwords_do_not_count() {
        let attempts = attempts();
        for _ in 0..1000 {
            attempts.succeeded(&attempts.begin("ann", None, NOW_S).expect("a try"));
        }
        assert_eq!(let_through(&attempts, "ann", None, 50, NOW_S), 10);
    }

    #[test]
    fn one_password_for_every_name_is_seen() {
        let attempts = attempts();
        let names: Vec<String> = (0..5000).map(|i| format!("user{i}")).collect();
        let tried = |now_s| names.iter().filter(|name| attempts.begin(name, None, now_s).is_ok()).count();
        assert_eq!(tried(NOW_S), 300);
        assert_eq!(tried(NOW_S + 60), 60);
    }

    #[test]
    fn a_known_browser_is_not_locked_out_by_others() {
        let attempts = attempts();
        let proof = attempts.proof("ann");
        for name in ["ann", "bob", "eve"] {
            let_through(&attempts, name, None, 500, NOW_S);
        }
        for i in 0..400 {
            let_through(&attempts, &format!("user{i}"), None, 1, NOW_S);
        }
        assert!(attempts.begin("ann", None, NOW_S).is_err());
        assert_eq!(let_through(&attempts, "ann", Some(&proof), 50, NOW_S), 10, "and has its own limit");
        assert!(attempts.begin("bob", Some(&proof), NOW_S).is_err(), "a proof is for one name");
        assert!(attempts.begin("ann", Some("x"), NOW_S).is_err());
    }

    #[test]
    fn a_clock_that_was_set_back_locks_nobody_out() {
        let attempts = attempts();
        let_through(&attempts, "ann", None, 50, NOW_S + 1_000_000);
        assert_eq!(let_through(&attempts, "ann", None, 50, NOW_S), 10);
    }
}
