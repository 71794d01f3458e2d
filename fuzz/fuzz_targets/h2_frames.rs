//! Whatever a server sends on an HTTP/2 connection: each request ends at most once, and nothing grows without end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loadstone_h2::{Client, Fields, Keep, Lost, MOST_HEAD, Upload};

const REQUESTS: u64 = 4;
/// Most bytes that are kept for each byte received: what HPACK can unpack from one.
const MOST_UNPACKED: usize = 4_200;

struct Body(usize);

impl Upload for Body {
    fn read(&mut self, buffer: &mut [u8]) -> (usize, bool) {
        let length = buffer.len().min(self.0);
        buffer[..length].fill(b'x');
        self.0 -= length;
        (length, self.0 == 0)
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&cut, bytes)) = bytes.split_first() else { return };
    let mut fields = Fields::default();
    for (name, value) in [(":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "/")] {
        fields.push(name.as_bytes(), value.as_bytes());
    }
    let mut client = Client::new();
    let keeps = [Keep::All, Keep::Nothing, Keep::Coded, Keep::All];
    for (tag, keep) in (0..REQUESTS).zip(keeps) {
        let body = (tag == 3).then(|| Box::new(Body(200_000)) as Box<dyn Upload>);
        client.open(&fields, body, keep, tag).expect("nothing was received yet");
    }
    let (mut out, mut ended) = (Vec::new(), [false; REQUESTS as usize]);
    client.write(&mut out, usize::MAX);
    let mut collect = |client: &mut Client| {
        while let Some(done) = client.next_done() {
            let tag = done.tag as usize;
            assert!(!std::mem::replace(&mut ended[tag], true), "request {tag} ended twice");
            assert!(done.answer.head.len() <= MOST_HEAD);
            assert!(done.answer.body.len() <= bytes.len() && done.answer.length <= bytes.len() as u64);
            assert!(done.outcome.is_err() || done.answer.status >= 200);
            client.recycle(done.answer);
        }
    };
    for piece in bytes.chunks(usize::from(cut) + 1) {
        client.feed(piece);
        out.clear();
        client.write(&mut out, usize::MAX);
        assert!(out.len() <= 300_000 + MOST_UNPACKED * piece.len());
        collect(&mut client);
        if client.is_over() {
            break;
        }
    }
    client.abandon(&Lost::Ended("the end".into()));
    collect(&mut client);
    assert_eq!(client.open_streams(), 0);
    assert!(ended.iter().all(|ended| *ended), "a request was never told of its end");
});
