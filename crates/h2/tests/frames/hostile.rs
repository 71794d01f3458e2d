//! What no server should do: each is a failure with its cause, and nothing grows without an end.

use crate::server::*;
use loadstone_h2::{Client, Keep, Lost, MOST_EMPTY, MOST_HEAD};

/// The connection has failed; why.
#[track_caller]
fn fault(bytes: &[u8]) -> String {
    let (mut client, _) = client(1, Keep::All);
    client.feed(bytes);
    written(&mut client);
    assert!(client.is_over(), "the connection goes on");
    client.fault().expect("a cause").to_owned()
}

/// The stream has failed, and the connection goes on.
#[track_caller]
fn wrong(what: &str, bytes: &[u8]) -> String {
    let (mut client, _) = client(1, Keep::All);
    client.feed(bytes);
    written(&mut client);
    assert_eq!(client.fault(), None, "{what}");
    let done = done(&mut client);
    let [Some(Lost::Wrong(said))] = &done.iter().map(|d| d.outcome.clone().err()).collect::<Vec<_>>()[..]
    else {
        panic!("{what}: {done:?}")
    };
    said.clone()
}

#[test]
fn frames_that_break_the_protocol_end_the_connection() {
    let head = frame(HEADERS, END_HEADERS, 1, OK);
    let cases: [(&str, Vec<u8>); 12] = [
        ("a frame longer than 16 KiB", frame(DATA, 0, 1, &[0; 16_385])),
        ("content on stream 0", frame(DATA, 0, 0, b"x")),
        ("content on a stream that nobody opened", frame(DATA, 0, 7, b"x")),
        ("a head on a stream of the server", frame(HEADERS, END_HEADERS, 2, OK)),
        ("padding longer than the frame", [&head[..], &frame(DATA, PADDED, 1, &[9, 0])].concat()),
        ("SETTINGS of seven bytes", frame(SETTINGS, 0, 0, &[0; 7])),
        ("a PING of seven bytes", frame(PING, 0, 0, &[0; 7])),
        ("a window that overflows", frame(WINDOW_UPDATE, 0, 0, &0x7fff_ffffu32.to_be_bytes())),
        ("a window that opens by nothing", frame(WINDOW_UPDATE, 0, 0, &[0; 4])),
        ("a push", frame(PUSH_PROMISE, END_HEADERS, 1, &[&[0, 0, 0, 2], OK].concat())),
        ("a head that goes on after another frame", {
            [frame(HEADERS, 0, 1, OK), frame(PING, 0, 0, &[0; 8])].concat()
        }),
        ("HPACK beyond its table", frame(HEADERS, END_HEADERS, 1, &[0xff, 0xff, 0x7f])),
    ];
    for (what, bytes) in cases {
        let said = fault(&bytes);
        assert!(said.starts_with("the server breaks HTTP/2: "), "{what}: {said}");
        assert!(said.len() < 250, "{what}: {said}");
    }
}

#[test]
fn a_server_without_http_2_is_told_as_such() {
    let mut client = Client::new();
    client.feed(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    assert_eq!(client.fault(), Some("the server answers in HTTP/1: it knows no HTTP/2 without TLS's ALPN"));
}

#[test]
fn answers_that_break_the_protocol_are_failures() {
    let lines = |fields: &[&[u8]]| frame(HEADERS, END_HEADERS, 1, &fields.concat());
    let cases: [(&str, Vec<u8>); 6] = [
        ("no status", lines(&[&field("a", "b")])),
        ("a field in capitals", lines(&[OK, &field("Bad", "x")])),
        ("a field of the connection", lines(&[OK, &field("connection", "close")])),
        ("two statuses", lines(&[OK, OK])),
        ("content before a head", frame(DATA, 0, 1, b"x")),
        ("less content than announced", {
            [lines(&[OK, &field("content-length", "9")]), frame(DATA, END_STREAM, 1, b"x")].concat()
        }),
    ];
    for (what, bytes) in cases {
        let said = fault(&bytes);
        assert!(said.starts_with("the server breaks HTTP/2: "), "{what}: {said}");
    }
}

#[test]
fn a_head_has_an_end() {
    let field = field("a", &"x".repeat(4_000));
    let many = frame(HEADERS, 0, 1, &[OK, &field].concat());
    let more = frame(CONTINUATION, 0, 1, &field.repeat(4));
    let mut bytes = many;
    (0..5).for_each(|_| bytes.extend(&more));
    bytes.extend(frame(CONTINUATION, END_HEADERS, 1, &[]));
    assert_eq!(wrong("a long head", &bytes), "the head is longer than 64 KiB");
}

/// A few bytes that stand for a long field, again and again.
#[test]
fn a_bomb_of_hpack_is_not_unpacked() {
    let value = "x".repeat(4_000);
    let mut first = field("a", &value);
    first[0] = 0x40; // into the table, where index 62 stands for it
    let bytes = frame(HEADERS, END_HEADERS, 1, &[OK, &first, &[0xbe; 10_000]].concat());
    let (mut client, _) = client(1, Keep::All);
    client.feed(&bytes);
    written(&mut client);
    let [done] = &done(&mut client)[..] else { panic!() };
    assert_eq!(done.outcome, Err(Lost::Wrong("the head is longer than 64 KiB".into())));
    assert!(done.answer.head.capacity() <= 2 * MOST_HEAD);
}

#[test]
fn a_head_that_never_ends_ends_the_connection() {
    let mut bytes = frame(HEADERS, 0, 1, OK);
    (0..100).for_each(|_| bytes.extend(frame(CONTINUATION, 0, 1, &[])));
    assert!(fault(&bytes).contains("too many continuation frames"), "{}", fault(&bytes));
}

#[test]
fn frames_that_bring_nothing_end_the_connection() {
    let head = frame(HEADERS, END_HEADERS, 1, OK);
    for (what, one) in [
        ("SETTINGS", frame(SETTINGS, 0, 0, &[])),
        ("PING", frame(PING, 0, 0, &[0; 8])),
        ("empty DATA", frame(DATA, 0, 1, &[])),
        ("padding alone", frame(DATA, PADDED, 1, &[4, 0, 0, 0, 0])),
        ("WINDOW_UPDATE", frame(WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1])),
        ("PRIORITY", frame(PRIORITY, 0, 1, &[0, 0, 0, 3, 7])),
    ] {
        let (mut client, _) = client(1, Keep::All);
        client.feed(&head);
        let mut fed = 0;
        // A server that reads what it is sent: nothing piles up that would end this by itself.
        while !client.is_over() {
            client.feed(&one);
            written(&mut client);
            fed += 1;
            assert!(fed <= MOST_EMPTY + 1, "{what}: no end");
        }
        let said = client.fault().unwrap();
        assert!(said.contains("500 frames in a row"), "{what}: {said}");
    }
}

