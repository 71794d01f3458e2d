//! Session ids and the tokens that tie a form to a session.
//!
//! The token of a form is the HMAC of the session id, so it needs no storage: a page of another site can
//! neither read the cookie nor compute the token, and its forged form is refused. Before log-in the id is
//! only a random cookie, without a row in the database; log-in replaces it.

use alloc::string::String;

use hmac::{Hmac, KeyInit, Mac};
use loadstone_store::{Db, Dialect, Result};
use sha2::Sha256;

use crate::dataset;

/// Characters of a session id: 128 bits in hexadecimal.
pub const ID_LEN: usize = 32;

/// The key of the tokens, ready for use.
#[derive(Clone)]
pub struct TokenKey(Hmac<Sha256>);

impl TokenKey {
    /// From the site's secret.
    pub fn new(secret: &[u8]) -> Self {
        Self(Hmac::new_from_slice(secret).expect("HMAC takes keys of every length"))
    }

    /// From the operator's secret where there is one; else from `fresh`, or on a database server from what
    /// the first of its sites drew: a form may come from one server and go to another, so they all have the
    /// same key.
    ///
    /// # Errors
    /// As the database reports.
    pub fn of(db: &Db, secret: Option<[u8; 32]>, fresh: &[u8; 32]) -> Result<Self> {
        if let Some(secret) = secret {
            return Ok(Self::new(&secret));
        }
        let fresh = hex(fresh);
        let is_shared = db.dialect() != Dialect::Sqlite;
        let secret = if is_shared { dataset::first(db, "secret", &fresh)? } else { fresh };
        Ok(Self::new(secret.as_bytes()))
    }

    /// hex(HMAC-SHA256(secret, session id)).
    pub fn token(&self, session: &str) -> String {
        let mut mac = self.0.clone();
        mac.update(session.as_bytes());
        hex(&mac.finalize().into_bytes())
    }
}

/// Whether two tokens are equal, in a time that does not tell how much of them is.
pub fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let difference = left.iter().zip(right).fold(0, |sum, (a, b)| sum | (a ^ b));
    left.len() == right.len() && core::hint::black_box(difference) == 0
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let pairs = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    pairs.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

/// Whether a cookie's value can be one of our session ids.
pub fn is_id(value: &str) -> bool {
    value.len() == ID_LEN && value.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_hmac_sha256() {
        // RFC 4231, test case 2.
        assert_eq!(
            TokenKey::new(b"Jefe").token("what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn comparison_sees_every_difference() {
        assert!(same("abc", "abc"));
        for other in ["abd", "ab", "abcd", "", "Abc"] {
            assert!(!same("abc", other));
        }
    }

    #[test]
    fn ids_are_32_lower_hexadecimal_digits() {
        assert!(is_id(&hex(&[0xab; 16])));
        assert!(!is_id(&hex(&[0xab; 15])) && !is_id("ABABABABABABABABABABABABABABABAB") && !is_id(""));
    }
}
