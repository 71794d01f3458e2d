//! HTTP/1.1 as data: bytes in, messages out. No sockets, no clock, no threads, no standard library
//! (the feature `std` adds bodies that are parts of open files).
//!
//! | who | reads | writes |
//! |---|---|---|
//! | a server | [`Conversation`], which is [`RequestHead::parse`] and [`ChunkedDecoder`] over a connection's bytes | with a [`Composer`], which is [`write_response_head`] and a stream's chunks |
//! | a client | [`ResponseHead::parse`], [`ChunkedDecoder`] | requests of its own, with [`MultipartWriter`] |
//! | an application | [`Request`] | [`Response`] |
//!
//! The server side is strict (RFC 9112): what two parsers could read differently is refused. Head and
//! header fields stay where they were received; nothing is copied and nothing is allocated to parse them.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod answering;
mod authority;
mod characters;
mod chunked;
mod client_codec;
mod composer;
mod conditional;
mod conversation;
mod cookie;
mod date;
mod encoding;
mod headers;
mod intake;
mod method;
mod multipart;
mod outgoing;
mod percent;
mod range;
mod request;
mod response;
mod server_codec;
mod service;
mod status;
mod stream;

pub use answering::{CONTINUE, answer_absence, answer_failure};
pub use chunked::{ChunkError, ChunkedDecoder};
pub use client_codec::{BadResponse, BodyFraming, ResponseHead};
pub use composer::Composer;
pub use conditional::{Validators, Verdict};
pub use conversation::{Awaited, Conversation, Need};
pub use cookie::{Cookies, SetCookie};
pub use date::{DATE_LEN, format_date, parse_date};
pub use headers::Headers;
pub use method::{Method, Version};
pub use multipart::{Multipart, MultipartError, MultipartWriter, Part};
pub use outgoing::Unsent;
pub use percent::percent_encode;
pub use range::Wanted;
pub use request::Request;
#[cfg(feature = "std")]
pub use response::FilePart;
pub use response::{Body, Response};
pub use server_codec::{
    Limits, ParseStatus, RequestFraming, RequestHead, ResponseContext, write_response_head,
};
pub use service::{Handler, Service};
pub use status::reason_phrase;
pub use stream::{Produce, Stream};
