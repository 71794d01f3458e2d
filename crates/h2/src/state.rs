//! What the callbacks of a connection share: its streams, what is done, what went wrong.

use std::collections::VecDeque;

use libnghttp2_sys::nghttp2_nv;

use crate::stream::{Answer, Done, Lost, Phase, Stream};

/// A buffer that grew beyond this is given back to the allocator.
const KEPT_CAPACITY: usize = 64 << 10;
/// Most buffers of answers that wait to be used again.
const MOST_SPARE: usize = 8;
/// Most signals that wait to be read; a hostile server can send any number.
const MOST_SIGNALS: usize = 4_096;

/// A frame by which one side gave up a stream or the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    /// The server sent it.
    pub received: bool,
    /// `RST_STREAM` or `GOAWAY`.
    pub frame: &'static str,
    /// Name of its code.
    pub code: String,
}

/// The state of a connection.
#[derive(Default)]
pub(crate) struct State {
    pub streams: Vec<Stream>,
    free: Vec<u32>,
    /// The stream that was looked up last, by its identifier.
    pub last: (i32, u32),
    pub open: u32,
    pub done: VecDeque<Done>,
    pub spare: Vec<Answer>,
    pub signals: Vec<Signal>,
    /// nghttp2's last sentence on what is wrong.
    pub complaint: Option<String>,
    /// What is wrong with the connection.
    pub fault: Option<String>,
    /// What the server said as it ended the connection.
    pub farewell: Option<String>,
    /// The server wants no more requests.
    pub leaving: bool,
    /// Something was received.
    pub heard: bool,
    /// The owner's clock when what is read now was received.
    pub now: u64,
    /// Frames in a row that brought nothing.
    pub empty: u32,
    /// Bytes since the last frame that brought something.
    pub empty_bytes: usize,
    /// Scratch of requests.
    pub pairs: Vec<nghttp2_nv>,
}

impl State {
    /// Room for a stream.
    pub(crate) fn admit(&mut self) -> u32 {
        let key = self.free.pop().unwrap_or_else(|| {
            self.streams.push(Stream::default());
            self.streams.len() as u32 - 1
        });
        self.open += 1;
        let stream = &mut self.streams[key as usize];
        *stream =
            Stream { phase: Phase::Open, answer: self.spare.pop().unwrap_or_default(), ..Stream::default() };
        key
    }

    /// The stream is done: its answer goes out.
    pub(crate) fn finish(&mut self, key: u32, outcome: Result<(), Lost>) {
        let stream = &mut self.streams[key as usize];
        if stream.phase != Phase::Open {
            return;
        }
        stream.phase = Phase::Over;
        self.open -= 1;
        self.done.push_back(Done {
            tag: stream.tag,
            outcome,
            answer: std::mem::take(&mut stream.answer),
            received: stream.received,
            sent: stream.sent,
            first: stream.first,
        });
    }

    /// Nobody waits for the stream any more.
    pub(crate) fn give_up(&mut self, key: u32) {
        let stream = &mut self.streams[key as usize];
        if stream.phase == Phase::Open {
            stream.phase = Phase::Over;
            self.open -= 1;
        }
    }

    /// nghttp2 has forgotten the stream.
    pub(crate) fn forget(&mut self, key: u32) {
        let stream = &mut self.streams[key as usize];
        if stream.phase == Phase::Free {
            return;
        }
        stream.phase = Phase::Free;
        stream.upload = None;
        let answer = std::mem::take(&mut stream.answer);
        self.recycle(answer);
        self.free.push(key);
        self.last = (0, 0);
    }

    /// Something came, or was asked for.
    pub(crate) fn progress(&mut self) {
        (self.empty, self.empty_bytes) = (0, 0);
    }

    /// Keeps the buffers of an answer.
    pub(crate) fn recycle(&mut self, mut answer: Answer) {
        if self.spare.len() < MOST_SPARE && answer.body.capacity() <= KEPT_CAPACITY {
            answer.status = 0;
            answer.length = 0;
            answer.head.clear();
            answer.body.clear();
            self.spare.push(answer);
        }
    }

    pub(crate) fn signal(&mut self, received: bool, frame: &'static str, code: u32) {
        if self.signals.len() < MOST_SIGNALS {
            self.signals.push(Signal { received, frame, code: crate::words::code(code) });
        }
    }
}
