//! Reads one answer from pieces as they arrive. An answer that arrives whole is looked at where it was
//! received; nothing is copied unless a piece ends inside something that must be seen whole.

use loadstone_http::{BodyFraming, ChunkError, ChunkedDecoder, Headers, Method, ResponseHead};

/// Longest head that is accepted.
const MAX_HEAD: usize = 64 << 10;
/// The same limit, however the network cuts the head.
const HEAD_TOO_LONG: &str = "the head is longer than 64 KiB";
/// Largest body that is looked at; a larger one is a mistake of the scenario and ends the operation.
const MAX_COLLECTED: usize = 64 << 20;
const BODY_TOO_LARGE: &str = "the body is larger than 64 MiB";

/// Which part of an answer a reader is in.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Reader {
    /// In the head.
    #[default]
    Head,
    /// In the body.
    Body { rest: Rest, status: u16, keep_alive: bool, collect: bool, length: u64 },
}

/// What is to come of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Rest {
    Bytes(u64),
    Chunks(ChunkedDecoder),
    UntilClose,
}

/// What was copied of an answer.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub head: Vec<u8>,
    pub body: Vec<u8>,
}

impl Store {
    pub(crate) fn clear(&mut self) {
        self.head.clear();
        self.body.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_empty() && self.body.is_empty()
    }
}

/// A whole answer.
#[derive(Debug)]
pub(crate) struct Whole<'a> {
    pub status: u16,
    pub keep_alive: bool,
    /// Empty when the body was not to be collected and came later than the head.
    pub headers: Headers<'a>,
    /// Empty when it was not to be collected and did not come in one piece.
    pub body: &'a [u8],
    /// Bytes of the body, collected or not.
    pub length: u64,
}

impl<'a> Whole<'a> {
    /// A message that is no answer of HTTP, as one.
    pub(crate) fn message(body: &'a [u8]) -> Self {
        Self { status: 200, keep_alive: true, headers: Headers::default(), body, length: body.len() as u64 }
    }
}

/// What a caller knows and decides about answers.
pub(crate) trait Reception {
    /// Method of the request.
    fn method(&self) -> Method;
    /// Looks at a head, once; whether the body must be collected.
    fn head(&mut self, head: &ResponseHead<'_>) -> bool;
}

impl Reader {
    /// Whether nothing of an answer has arrived.
    pub(crate) fn is_untouched(&self, store: &Store) -> bool {
        matches!(self, Self::Head) && store.head.is_empty()
    }

    /// Number of bytes to come that nobody looks at.
    pub(crate) fn unseen(&self) -> u64 {
        match self {
            Self::Body { rest: Rest::Bytes(left), collect: false, .. } => *left,
            _ => 0,
        }
    }

    /// Counts bytes that were discarded unseen.
    pub(crate) fn discarded(&mut self, bytes: u64) {
        if let Self::Body { rest: Rest::Bytes(left), length, .. } = self {
            *left -= bytes;
            *length += bytes;
        }
    }

    /// Takes the next piece: none until the answer is whole. After an answer the reader must be made anew.
    ///
    /// # Errors
    /// A sentence's end on what is wrong with the answer.
    pub(crate) fn feed<'a>(
        &mut self,
        piece: &'a [u8],
        store: &'a mut Store,
        reception: &mut impl Reception,
    ) -> Result<Option<Whole<'a>>, &'static str> {
        if matches!(self, Self::Body { .. }) {
            return self.feed_body(piece, store);
        }
        if store.head.is_empty() {
            match read_head(piece, reception)? {
                None if piece.len() > MAX_HEAD => return Err(HEAD_TOO_LONG),
                Some((head, length, collect)) => {
                    return self.begin_body(
                        head,
                        &piece[..length],
                        &piece[length..],
                        collect,
                        store,
                        reception.method(),
                    );
                }
                None => store.head.extend_from_slice(piece),
            }
            return Ok(None);
        }
        // Rare: the head came in pieces. Its end is found in what is stored; what follows it belongs to the
        // body. Nothing ends within a line: a head that drips is not read anew with each of its bytes.
        store.head.extend_from_slice(piece);
        let Store { head: stored, body } = store;
        let read = if piece.contains(&b'\n') { read_head(stored, reception)? } else { None };
        let Some((length, collect, method)) =
            read.map(|(_, length, collect)| (length, collect, reception.method()))
        else {
            return if stored.len() > MAX_HEAD { Err(HEAD_TOO_LONG) } else { Ok(None) };
        };
        body.extend_from_slice(&stored[length..]);
        stored.truncate(length);
        let rest = std::mem::take(body);
        let Ok(Some((head, _))) = parse_final(stored) else { return Err("the head changed") };
        self.enter_body(&head, collect, method)?;
        let done = self.feed_into(&rest, body)?;
        Ok(done.then(|| self.whole_stored(store)))
    }

