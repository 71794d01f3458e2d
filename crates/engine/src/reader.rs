//! Reads one answer from pieces as they arrive. An answer that arrives whole is looked at where it was received; nothing is
//! copied unless a piece ends inside something that must be seen whole.

use loadstone_http::{BodyFraming, ChunkError, ChunkedDecoder, Headers, Method, ResponseHead};

/// Longest head that is accepted.
const MAX_HEAD: usize = 64 << 10;
/// However the network cuts it.
const HEAD_TOO_LONG: &str = "the head is longer than 64 KiB";
/// Largest body that is looked at; a larger one is a mistake of the scenario and ends the operation.
const MAX_COLLECTED: usize = 64 << 20;
const BODY_TOO_LARGE: &str = "the body is larger than 64 MiB";

/// Where in an answer a reader is.
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

    /// How many bytes are to come that nobody looks at.
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
        // Rare: the head came in pieces. Its end is found in what is stored; what follows it belongs to the body.
        store.head.extend_from_slice(piece);
        let Store { head: stored, body } = store;
        let Some((length, collect, method)) =
            read_head(stored, reception)?.map(|(_, length, collect)| (length, collect, reception.method()))
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Collecting(bool, u32);

    impl Reception for Collecting {
        fn method(&self) -> Method {
            Method::Get
        }

        fn head(&mut self, _: &ResponseHead<'_>) -> bool {
            self.1 += 1;
            self.0
        }
    }

    /// Status, keep-alive, body, its length and the value of `X`.
    type Copied = (u16, bool, Vec<u8>, u64, Option<String>);

    /// An answer that comes in pieces of `size` bytes.
    fn read(answer: &[u8], size: usize, collect: bool) -> Option<Copied> {
        let (mut reader, mut store) = (Reader::default(), Store::default());
        let mut reception = Collecting(collect, 0);
        let copy = |w: Whole<'_>| {
            (w.status, w.keep_alive, w.body.to_vec(), w.length, w.headers.get("x").map(String::from))
        };
        for piece in answer.chunks(size) {
            if let Some(whole) = reader.feed(piece, &mut store, &mut reception).ok()? {
                assert_eq!(reception.1, 1, "the head is looked at once");
                return Some(copy(whole));
            }
        }
        reader.end(&store).map(copy)
    }

    #[test]
    fn answers_in_pieces_of_every_size() {
        let chunked =
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n\
            3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n";
        let length = b"HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 5\r\n\r\nhello";
        let close = b"HTTP/1.0 200 OK\r\nX: y\r\n\r\nhello";
        for (answer, keep_alive) in [(&chunked[..], true), (length, true), (close, false)] {
            for size in 1..=answer.len() {
                let whole = read(answer, size, true).unwrap();
                assert_eq!(whole, (200, keep_alive, b"hello".to_vec(), 5, Some("y".into())), "{size}");
                let counted = read(answer, size, false).unwrap();
                assert_eq!((counted.0, counted.3), (200, 5), "{size}");
            }
        }
    }

    /// What is wrong with an answer that comes in pieces of `size` bytes.
    fn fault(answer: &[u8], size: usize) -> Option<&'static str> {
        let (mut reader, mut store) = (Reader::default(), Store::default());
        answer.chunks(size).find_map(|piece| {
            reader.feed(piece, &mut store, &mut Collecting(true, 0)).map(|whole| whole.is_some()).err()
        })
    }

    #[test]
    fn what_has_no_end_is_refused_however_it_is_cut() {
        let begun =
            |head: &str, filler: &str, size: usize| [head, &filler.repeat(size / filler.len())].concat();
        let field = begun("HTTP/1.1 200 OK\r\nX: ", "y", 100_000);
        let whole = format!("{field}\r\nContent-Length: 1\r\n\r\nz");
        let interim = begun("", "HTTP/1.1 100 Continue\r\n\r\n", 100_000);
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let extension = begun(&format!("{chunked}1;"), "x", 1_000);
        let trailers = begun(&format!("{chunked}0\r\n"), "A: b\r\n", 10_000);
        for size in [1_000, 70_000, 200_000] {
            for (answer, said) in [
                (&field, HEAD_TOO_LONG),
                (&whole, HEAD_TOO_LONG),
                (&interim, HEAD_TOO_LONG),
                (&extension, "a chunk's extension is longer than 256 bytes"),
                (&trailers, "the trailer fields are longer than 8 KiB"),
            ] {
                assert_eq!(fault(answer.as_bytes(), size), Some(said), "{size}");
            }
        }
    }

    #[test]
    fn a_body_that_announces_too_much_is_refused_at_its_head() {
        let announced = "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n";
        assert_eq!(fault(announced.as_bytes(), 20), Some(BODY_TOO_LARGE));
        assert_eq!(fault(announced.as_bytes(), 999), Some(BODY_TOO_LARGE));
    }

    #[test]
    fn two_framings_spoil_the_connection() {
        let both = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
        let old = b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
        for answer in [&both[..], old] {
            for size in [7, 999] {
                let (status, keep_alive, body, ..) = read(answer, size, true).unwrap();
                assert_eq!((status, keep_alive, body), (200, false, b"abc".to_vec()), "{size}");
            }
        }
    }

    #[test]
    fn bodies_that_are_not_there() {
        let (status, keep_alive, _, length, _) =
            read(b"HTTP/1.1 304 Not\r\nContent-Length: 9\r\n\r\n", 7, true).unwrap();
        assert_eq!((status, keep_alive, length), (304, true, 0));
        let stray = read(b"HTTP/1.1 204 No\r\n\r\nHTTP/1.1", 99, true).unwrap();
        assert!(!stray.1, "what follows an answer unasked spoils the connection");
        assert_eq!(read(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", 99, true), None);
        assert_eq!(read(b"SMTP\r\n\r\n", 3, true), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..99), size in 1usize..50, collect: bool) {
            let mut answer = b"HTTP/1.1 200 OK\r\n".to_vec();
            answer.extend_from_slice(&bytes);
            read(&answer, size, collect);
            read(&bytes, size, collect);
        }
    }
}
