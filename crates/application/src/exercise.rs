//! An application without a server, for its tests and for a fuzzer: its database is in memory, and a
//! connection is bytes in, bytes out.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use loadstone_http::{Composer, Conversation, Handler, Limits, Need, Service};
#[cfg(feature = "store")]
use {
    crate::Database,
    alloc::format,
    core::sync::atomic::{AtomicU32, Ordering},
    loadstone_store::Options,
    loadstone_store::vfs::{MemoryVfs, register},
};

use crate::{Open, Surroundings, process};

/// Opens the application with an empty database in memory, and words of its command line.
///
/// # Errors
/// As the application's own function, and for a word that it does not know.
pub fn opened(name: &str, words: &[(&str, &str)], open: Open) -> Result<Box<dyn Service>, String> {
    let words = words.iter().map(|(key, value)| (key.to_string(), value.to_string()));
    #[cfg(feature = "store")]
    return Surroundings::new(name, words, process::HOST, || in_memory(name)).open(open);
    #[cfg(not(feature = "store"))]
    Surroundings::new(name, words, process::HOST).open(open)
}

/// A database that nobody else has. What it holds is freed with the process.
#[cfg(feature = "store")]
pub(crate) fn in_memory(name: &str) -> Result<Database, String> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let vfs = format!("{name} {}", NEXT.fetch_add(1, Ordering::Relaxed));
    register(&vfs, MemoryVfs::new()).map_err(|error| error.to_string())?;
    Ok(Database::new(format!("{name}.db"), Options { vfs: Some(vfs), ..Options::memory() }))
}

/// What a server sends to a client that sends `received` and then nothing more: the answers, whole.
///
/// ```
/// use loadstone_application::exercise::exchanged;
/// use loadstone_http::{Handler, Request, Response};
/// struct Hello;
/// impl Handler for Hello {
///     fn handle(&mut self, _: &Request<'_>, response: &mut Response) {
///         response.text("hello");
///     }
/// }
/// let sent = exchanged(&mut Hello, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
/// assert!(sent.starts_with(b"HTTP/1.1 200 OK\r\n") && sent.ends_with(b"\r\n\r\nhello"));
/// ```
pub fn exchanged(handler: &mut dyn Handler, received: &[u8]) -> Vec<u8> {
    let (mut talk, mut composer, limits) = (Conversation::new(), Composer::new(0), Limits::default());
    let mut sent = Vec::new();
    talk.room().extend_from_slice(received);
    talk.received(&limits);
    talk.end();
    loop {
        match talk.need() {
            Need::Answer => talk.answer(
                &mut composer,
                false,
                |request, response| handler.handle(request, response),
                |_, _| {},
            ),
            Need::Refusal(status) => talk.refuse(status, &mut composer),
            Need::Room => {
                let unsent = talk.unsent().map(|unsent| [unsent.head, unsent.body.as_slice()].concat());
                let unsent = unsent.unwrap_or_default();
                talk.sent(unsent.len(), false, &mut composer, &limits);
                sent.extend(unsent);
            }
            Need::Content => {
                if talk.refill().is_err() {
                    return sent;
                }
            }
            Need::Bytes(_) | Need::Close | Need::Linger => return sent,
        }
    }
}
