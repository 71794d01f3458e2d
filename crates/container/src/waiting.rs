//! What a client may let a server wait for; each has a time of its own.

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// The rest of a request's head, or the first request.
    Head,
    /// The rest of a request's body.
    Body,
    /// Another request.
    Idle,
    /// Room in the socket for the rest of a response.
    Write,
    /// Its turn: the first request is here, but others come first.
    Turn,
    /// The client to see the end of the last response and close.
    Linger,
}
