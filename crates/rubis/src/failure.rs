//! Why a request gets another page than the one it asked for.

use alloc::string::{String, ToString};

use loadstone_web::params::BadForm;

/// What went wrong.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request cannot be read.
    BadRequest,
    /// A form without its token.
    Forbidden,
    /// No page at this address.
    NotFound,
    /// Another method is needed; the allowed ones.
    MethodNotAllowed(&'static str),
    /// Understood, and it cannot be done: a status and a sentence that goes on from "Sorry, ".
    Sorry(u16, String),
    /// The database failed.
    Store(loadstone_store::Error),
}

impl Failure {
    /// There is nothing of that name: a sentence that goes on from "Sorry, ".
    pub(crate) fn no_such(sentence: impl Into<String>) -> Self {
        Self::Sorry(404, sentence.into())
    }

    /// It is against the rules: a sentence that goes on from "Sorry, ".
    pub(crate) fn refused(sentence: impl Into<String>) -> Self {
        Self::Sorry(422, sentence.into())
    }

    /// The status code.
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed(_) => 405,
            Self::Sorry(status, _) => *status,
            Self::Store(error) => error.kind.status(),
        }
    }

    /// What the operator should read, when it is the site's fault.
    pub(crate) fn sentence(&self) -> Option<String> {
        match self {
            Self::Store(error) => Some(error.to_string()),
            _ => None,
        }
    }
}

impl From<loadstone_store::Error> for Failure {
    fn from(error: loadstone_store::Error) -> Self {
        Self::Store(error)
    }
}

impl From<BadForm> for Failure {
    fn from(_: BadForm) -> Self {
        Self::BadRequest
    }
}
