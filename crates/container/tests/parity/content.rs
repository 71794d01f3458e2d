//! What answers carry: parts of files, compressed pages, nothing where the client has it already.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use loadstone_container::{Config, Server};
use loadstone_http::Method;

use crate::app::App;
use crate::client::Client;
use crate::{each, eventually, start};

const FILE_BYTES: usize = 16 << 20;

/// A file that is gone with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(content: &[u8]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::SeqCst);
        let path = std::env::temp_dir().join(format!("loadstone-content-{}-{number}", std::process::id()));
        std::fs::write(&path, content).unwrap();
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn content() -> Vec<u8> {
    (0..FILE_BYTES as u32 / 4).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect()
}

fn start_with_file(config: Config, scratch: &Scratch) -> (Server, Arc<App>) {
    let (server, app) = start(config);
    *app.file.lock().unwrap() = Some(Arc::new(File::open(&scratch.0).unwrap()));
    (server, app)
}

fn get(path: &str, fields: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: test\r\n{fields}\r\n")
}

#[test]
fn parts_of_files_arrive_whole_and_in_order() {
    let content = content();
    let scratch = Scratch::new(&content);
    each(|config| {
        let (server, _) = start_with_file(config, &scratch);
        let mut client = Client::connect(server.address());
        client.send(format!("HEAD /file?0-{FILE_BYTES} HTTP/1.1\r\nHost: test\r\n\r\n"));
        let head = client.reply_to(Method::Head);
        assert!(head.fields.contains(&format!("Content-Length: {FILE_BYTES}\r\n")) && head.body.is_empty());
        // All in one go, an answer in memory between those from the file.
        let parts = [0..1, 0..FILE_BYTES, 5..70_000, FILE_BYTES - 3..FILE_BYTES, 7..7];
        for part in &parts {
            client.send(get(&format!("/file?{}-{}", part.start, part.end), ""));
            client.send(get("/hello", ""));
        }
        for part in parts {
            let reply = client.reply();
            assert!(reply.status == 200 && reply.body == content[part.clone()], "{part:?}");
            assert_eq!(client.reply().text(), "hello");
        }
    });
}

