//! What a well-behaved server may do.

use crate::server::*;
use loadstone_h2::{CONNECTION_WINDOW, Client, Keep, Lost, MOST_HEAD, STREAM_WINDOW, Upload};

/// Head and content in one feed, cut at every byte: the answer is the same.
#[test]
fn an_answer_is_the_same_however_it_is_cut() {
    let head = [OK, &field("content-type", "text/plain"), &field("set-cookie", "a=1")].concat();
    let (first, rest) = head.split_at(9);
    let all = [
        frame(HEADERS, END_HEADERS, 1, &field(":status", "103")),
        frame(HEADERS, 0, 1, first),
        frame(CONTINUATION, END_HEADERS, 1, rest),
        frame(DATA, PADDED, 1, &[&[4], &b"hello"[..], &[0; 4]].concat()),
        frame(DATA, 0, 1, b", world"),
        frame(HEADERS, END_STREAM | END_HEADERS, 1, &field("checksum", "9")),
    ]
    .concat();
    for cut in 0..all.len() {
        let (mut client, _) = client(1, Keep::All);
        client.set_now(7);
        client.feed(&all[..cut]);
        client.set_now(8);
        client.feed(&all[cut..]);
        let [done] = &mut done(&mut client)[..] else { panic!("cut at {cut}") };
        assert_eq!(done.outcome, Ok(()), "cut at {cut}");
        // It begins with the interim answer, as soon as the frame is known to be one of the stream.
        assert_eq!(done.first, Some(if cut < 9 { 8 } else { 7 }), "cut at {cut}");
        assert_eq!((done.answer.status, done.answer.length), (200, 12));
        assert_eq!(done.answer.head, b"content-type: text/plain\r\nset-cookie: a=1\r\n");
        assert_eq!(done.answer.body, b"hello, world");
        assert_eq!(client.fault(), None);
        assert!(!client.is_over() && client.open_streams() == 0);
    }
}

#[test]
fn streams_are_answered_in_any_order() {
    let (mut client, sent) = client(3, Keep::All);
    let ids: Vec<u32> = frames(&sent).iter().filter(|f| f.0 == HEADERS).map(|f| f.2).collect();
    assert_eq!(ids, [1, 3, 5]);
    assert_eq!(client.open_streams(), 3);
    client.feed(&frame(HEADERS, END_HEADERS, 5, OK));
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 3, OK));
    client.feed(&frame(DATA, END_STREAM, 5, b"x"));
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 1, OK));
    let tags: Vec<_> = done(&mut client).into_iter().map(|d| (d.tag, d.answer.body)).collect();
    assert_eq!(tags, [(1, vec![]), (2, b"x".to_vec()), (0, vec![])]);
    // Their keys and buffers serve the next ones.
    ask(&mut client, 9, Keep::Nothing);
    assert_eq!(frames(&written(&mut client)).last().map(|f| f.2), Some(7));
}

#[test]
fn it_says_what_it_takes_and_answers_ping_and_settings() {
    let (mut client, sent) = client(0, Keep::Nothing);
    let sent = frames(&sent);
    let [settings, window] = &sent[..] else { panic!("{sent:?}") };
    let told: Vec<(u16, u32)> = settings
        .3
        .chunks(6)
        .map(|s| (u16::from_be_bytes([s[0], s[1]]), u32::from_be_bytes(s[2..].try_into().unwrap())))
        .collect();
    assert_eq!(told, [(2, 0), (4, STREAM_WINDOW), (6, MOST_HEAD as u32)]);
    assert_eq!(
        (window.0, window.3.clone()),
        (WINDOW_UPDATE, (CONNECTION_WINDOW - 65_535).to_be_bytes().to_vec())
    );
    client.feed(&frame(PING, 0, 0, b"12345678"));
    let answers = frames(&written(&mut client));
    assert!(answers.contains(&(SETTINGS, ACK, 0, vec![])), "{answers:?}");
    assert!(answers.contains(&(PING, ACK, 0, b"12345678".to_vec())), "{answers:?}");
}

#[test]
fn windows_are_opened_again_for_what_was_read() {
    let (mut client, _) = client(1, Keep::Nothing);
    client.feed(&frame(HEADERS, END_HEADERS, 1, OK));
    let piece = frame(DATA, 0, 1, &[0; 16_384]);
    let most = STREAM_WINDOW as usize / 16_384;
    let mut opened = 0;
    for _ in 0..4 * most {
        client.feed(&piece);
        let sent = frames(&written(&mut client));
        for (_, _, stream, payload) in sent.into_iter().filter(|f| f.0 == WINDOW_UPDATE) {
            opened += if stream == 1 { u32::from_be_bytes(payload.try_into().unwrap()) } else { 0 };
        }
    }
    assert!(opened >= 3 * STREAM_WINDOW, "{opened}");
    client.feed(&frame(DATA, END_STREAM, 1, b""));
    let [done] = &done(&mut client)[..] else { panic!() };
    // Nobody looks at it, so nothing of it was kept.
    assert_eq!((done.answer.length, done.answer.body.capacity()), (4 * u64::from(STREAM_WINDOW), 0));
}