#[test]
fn frames_of_no_known_type_are_skipped_and_have_an_end() {
    let (mut client, _) = client(1, Keep::All);
    client.feed(&frame(99, 0, 0, b"whatever"));
    client.feed(&frame(HEADERS, END_HEADERS, 1, OK));
    assert_eq!(client.fault(), None);
    let many = frame(99, 0, 0, &[]).repeat(1_000);
    (0..200).for_each(|_| client.feed(&many));
    assert_eq!(client.fault(), Some("the server sent a MiB of frames that bring nothing"));
    assert!(client.is_over());
}

#[test]
fn interim_answers_have_an_end() {
    let one = frame(HEADERS, END_HEADERS, 1, &field(":status", "103"));
    assert_eq!(wrong("interim", &one.repeat(17)), "more than 16 interim answers came first");
}

#[test]
fn a_body_that_is_kept_has_an_end() {
    let (mut client, _) = client(1, Keep::All);
    client.feed(&frame(HEADERS, END_HEADERS, 1, OK));
    let piece = frame(DATA, 0, 1, &[0; 16_384]);
    for _ in 0..=(64 << 20) / 16_384 {
        client.feed(&piece);
        written(&mut client);
    }
    let [done] = &done(&mut client)[..] else { panic!() };
    assert_eq!(done.outcome, Err(Lost::Wrong("the body is larger than 64 MiB".into())));
}

/// A server that ignores what it was told it may send.
#[test]
fn content_beyond_the_window_ends_the_connection() {
    let (mut client, _) = client(1, Keep::Nothing);
    client.feed(&frame(HEADERS, END_HEADERS, 1, OK));
    let piece = frame(DATA, 0, 1, &[0; 16_384]);
    // Nothing is written, so no window is ever opened again.
    for _ in 0..2_000 {
        client.feed(&piece);
    }
    written(&mut client);
    let done = done(&mut client);
    assert!(client.is_over() || done.iter().any(|d| d.outcome.is_err()), "{done:?}");
}

#[test]
fn resets_are_told_with_their_code() {
    for (code, said) in [
        (2, Lost::Ended("the server reset the stream: RST_STREAM INTERNAL_ERROR".into())),
        (0x99, Lost::Ended("the server reset the stream: RST_STREAM code 153".into())),
        (7, Lost::Unprocessed("the server did not take the request: RST_STREAM REFUSED_STREAM".into())),
    ] {
        let (mut client, _) = client(1, Keep::All);
        client.feed(&frame(RST_STREAM, 0, 1, &u32::to_be_bytes(code)));
        assert_eq!(done(&mut client)[0].outcome, Err(said));
        assert_eq!(client.fault(), None);
    }
}

#[test]
fn a_farewell_is_repeated_without_what_would_spoil_a_terminal() {
    let (mut client, _) = client(1, Keep::All);
    let said = [&[0, 0, 0, 1, 0, 0, 0, 11][..], b"calm\x1b[31m down", &[b'x'; 900]].concat();
    client.feed(&frame(GOAWAY, 0, 0, &said));
    let farewell = client.farewell().unwrap();
    assert!(farewell.starts_with("GOAWAY ENHANCE_YOUR_CALM (calm [31m downxxx"), "{farewell}");
    assert!(farewell.len() < 160);
}

/// What comes after the end of a connection changes nothing.
#[test]
fn the_dead_stay_dead() {
    let (mut client, _) = client(1, Keep::All);
    client.feed(&frame(DATA, 0, 0, b"x"));
    written(&mut client);
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 1, OK));
    assert!(client.is_over() && done(&mut client).is_empty());
    let _: Client = client;
}
