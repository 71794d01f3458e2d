//! Why a plan cannot be run.

use std::fmt;

/// What is wrong with a plan; each is a sentence without its full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The plan's text has not the structure of one.
    Malformed(String),
    /// A name that cannot be one, that nothing defines, or that stands for something else.
    Name(String),
    /// A number out of its range, or too few or too many of something.
    Range(String),
    /// A template, pattern or other text that cannot be read.
    Text(String),
    /// Parts that do not go together.
    Conflict(String),
    /// Something in a part of the plan.
    At {
        /// Which part, with the punctuation that leads on from it.
        place: String,
        /// What is wrong there.
        error: Box<Error>,
    },
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// The same, in `place`.
    pub(crate) fn at(self, place: impl Into<String>) -> Self {
        Self::At { place: place.into(), error: Box::new(self) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(said)
            | Self::Name(said)
            | Self::Range(said)
            | Self::Text(said)
            | Self::Conflict(said) => out.write_str(said),
            Self::At { place, error } => write!(out, "{place}{error}"),
        }
    }
}

impl std::error::Error for Error {}

/// The sentence, for those who only pass it on.
impl From<Error> for String {
    fn from(error: Error) -> Self {
        error.to_string()
    }
}
