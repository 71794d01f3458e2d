//! For whom a site runs: for a load test, or for people.

use crate::password::Scheme;

/// Rounds of PBKDF2-HMAC-SHA256 that make guessing a stored password dear: what OWASP asks for (Password
/// Storage Cheat Sheet, 2023).
pub const ROUNDS: u32 = 600_000;

/// What a site lets its users do, and what it pays for their safety.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rules {
    /// As the published benchmarks have it: a log-in costs one hash, nobody is counted, and whatever the
    /// workload's users do is allowed.
    #[default]
    Benchmark,
    /// As a site on the open network needs it: passwords are dear to guess, wrong ones are counted, a session
    /// ends with its log-out also for a copy of its cookies, and a rating needs a sale.
    Public,
}

impl Rules {
    /// Reads `benchmark` or `public`.
    ///
    /// ```
    /// use loadstone_web::rules::Rules;
    /// assert_eq!(Rules::parse("public"), Some(Rules::Public));
    /// assert_eq!(Rules::parse("strict"), None);
    /// ```
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "benchmark" => Some(Self::Benchmark),
            "public" => Some(Self::Public),
            _ => None,
        }
    }

    /// Whether they are those for people.
    pub fn are_public(self) -> bool {
        self == Self::Public
    }

    /// How new passwords are hashed where nothing else is said.
    pub fn passwords(self) -> Scheme {
        match self {
            Self::Benchmark => Scheme::Sha256,
            Self::Public => Scheme::Pbkdf2(ROUNDS),
        }
    }
}
