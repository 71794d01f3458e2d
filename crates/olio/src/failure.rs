//! Why a request gets an error page.

use alloc::string::{String, ToString};

use loadstone_web::params::BadForm;

use crate::host::HostError;
use crate::route::NoRoute;

/// What went wrong.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request cannot be read.
    BadRequest,
    /// Somebody else's, or a form without its token.
    Forbidden,
    /// Nobody is logged in.
    LoginNeeded,
    /// Nothing here.
    NotFound,
    /// Another method is needed; the allowed ones.
    MethodNotAllowed(&'static str),
    /// The database failed.
    Store(loadstone_store::Error),
    /// The surroundings failed.
    Host(HostError),
}

impl Failure {
    /// The status code.
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Forbidden | Self::LoginNeeded => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed(_) => 405,
            // What the change refers to has vanished since it was looked at.
            Self::Store(error) if error.is_foreign_key() => 404,
            Self::Store(error) if error.is_busy() || error.is_unavailable() => 503,
            // No room for an upload, or no medium: that may pass.
            Self::Host(_) => 503,
            Self::Store(_) => 500,
        }
    }

    /// What the operator should read, when it is the site's fault: what vanished while somebody acted on it
    /// is nobody's.
    pub(crate) fn sentence(&self) -> Option<String> {
        match self {
            Self::Store(error) if self.status() >= 500 => Some(error.to_string()),
            Self::Host(error) => Some(error.to_string()),
            _ => None,
        }
    }
}

impl From<loadstone_store::Error> for Failure {
    fn from(error: loadstone_store::Error) -> Self {
        Self::Store(error)
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        Self::Host(error)
    }
}

impl From<BadForm> for Failure {
    fn from(_: BadForm) -> Self {
        Self::BadRequest
    }
}

impl From<NoRoute> for Failure {
    fn from(none: NoRoute) -> Self {
        match none {
            NoRoute::NotFound => Self::NotFound,
            NoRoute::MethodNotAllowed(allowed) => Self::MethodNotAllowed(allowed),
        }
    }
}
