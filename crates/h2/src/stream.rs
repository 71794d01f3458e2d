//! One request and its answer.

/// What of a body is kept to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Nothing; its bytes are counted.
    Nothing,
    /// A body with a content coding, whose length says nothing of the content.
    Coded,
    /// All of it.
    All,
}

/// The body of a request.
pub trait Upload {
    /// Writes the next bytes to `buffer`; how many, and whether that was all.
    fn read(&mut self, buffer: &mut [u8]) -> (usize, bool);
}

/// A stream of a [`crate::Client`]; void once the stream is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamKey(pub(crate) u32);

/// What came on a stream.
#[derive(Debug, Default)]
pub struct Answer {
    /// Status of the final head; 0 before it came.
    pub status: u16,
    /// Its fields as lines `name: value`, each ending in CRLF.
    pub head: Vec<u8>,
    /// The body as far as it is kept.
    pub body: Vec<u8>,
    /// Bytes of the body, kept or not.
    pub length: u64,
}

impl Answer {
    /// Whether nothing of it has arrived.
    pub fn is_untouched(&self) -> bool {
        self.status == 0 && self.head.is_empty()
    }
}

/// A stream that is done.
#[derive(Debug)]
pub struct Done {
    /// What it was opened with.
    pub tag: u64,
    /// Whether the answer is whole.
    pub outcome: Result<(), Lost>,
    /// It, or what of it had come.
    pub answer: Answer,
    /// Bytes of the stream's frames with heads and content, both ways.
    pub received: u64,
    /// As above.
    pub sent: u64,
    /// When its answer, an interim one included, began to come: as [`crate::Client::set_now`] had it then.
    pub first: Option<u64>,
}

/// Why there is no whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// The server says that it has not looked at the request: it may be sent again.
    Unprocessed(String),
    /// The server, or the connection, ended the stream.
    Ended(String),
    /// What the server sent is not HTTP/2, or beyond the limits.
    Wrong(String),
}

/// A stream as long as nghttp2 knows it.
#[derive(Default)]
pub(crate) struct Stream {
    pub tag: u64,
    pub id: i32,
    pub phase: Phase,
    pub keep: bool,
    /// Only a body with a coding is kept.
    pub only_coded: bool,
    pub interim: u8,
    /// The final head is whole.
    pub has_head: bool,
    /// Of the fields, each with its entry.
    pub head_size: usize,
    pub answer: Answer,
    /// The server reset it.
    pub reset: bool,
    /// What is wrong with it beyond the rules of HTTP/2.
    pub fault: Option<&'static str>,
    pub upload: Option<Box<dyn Upload>>,
    pub received: u64,
    pub sent: u64,
    /// When its first head began to come.
    pub first: Option<u64>,
}

/// How far a stream is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// There is none.
    #[default]
    Free,
    /// Its answer is awaited.
    Open,
    /// Its answer was handed out, or is not wanted any more; nghttp2 still knows it.
    Over,
}