#[test]
fn the_last_piece_of_a_file_goes_out_when_there_was_no_room_for_it() {
    let content = content();
    let scratch = Scratch::new(&content);
    each(|config| {
        let (server, _) = start_with_file(config, &scratch);
        // What a client that reads nothing lets the server get rid of: the last piece of so much waits for
        // room.
        let sent = |client: &mut Client, bytes: usize| {
            let before = server.counters().bytes_out;
            client.send(get(&format!("/file?0-{bytes}"), ""));
            let mut last = (Instant::now(), before);
            while last.1 == before || last.0.elapsed() < Duration::from_millis(100) {
                let now = server.counters().bytes_out;
                if now != last.1 {
                    last = (Instant::now(), now);
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            (last.1 - before) as usize
        };
        let taken = sent(&mut Client::connect(server.address()), FILE_BYTES);
        assert!(taken < FILE_BYTES, "{taken}");
        // The room differs a little from connection to connection, and a head takes some of it.
        for less in [0, 256, 16 << 10, 64 << 10] {
            let bytes = taken - less - 256;
            let mut client = Client::connect(server.address());
            sent(&mut client, bytes);
            assert!(client.reply().body == content[..bytes], "{bytes}");
            assert_eq!(client.get("/hello").text(), "hello");
        }
    });
}

#[test]
fn readers_of_files_hold_no_worker() {
    let content = content();
    let scratch = Scratch::new(&content);
    each(|config| {
        let (server, _) = start_with_file(Config { workers: 1, ..config }, &scratch);
        let mut slow: Vec<_> = (0..3).map(|_| Client::connect(server.address())).collect();
        for client in &mut slow {
            client.send(get(&format!("/file?0-{FILE_BYTES}"), ""));
        }
        eventually("all have their response begun", || server.counters().responses[1] == 3);
        assert_eq!(Client::connect(server.address()).get("/hello").text(), "hello");
        for client in &mut slow {
            assert!(client.reply().body == content);
            assert_eq!(client.get("/hello").text(), "hello");
        }
    });
}

#[test]
fn a_file_cut_short_ends_the_connection() {
    let content = content();
    each(|config| {
        let scratch = Scratch::new(&content);
        let (server, _) = start_with_file(config, &scratch);
        let mut client = Client::connect(server.address());
        client.send(get(&format!("/file?0-{FILE_BYTES}"), ""));
        // What follows must not be taken for the rest of the file.
        client.send(get("/hello", ""));
        eventually("it is sent", || server.counters().responses[1] == 1);
        File::options().write(true).open(&scratch.0).unwrap().set_len(1000).unwrap();
        let (received, orderly) = client.rest_and_end();
        assert!(!orderly, "an end without a word could be taken for that of the file");
        let end = received.windows(4).position(|window| window == b"\r\n\r\n").map_or(0, |end| end + 4);
        let body = &received[end..];
        // How much went out before the cut is up to the system; nothing stands in for what did not.
        assert!(body.len() < FILE_BYTES && content.starts_with(body), "{}", body.len());
        eventually("the connection is gone", || server.counters().open_connections == 0);
        assert_eq!(Client::connect(server.address()).get("/hello").text(), "hello");
    });
}

#[test]
fn what_a_client_has_is_not_sent_again() {
    each(|config| {
        let (server, _) = start(config);
        let mut client = Client::connect(server.address());
        let first = client.get("/tagged");
        assert!(first.fields.contains("ETag: \"v1\"\r\n"));
        for (field, status) in [
            ("If-None-Match: \"v1\"", 304),
            ("If-None-Match: W/\"v1\"", 304),
            ("If-None-Match: \"v2\"", 200),
            ("If-Match: \"v2\"", 412),
            ("If-Match: \"v1\"", 200),
        ] {
            client.send(get("/tagged", &format!("{field}\r\n")));
            let reply = client.reply();
            let sent = if status == 200 { first.body.len() } else { 0 };
            assert_eq!((reply.status, reply.body.len()), (status, sent), "{field}");
            assert!(reply.keep_alive && reply.fields.contains("ETag: \"v1\"\r\n"));
        }
        // An application that acts has acted by now: what the client has is no reason to hide that.
        client.send(
            "POST /tagged HTTP/1.1\r\nHost: test\r\nIf-None-Match: \"v1\"\r\nContent-Length: 0\r\n\r\n",
        );
        assert_eq!(client.reply().status, 200);
    });
}

#[test]
fn pages_are_compressed_for_those_who_take_them_so() {
    each(|config| {
        let (server, _) = start(Config { compress: Some(6), ..config });
        let mut client = Client::connect(server.address());
        let plain = client.get("/tagged");
        assert!(plain.fields.contains("Vary: Accept-Encoding\r\n") && !plain.fields.contains("gzip"));
        client.send(get("/tagged", "Accept-Encoding: br, gzip\r\n"));
        let packed = client.reply();
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(packed.body.as_slice()).read_to_end(&mut unpacked).unwrap();
        assert!(unpacked == plain.body && packed.body.len() < plain.body.len() / 10);
        assert!(
            packed.fields.contains("Content-Encoding: gzip\r\n")
                && packed.fields.contains("ETag: W/\"v1\"\r\n")
        );
        client.send("HEAD /tagged HTTP/1.1\r\nHost: test\r\nAccept-Encoding: gzip\r\n\r\n");
        let head = client.reply_to(Method::Head);
        assert!(head.fields.contains(&format!("Content-Length: {}\r\n", packed.body.len())));
        client.send(get("/tagged", "Accept-Encoding: gzip\r\nIf-None-Match: W/\"v1\"\r\n"));
        let known = client.reply();
        assert_eq!((known.status, known.body.len()), (304, 0));
        client.send(get("/hello", "Accept-Encoding: gzip\r\n"));
        assert_eq!(client.reply().text(), "hello");
    });
}
