//! Passwords at rest: salted, in a text form that any language can make and check.
//!
//! `sha256$SALT$HEX` is SHA-256 over the salt's hex text followed by the password: one hash, so that logging
//! in measures the application and not the hash. `pbkdf2$ROUNDS$SALT$HEX` is PBKDF2-HMAC-SHA256 with the
//! salt's hex text as salt, for sites that real people use; its cost then belongs to the log-in.

use alloc::format;
use alloc::string::String;

use sha2::{Digest, Sha256};

use crate::token::{hex, same};

/// Bytes of a salt.
pub const SALT_BYTES: usize = 16;

/// How passwords are hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    /// One salted SHA-256.
    #[default]
    Sha256,
    /// PBKDF2-HMAC-SHA256 with this many rounds.
    Pbkdf2(u32),
}

impl Scheme {
    /// Reads `sha256` or `pbkdf2:ROUNDS`, rounds at least 1; none for anything else.
    ///
    /// ```
    /// use loadstone_web::password::Scheme;
    /// assert_eq!(Scheme::parse("pbkdf2:600000"), Some(Scheme::Pbkdf2(600_000)));
    /// assert_eq!(Scheme::parse("md5"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix("pbkdf2:") {
            Some(rounds) => rounds.parse().ok().filter(|&rounds| rounds > 0).map(Self::Pbkdf2),
            None => (text == "sha256").then_some(Self::Sha256),
        }
    }
}

/// The stored form of `password`. The salt is unpredictable for people's passwords.
pub fn hash(scheme: Scheme, password: &str, salt: &[u8; SALT_BYTES]) -> String {
    let salt = hex(salt);
    let digest = hex(&derive(scheme, password, &salt));
    match scheme {
        Scheme::Sha256 => format!("sha256${salt}${digest}"),
        Scheme::Pbkdf2(rounds) => format!("pbkdf2${rounds}${salt}${digest}"),
    }
}

/// Whether `password` is the one behind `stored`. Takes the same time wherever the digests differ; false for
/// a stored form that this program does not know.
pub fn verify(stored: &str, password: &str) -> bool {
    let Some((scheme, salt, digest)) = parts(stored) else { return false };
    let expected = hex(&derive(scheme, password, salt));
    same(&expected, digest)
}

/// As [`verify`], with the work of a hash of the site's own `scheme` whatever there is to compare with: for a
/// name that nobody has, or whose password is stored in a cheaper way, so that the time does not tell which
/// names there are.
pub fn check(scheme: Scheme, stored: Option<&str>, password: &str) -> bool {
    let is_right = stored.is_some_and(|stored| verify(stored, password));
    if stored.and_then(parts).map(|(stored, _, _)| stored) != Some(scheme) {
        core::hint::black_box(hash(scheme, password, &[0; SALT_BYTES]));
    }
    is_right
}

fn parts(stored: &str) -> Option<(Scheme, &str, &str)> {
    let (kind, rest) = stored.split_once('$')?;
    let (scheme, rest) = match kind {
        "sha256" => (Scheme::Sha256, rest),
        "pbkdf2" => {
            let (rounds, rest) = rest.split_once('$')?;
            (Scheme::Pbkdf2(rounds.parse().ok().filter(|&rounds| rounds > 0)?), rest)
        }
        _ => return None,
    };
    let (salt, digest) = rest.split_once('$')?;
    Some((scheme, salt, digest))
}

fn derive(scheme: Scheme, password: &str, salt: &str) -> [u8; 32] {
    match scheme {
        Scheme::Sha256 => Sha256::new().chain_update(salt).chain_update(password).finalize().into(),
        Scheme::Pbkdf2(rounds) => {
            pbkdf2::pbkdf2_hmac_array::<Sha256, 32>(password.as_bytes(), salt.as_bytes(), rounds)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Scheme, check, hash, verify};

    const SALT: [u8; 16] = *b"0123456789abcdef";
    const SHA256_ABC: &str = "sha256$30313233343536373839616263646566$a99ba6d991ba28d0cd9a4f738a02020ce790e022a677a948e63d466fd4cc1164";
    const PBKDF2_ABC: &str = "pbkdf2$1000$30313233343536373839616263646566$ed9ee73653c85868838cc9f5456bdc8c888f92ad9c5247f540970b4f17df1269";

    #[test]
    fn digests_are_the_published_ones() {
        // Made with Python's hashlib.
        assert_eq!(hash(Scheme::Sha256, "abc", &SALT), SHA256_ABC);
        assert_eq!(hash(Scheme::Pbkdf2(1000), "abc", &SALT), PBKDF2_ABC);
    }

    #[test]
    fn only_the_password_verifies() {
        for scheme in [Scheme::Sha256, Scheme::Pbkdf2(3)] {
            let stored = hash(scheme, "secret", &SALT);
            assert!(verify(&stored, "secret"));
            for wrong in ["", "Secret", "secret ", "secre"] {
                assert!(!verify(&stored, wrong));
            }
            assert!(!verify(&stored[..stored.len() - 1], "secret"));
        }
    }

    #[test]
    fn what_was_stored_in_another_way_is_still_read() {
        for (stored, site) in [(SHA256_ABC, Scheme::Pbkdf2(3)), (PBKDF2_ABC, Scheme::Sha256)] {
            assert!(check(site, Some(stored), "abc") && !check(site, Some(stored), "abd"));
        }
        assert!(!check(Scheme::Pbkdf2(3), None, "abc"));
    }

    #[test]
    fn unknown_forms_verify_nothing() {
        for stored in ["", "plain", "md5$a$b", "sha256$$", "pbkdf2$0$aa$bb", "pbkdf2$x$aa$bb", "sha256$aa"] {
            assert!(!verify(stored, ""), "{stored}");
        }
    }
}
