//! What the application needs from its surroundings: a clock, entropy, a place for uploads, a cache.
//!
//! A process, a test and an appliance each bring their own; the application cannot tell them apart.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

use loadstone_http::{Body, Stream};
use loadstone_store::Kind;

mod bounded;
#[cfg(feature = "std")]
mod cache;
#[cfg(feature = "std")]
mod file;
#[cfg(feature = "std")]
mod memory;
mod parts;
mod rows;
#[cfg(feature = "std")]
mod shared;
mod table;

#[cfg(feature = "std")]
pub use file::FileHost;
#[cfg(feature = "std")]
pub use memory::MemoryHost;
pub use parts::Rest;
#[cfg(feature = "std")]
pub use shared::SharedHost;
pub use table::{Surroundings, TableHost};

/// The surroundings of the application, shared by all workers.
pub trait Host: Send + Sync {
    /// Wall-clock time in seconds since 1970: for the expiry of sessions and HTTP's Date, never for content,
    /// which lives in the data set's own time.
    fn now_s(&self) -> u64;

    /// Fills `bytes` with unpredictable bytes, fit for session ids and salts.
    fn entropy(&self, bytes: &mut [u8]);

    /// Stores an uploaded file under `name`, replacing one of that name: all of it or nothing.
    ///
    /// `name` is one that [`crate::media::Name`] made from an id, never text from a request.
    ///
    /// # Errors
    /// When there is no room or the medium fails.
    fn media_put(&self, name: &str, bytes: &[u8]) -> Result<(), HostError>;

    /// An uploaded file; none when nothing was stored under `name`.
    ///
    /// # Errors
    /// When the medium fails.
    fn media_get(&self, name: &str) -> Result<Option<StoredFile>, HostError>;

    /// Forgets an uploaded file; nothing happens when there is none.
    ///
    /// # Errors
    /// When the medium fails.
    fn media_remove(&self, name: &str) -> Result<(), HostError>;

    /// A value of the shared cache that is younger than its time to live.
    fn cache_get(&self, key: &str) -> Option<Arc<[u8]>>;

    /// Keeps `value` for at most `ttl_s` seconds; the bounded cache may drop it earlier.
    fn cache_put(&self, key: &str, value: Arc<[u8]>, ttl_s: u32);

    /// Drops a value from the cache at once.
    fn cache_remove(&self, key: &str);

    /// Tells the operator about what is the site's own fault, in a sentence. A process says it on standard
    /// error.
    fn report(&self, sentence: &str) {
        #[cfg(feature = "std")]
        std::eprintln!("olio: {sentence}");
        #[cfg(not(feature = "std"))]
        let _ = sentence;
    }
}

/// An uploaded file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// Its content, or what that begins with.
    pub bytes: Arc<[u8]>,
    /// What follows, where the file is too large to be in memory as a whole.
    pub rest: Option<Rest>,
    /// Changes whenever the content under the name changes; feeds the entity tag.
    pub stamp: u64,
}

impl StoredFile {
    /// A file that is in memory as a whole.
    pub fn whole(bytes: impl Into<Arc<[u8]>>, stamp: u64) -> Self {
        Self { bytes: bytes.into(), rest: None, stamp }
    }
}

/// The content of a file that begins with `bytes`, to be sent.
pub(crate) fn body(bytes: Arc<[u8]>, rest: Option<Rest>) -> Body {
    match rest {
        None => bytes.into(),
        Some(rest) => {
            let all = bytes.len() as u64 + rest.bytes;
            Body::Stream(Stream::of_length(parts::Parts::new(bytes, rest), all))
        }
    }
}

/// The surroundings failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostError {
    /// What it means.
    pub kind: Kind,
    /// A sentence for the operator's log.
    pub sentence: String,
}

impl HostError {
    /// Something else failed than a lack of room or of a server.
    #[cfg(feature = "std")]
    pub(crate) fn other(sentence: String) -> Self {
        Self { kind: Kind::Other, sentence }
    }

    /// The database at `place` failed.
    pub(crate) fn of_store(place: &str, error: &loadstone_store::Error) -> Self {
        Self { kind: error.kind, sentence: format!("{place}: {error}") }
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl core::error::Error for HostError {}