    /// The connection ended: the answer, when its body ends so.
    pub(crate) fn end<'a>(&self, store: &'a Store) -> Option<Whole<'a>> {
        matches!(self, Self::Body { rest: Rest::UntilClose, .. }).then(|| self.whole_stored(store))
    }

    fn begin_body<'a>(
        &mut self,
        head: ResponseHead<'a>,
        head_bytes: &[u8],
        rest: &'a [u8],
        collect: bool,
        store: &'a mut Store,
        method: Method,
    ) -> Result<Option<Whole<'a>>, &'static str> {
        let keep_alive = head.keep_alive;
        let in_place = |body: &'a [u8], keep_alive| Whole {
            status: head.status,
            keep_alive,
            headers: head.headers,
            body,
            length: body.len() as u64,
        };
        match head.framing(method) {
            BodyFraming::None => return Ok(Some(in_place(&[], keep_alive && rest.is_empty()))),
            BodyFraming::Length(length) if rest.len() as u64 >= length => {
                // Bytes behind the answer belong to no request of ours.
                let (body, stray) = rest.split_at(length as usize);
                return Ok(Some(in_place(body, keep_alive && stray.is_empty())));
            }
            _ => {}
        }
        self.enter_body(&head, collect, method)?;
        if collect {
            store.head.extend_from_slice(head_bytes);
        }
        self.feed_body(rest, store)
    }

    fn enter_body(
        &mut self,
        head: &ResponseHead<'_>,
        collect: bool,
        method: Method,
    ) -> Result<(), &'static str> {
        let rest = match head.framing(method) {
            BodyFraming::None => Rest::Bytes(0),
            // Refused before any of it is kept.
            BodyFraming::Length(length) if collect && length > MAX_COLLECTED as u64 => {
                return Err(BODY_TOO_LARGE);
            }
            BodyFraming::Length(length) => Rest::Bytes(length),
            BodyFraming::Chunked => Rest::Chunks(ChunkedDecoder::of_answer()),
            BodyFraming::Close => Rest::UntilClose,
        };
        *self = Self::Body { rest, status: head.status, keep_alive: head.keep_alive, collect, length: 0 };
        Ok(())
    }

    fn feed_body<'a>(
        &mut self,
        piece: &[u8],
        store: &'a mut Store,
    ) -> Result<Option<Whole<'a>>, &'static str> {
        let done = self.feed_into(piece, &mut store.body)?;
        Ok(done.then(|| self.whole_stored(store)))
    }

    /// Takes a piece of the body; whether that was the last.
    fn feed_into(&mut self, piece: &[u8], stored: &mut Vec<u8>) -> Result<bool, &'static str> {
        let Self::Body { rest, keep_alive, collect, length, .. } = self else { return Ok(false) };
        let mut take = |data: &[u8]| {
            *length += data.len() as u64;
            if *collect {
                stored.extend_from_slice(data);
            }
        };
        let (used, done) = match rest {
            Rest::Bytes(left) => {
                let used = usize::try_from(*left).unwrap_or(usize::MAX).min(piece.len());
                take(&piece[..used]);
                *left -= used as u64;
                (used, *left == 0)
            }
            Rest::Chunks(decoder) => {
                let used = decoder.decode(piece, take).map_err(chunk_fault)?;
                (used, decoder.is_done())
            }
            Rest::UntilClose => {
                take(piece);
                (piece.len(), false)
            }
        };
        *keep_alive &= used == piece.len();
        if stored.len() > MAX_COLLECTED {
            return Err(BODY_TOO_LARGE);
        }
        Ok(done)
    }

    fn whole_stored<'a>(&self, store: &'a Store) -> Whole<'a> {
        let (status, keep_alive, length) = match *self {
            Self::Body { status, keep_alive, length, rest, .. } => {
                (status, keep_alive && !matches!(rest, Rest::UntilClose), length)
            }
            Self::Head => (0, false, 0),
        };
        let headers = match parse_final(&store.head) {
            Ok(Some((head, _))) => head.headers,
            _ => Headers::default(),
        };
        Whole { status, keep_alive, headers, body: &store.body, length }
    }
}

/// What is wrong with a chunked body, in the words of every answer's faults.
fn chunk_fault(fault: ChunkError) -> &'static str {
    match fault {
        ChunkError::ExtensionTooLong => "a chunk's extension is longer than 256 bytes",
        ChunkError::TrailersTooLong => "the trailer fields are longer than 8 KiB",
        _ => "the chunked body is malformed",
    }
}

/// The final head in `bytes` with its end, and whether its body is to be collected.
fn read_head<'a>(
    bytes: &'a [u8],
    reception: &mut impl Reception,
) -> Result<Option<(ResponseHead<'a>, usize, bool)>, &'static str> {
    let Some((head, length)) = parse_final(bytes)? else { return Ok(None) };
    if length > MAX_HEAD {
        return Err(HEAD_TOO_LONG);
    }
    let collect = reception.head(&head);
    Ok(Some((head, length, collect)))
}

/// The first head that is not an interim one (100 to 199), and where it ends.
fn parse_final(bytes: &[u8]) -> Result<Option<(ResponseHead<'_>, usize)>, &'static str> {
    let mut from = 0;
    loop {
        match ResponseHead::parse(&bytes[from..]) {
            Ok(Some((head, length))) if head.status < 200 => from += length,
            Ok(Some((head, length))) => return Ok(Some((head, from + length))),
            Ok(None) => return Ok(None),
            Err(_) => return Err("the head is malformed"),
        }
    }
}

#[cfg(test)]
mod tests;
