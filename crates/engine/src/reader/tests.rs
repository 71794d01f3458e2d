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
    let begun = |head: &str, filler: &str, size: usize| [head, &filler.repeat(size / filler.len())].concat();
    let field = begun("HTTP/1.1 200 OK\r\nX: ", "y", 100_000);
    let whole = format!("{field}\r\nContent-Length: 1\r\n\r\nz");
    let interim = begun("", "HTTP/1.1 100 Continue\r\n\r\n", 100_000);
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let extension = begun(&format!("{chunked}1;"), "x", 1_000);
    let trailers = begun(&format!("{chunked}0\r\n"), "A: b\r\n", 10_000);
    assert_eq!(fault(interim.as_bytes(), 1_000), Some(HEAD_TOO_LONG));
    for size in [1, 1_000, 70_000, 200_000] {
        for (answer, said) in [
            (&field, HEAD_TOO_LONG),
            (&whole, HEAD_TOO_LONG),
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
    let both =
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
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
