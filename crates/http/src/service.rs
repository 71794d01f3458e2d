//! What an application is to a server: a [`Service`] hands out one [`Handler`] per worker.
//!
//! The application sees complete requests and returns complete responses. It cannot tell which
//! connector, process or machine serves it, so it owns no sockets, threads or clock.

use alloc::boxed::Box;
use alloc::string::String;

use crate::{Request, Response};

/// An application: shared, immutable state from which every worker gets a handler of its own.
///
/// A handler owns what must not be shared between threads (a database connection, scratch buffers);
/// what is shared (caches, counters) lives in the service behind the handlers.
pub trait Service: Send + Sync {
    /// A new handler, made once for each worker before it serves its first request.
    ///
    /// # Errors
    /// A sentence for the operator when the application cannot start (its database cannot be opened).
    fn handler(&self) -> Result<Box<dyn Handler>, String>;

    /// Files that it may keep open between requests, at most: so many fewer connections there can be.
    fn open_files(&self) -> usize {
        0
    }
}

/// Serves one request at a time; may block.
pub trait Handler: Send {
    /// Answers `request` by filling `response`, which arrives empty with status 200.
    fn handle(&mut self, request: &Request<'_>, response: &mut Response);
}
