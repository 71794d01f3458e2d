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
            Self::Store(loadstone_store::Error { kind, .. }) | Self::Host(HostError { kind, .. }) => {
                kind.status()
            }
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

#[cfg(test)]
mod tests {
    use loadstone_store::{Error, Kind};

    use super::*;
    use crate::page::error::words;

    #[test]
    fn want_of_room_is_not_told_as_a_crowd_and_rot_not_as_something_that_passes() {
        for (kind, status, word) in
            [(Kind::Full, 507, "room"), (Kind::Busy, 503, "people"), (Kind::Other, 500, "ours")]
        {
            let sentence = String::from("it failed");
            let of_store = Failure::from(Error { kind, ..Error::other("it failed") });
            let of_host = Failure::from(HostError { kind, sentence });
            assert_eq!((of_store.status(), of_host.status()), (status, status), "{kind:?}");
            assert!(words(status).1.contains(word), "{status}: {}", words(status).1);
        }
    }
}
