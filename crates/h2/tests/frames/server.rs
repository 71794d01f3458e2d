//! Frames of a server, byte by byte.

use loadstone_h2::{Client, Done, Fields, Keep};

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const PRIORITY: u8 = 2;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PUSH_PROMISE: u8 = 5;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

pub const END_STREAM: u8 = 1;
pub const ACK: u8 = 1;
pub const END_HEADERS: u8 = 4;
pub const PADDED: u8 = 8;

/// `:status: 200` in HPACK's static table.
pub const OK: &[u8] = &[0x88];

pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut out = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    out.extend([kind, flags]);
    out.extend(stream.to_be_bytes());
    out.extend(payload);
    out
}

/// A field in HPACK that nobody keeps: its name and value as they are.
pub fn field(name: &str, value: &str) -> Vec<u8> {
    let mut out = vec![0];
    for text in [name, value] {
        // Lengths from 127 on continue in further bytes.
        if text.len() < 127 {
            out.push(text.len() as u8);
        } else {
            out.push(127);
            let mut rest = text.len() - 127;
            while rest >= 128 {
                out.push((rest % 128 + 128) as u8);
                rest /= 128;
            }
            out.push(rest as u8);
        }
        out.extend(text.as_bytes());
    }
    out
}

/// A client that has sent `requests`, and what it sent.
pub fn client(requests: u64, keep: Keep) -> (Client, Vec<u8>) {
    let mut client = Client::new();
    for tag in 0..requests {
        ask(&mut client, tag, keep);
    }
    let sent = written(&mut client);
    client.feed(&frame(SETTINGS, 0, 0, &[]));
    client.feed(&frame(SETTINGS, ACK, 0, &[]));
    (client, sent)
}

pub fn get() -> Fields {
    let mut fields = Fields::default();
    for (name, value) in [(":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "/p")] {
        fields.push(name.as_bytes(), value.as_bytes());
    }
    fields.push(b"User-Agent", b"loadstone");
    fields
}

pub fn ask(client: &mut Client, tag: u64, keep: Keep) {
    client.open(&get(), None, keep, tag).unwrap();
}

pub fn written(client: &mut Client) -> Vec<u8> {
    let mut out = Vec::new();
    client.write(&mut out, usize::MAX);
    out
}

/// All that is done.
pub fn done(client: &mut Client) -> Vec<Done> {
    std::iter::from_fn(|| client.next_done()).collect()
}

/// The frames in `bytes`: type, flags, stream and payload.
pub fn frames(mut bytes: &[u8]) -> Vec<(u8, u8, u32, Vec<u8>)> {
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    bytes = bytes.strip_prefix(preface).unwrap_or(bytes);
    let mut found = Vec::new();
    while let Some((head, rest)) = bytes.split_at_checked(9) {
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        let stream = u32::from_be_bytes(head[5..9].try_into().unwrap());
        found.push((head[3], head[4], stream, rest[..length].to_vec()));
        bytes = &rest[length..];
    }
    found
}
