//! The client's side of one HTTP/2 connection: received bytes go in; answers, and bytes to send, come out. No
//! socket, no clock.
//!
//! nghttp2 reads and writes the frames, HPACK included, and holds the server to the rules of RFC 9113. This
//! crate opens streams, keeps what comes on them within bounds, and says in words what went wrong. Servers may
//! not push.
//!
//! ```
//! use loadstone_h2::{Client, Fields, Keep};
//! let mut client = Client::new();
//! let mut fields = Fields::default();
//! for (name, value) in [(":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "/")] {
//!     fields.push(name.as_bytes(), value.as_bytes());
//! }
//! client.open(&fields, None, Keep::All, 7).unwrap();
//! let mut out = Vec::new();
//! client.write(&mut out, usize::MAX);
//! assert!(out.starts_with(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
//! assert!(client.next_done().is_none());
//! ```

mod callbacks;
mod client;
mod fields;
mod state;
mod stream;
mod words;

pub use client::Client;
pub use fields::Fields;
pub use state::Signal;
pub use stream::{Answer, Done, Keep, Lost, StreamKey, Upload};

/// Longest head that is accepted: its fields, each with 32 bytes for its entry (RFC 9113 §6.5.2).
pub const MOST_HEAD: usize = 64 << 10;
/// Largest body that is kept.
pub const MOST_BODY: usize = 64 << 20;
/// Most interim heads (100 to 199) before the final one.
pub const MOST_INTERIM: u8 = 16;
/// Most frames in a row that bring nothing: no head, no content.
pub const MOST_EMPTY: u32 = 500;
/// Most bytes in a row that bring nothing; frames of unknown types are not told one by one.
pub const MOST_EMPTY_BYTES: usize = 1 << 20;
/// What a server may send on one stream before it is told that it was read; as Chromium has it.
pub const STREAM_WINDOW: u32 = 6 << 20;
/// The same for all streams of a connection.
pub const CONNECTION_WINDOW: u32 = 15 << 20;
