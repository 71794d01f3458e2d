//! What can be wrong, by kind: callers tell people different things of each.

use std::fmt;

/// `Result` of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why nothing was injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No program is there, or it cannot be executed here.
    Program,
    /// The program lacks the symbols that were asked for.
    Symbols,
    /// The program does not end within its limit.
    Endless,
    /// The program executes more instructions than the limit.
    Long,
    /// The program gives another answer each time.
    Unsteady,
    /// The program starts threads or processes.
    Threads,
    /// The system does not let us trace.
    Ptrace,
    /// Not this processor or system.
    Machine,
    /// Somebody asked to stop.
    Stopped,
    /// The system failed us.
    System,
}

impl Kind {
    /// As Python knows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Program => "program",
            Self::Symbols => "symbols",
            Self::Endless => "endless",
            Self::Long => "long",
            Self::Unsteady => "unsteady",
            Self::Threads => "threads",
            Self::Ptrace => "ptrace",
            Self::Machine => "machine",
            Self::Stopped => "stopped",
            Self::System => "system",
        }
    }
}

/// A kind and a sentence.
#[derive(Clone, Debug)]
pub struct Error {
    /// What sort of thing is wrong.
    pub kind: Kind,
    /// A sentence for people.
    pub message: String,
}

impl Error {
    /// An error of this kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What the last call of the system said, after `what` we did.
    pub fn last(what: &str) -> Self {
        Self::new(Kind::System, format!("{what}: {}", std::io::Error::last_os_error()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, form: &mut fmt::Formatter<'_>) -> fmt::Result {
        form.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::new(Kind::System, error.to_string())
    }
}
