//! Requests one behind the other, with their bodies, read the same however the bytes are cut: a difference is
//! a request smuggled.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_http::{Composer, Conversation, Limits, Need};

/// What a server makes of a connection's bytes: its requests (method, target, fields, body), then the refusal
/// if there is one.
type Reading = (Vec<(String, Vec<u8>, Vec<u8>)>, Option<u16>);

/// Reads as every server does.
fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Reading {
    let limits = Limits { body_bytes: 1 << 16, ..Limits::default() };
    let (mut talk, mut composer, mut requests) = (Conversation::new(), Composer::new(0), Vec::new());
    for piece in pieces {
        talk.room().extend_from_slice(piece);
        talk.received(&limits);
        loop {
            match talk.need() {
                Need::Answer => {
                    if let Some(request) = talk.request() {
                        let line = format!("{} {}", request.method.as_str(), request.target);
                        requests.push((line, request.headers.as_bytes().to_vec(), request.body.to_vec()));
                    }
                    talk.answer(&mut composer, false, |_, _| {}, |_, _| {});
                }
                Need::Room => {
                    let all = talk.unsent().map_or(0, |unsent| unsent.head.len() + unsent.body.len());
                    talk.sent(all, false, &mut composer, &limits);
                }
                Need::Refusal(status) => return (requests, Some(status)),
                Need::Bytes(_) => break,
                Need::Content | Need::Close | Need::Linger => return (requests, None),
            }
        }
    }
    (requests, None)
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&size, stream)) = bytes.split_first() else { return };
    let whole = read(std::iter::once(stream));
    assert_eq!(whole, read(stream.chunks(usize::from(size).max(1))));
    assert_eq!(whole, read(stream.chunks(1)));
});