#[test]
fn only_a_body_with_a_coding_is_kept_if_its_length_alone_matters() {
    for (coding, kept) in [(Some("gzip"), 3), (None, 0)] {
        let (mut client, _) = client(1, Keep::Coded);
        let coded = coding.map(|name| field("content-encoding", name)).unwrap_or_default();
        client.feed(&frame(HEADERS, END_HEADERS, 1, &[OK, &coded].concat()));
        client.feed(&frame(DATA, END_STREAM, 1, b"abc"));
        assert_eq!(done(&mut client)[0].answer.body.len(), kept);
    }
}

/// What a server allows is not exceeded, and the rest follows.
#[test]
fn requests_wait_for_the_servers_limit_of_streams() {
    let (mut client, _) = client(0, Keep::Nothing);
    assert_eq!(client.most_streams(), u32::MAX, "it said nothing of a limit");
    client.feed(&frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 2]));
    assert_eq!(client.most_streams(), 2);
    for tag in 0..3 {
        ask(&mut client, tag, Keep::Nothing);
    }
    let heads = |client: &mut Client| frames(&written(client)).iter().filter(|f| f.0 == HEADERS).count();
    assert_eq!(heads(&mut client), 2);
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 1, OK));
    assert_eq!(heads(&mut client), 1);
}

struct Bytes(usize);

impl Upload for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> (usize, bool) {
        let length = self.0.min(buffer.len());
        buffer[..length].fill(b'u');
        self.0 -= length;
        (length, self.0 == 0)
    }
}

#[test]
fn an_upload_keeps_to_the_servers_windows() {
    let (mut client, _) = client(0, Keep::Nothing);
    client.open(&get(), Some(Box::new(Bytes(100_000))), Keep::Nothing, 0).unwrap();
    let sent = |client: &mut Client| -> usize {
        frames(&written(client)).iter().filter(|f| f.0 == DATA).map(|f| f.3.len()).sum()
    };
    assert_eq!(sent(&mut client), 65_535);
    client.feed(&frame(WINDOW_UPDATE, 0, 0, &1_000u32.to_be_bytes()));
    assert_eq!(sent(&mut client), 0, "the stream's window is still shut");
    client.feed(&frame(WINDOW_UPDATE, 0, 1, &70_000u32.to_be_bytes()));
    assert_eq!(sent(&mut client), 1_000);
    client.feed(&frame(WINDOW_UPDATE, 0, 0, &70_000u32.to_be_bytes()));
    assert_eq!(sent(&mut client), 100_000 - 66_535);
}

#[test]
fn an_answer_before_the_end_of_the_upload_counts() {
    let (mut client, _) = client(0, Keep::Nothing);
    client.open(&get(), Some(Box::new(Bytes(100_000))), Keep::Nothing, 0).unwrap();
    written(&mut client);
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 1, &field(":status", "413")));
    let [done] = &done(&mut client)[..] else { panic!() };
    assert_eq!((done.outcome.clone(), done.answer.status), (Ok(()), 413));
    assert!(frames(&written(&mut client)).iter().any(|f| f.0 == RST_STREAM), "the server gets no more of it");
    assert_eq!(client.fault(), None);
}

/// nginx ends each connection after a thousand requests; those under way are answered, later ones were not
/// looked at.
#[test]
fn a_server_that_leaves_answers_what_it_took() {
    let (mut client, _) = client(3, Keep::Nothing);
    client.feed(&frame(GOAWAY, 0, 0, &[0, 0, 0, 3, 0, 0, 0, 0]));
    assert!(client.is_leaving() && !client.is_over());
    let [refused] = &done(&mut client)[..] else { panic!() };
    assert_eq!(refused.tag, 2);
    assert!(matches!(&refused.outcome, Err(Lost::Unprocessed(said)) if said.ends_with("GOAWAY NO_ERROR")));
    ask(&mut client, 8, Keep::Nothing);
    written(&mut client);
    let [never] = &done(&mut client)[..] else { panic!() };
    assert!(matches!(never.outcome, Err(Lost::Unprocessed(_))) && never.tag == 8);
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 1, OK));
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 3, OK));
    assert_eq!(done(&mut client).iter().filter(|d| d.outcome == Ok(())).count(), 2);
    written(&mut client);
    assert!(client.is_over());
    let signals: Vec<_> = client.take_signals().into_iter().map(|s| (s.received, s.frame, s.code)).collect();
    assert_eq!(signals, [(true, "GOAWAY", "NO_ERROR".to_owned())]);
}

#[test]
fn what_is_cancelled_is_never_done() {
    let mut client = Client::new();
    let key = client.open(&get(), None, Keep::All, 1).unwrap();
    let later = client.open(&get(), None, Keep::All, 2).unwrap();
    written(&mut client);
    client.cancel(key);
    client.feed(&frame(SETTINGS, 0, 0, &[]));
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 1, OK));
    client.feed(&frame(HEADERS, END_HEADERS | END_STREAM, 3, OK));
    assert_eq!(done(&mut client).iter().map(|d| d.tag).collect::<Vec<_>>(), [2]);
    client.cancel(later);
    assert_eq!((client.open_streams(), client.fault()), (0, None));
}

#[test]
fn a_broken_connection_tells_all_of_its_streams() {
    let (mut client, _) = client(2, Keep::Nothing);
    ask(&mut client, 5, Keep::Nothing);
    let lost = Lost::Ended("the server closed the connection".into());
    client.abandon(&lost);
    let all = done(&mut client);
    assert_eq!(all.iter().filter(|d| d.outcome == Err(lost.clone())).count(), 2);
    assert!(matches!(all[2].outcome, Err(Lost::Unprocessed(_))), "it had not left");
}
