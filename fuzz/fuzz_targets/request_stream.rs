//! Requests one behind the other, with their bodies, read the same however the bytes are cut: a difference is a
//! request smuggled.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_http::{ChunkedDecoder, Limits, ParseStatus, RequestFraming, RequestHead};

/// What a server makes of a connection's bytes: its requests (method, target, fields, body), then the refusal if there is one.
type Reading = (Vec<(String, Vec<u8>, Vec<u8>)>, Option<u16>);

/// Reads as the container does: a head as a whole, a body as it comes.
fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Reading {
    let limits = Limits { body_bytes: 1 << 16, ..Limits::default() };
    let (mut input, mut requests) = (Vec::new(), Vec::new());
    let mut chunks: Option<(ChunkedDecoder, Vec<u8>)> = None;
    for piece in pieces {
        input.extend_from_slice(piece);
        loop {
            let (head, length) = match RequestHead::parse(&input, &limits) {
                ParseStatus::Complete(head, length) => (head, length),
                ParseStatus::Incomplete => break,
                ParseStatus::Bad(status, _) => return (requests, Some(status)),
            };
            let (body, end) = match head.framing {
                RequestFraming::Length(bytes) => {
                    let end = length + bytes as usize;
                    let Some(body) = input.get(length..end) else { break };
                    (body.to_vec(), end)
                }
                RequestFraming::Chunked => {
                    let (decoder, body) = chunks.get_or_insert_with(Default::default);
                    let used = match decoder.decode(&input[length..], |data| body.extend_from_slice(data)) {
                        Ok(used) => used,
                        Err(_) => return (requests, Some(400)),
                    };
                    if body.len() as u64 + decoder.remaining_in_chunk() > limits.body_bytes {
                        return (requests, Some(413));
                    }
                    if !decoder.is_done() {
                        input.truncate(length);
                        break;
                    }
                    (chunks.take().expect("it was just used").1, length + used)
                }
            };
            let request = head.request(&input[..length], &body);
            let line = format!("{} {}", request.method.as_str(), request.target);
            requests.push((line, request.headers.as_bytes().to_vec(), body));
            input.drain(..end);
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
