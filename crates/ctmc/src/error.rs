//! What can be wrong with a model or a question.

use std::fmt;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Error {
    /// A mistake in a model's text; lines and columns count from 1.
    Text {
        /// Line of the mistake.
        line: usize,
        /// Column of the mistake, in characters.
        column: usize,
        /// What is wrong, as a sentence without its full stop.
        message: String,
    },
    /// The chain or the question does not make sense.
    Input(String),
    /// The state space is larger than allowed.
    TooLarge(String),
    /// The time that was given is over, or somebody stopped it: what was being done.
    Stopped(String),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text { line, column, message } => write!(out, "{line}:{column}: {message}"),
            Self::Input(message) | Self::TooLarge(message) | Self::Stopped(message) => out.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An `Error::Input` as a result.
pub fn refuse<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::Input(message.into()))
}
