//! TLS against a server that does what it is told, also what real ones never should.

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value as Json, json};
use support::{Outcome, get, operation, plan, run};

/// What a server sends after each request, and how its connection goes on.
#[derive(Clone)]
struct Script {
    answer: Vec<u8>,
    /// What follows a while after that.
    rest: Option<(Duration, Vec<u8>)>,
    /// Follows in the same packet, as it is: not TLS's.
    raw: Vec<u8>,
    /// Says goodbye and closes; a server that hangs up does not say it.
    closes: bool,
    hangs_up: bool,
    /// The handshake, or each byte of the answer in a record of its own, is sent byte by byte with this pause.
    shakes: Option<Duration>,
    drips: Option<Duration>,
}

impl Script {
    fn keeping(answer: impl Into<Vec<u8>>) -> Self {
        let (raw, answer) = (Vec::new(), answer.into());
        Self { answer, raw, rest: None, closes: false, hangs_up: false, shakes: None, drips: None }
    }
}

/// Its port, and its certificate as PEM.
fn start(script: Script) -> (u16, String) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(vec!["localhost".into()]).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (config, script) = (config.clone(), script.clone());
            let connection = ServerConnection::new(config).unwrap();
            let socket = Socket { stream: stream.unwrap(), pause: script.shakes };
            std::thread::spawn(move || serve(StreamOwned::new(connection, socket), &script));
        }
    });
    (port, cert.pem())
}

/// A socket on which each byte is a packet of its own, with a pause after it, if there is one.
struct Socket {
    stream: TcpStream,
    pause: Option<Duration>,
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.stream.read(buffer)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let Some(pause) = self.pause.filter(|_| !bytes.is_empty()) else { return self.stream.write(bytes) };
        self.stream.write_all(&bytes[..1])?;
        std::thread::sleep(pause);
        Ok(1)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn serve(mut stream: StreamOwned<ServerConnection, Socket>, script: &Script) {
    stream.sock.stream.set_nodelay(true).unwrap();
    let mut request = Vec::new();
    let mut buffer = [0; 16 << 10];
    loop {
        let Ok(length @ 1..) = stream.read(&mut buffer) else { return };
        request.extend_from_slice(&buffer[..length]);
        if !is_whole(&request) {
            continue;
        }
        request.clear();
        let mut wire = Vec::new();
        for piece in script.answer.chunks(if script.drips.is_some() { 1 } else { 16 << 10 }) {
            stream.conn.writer().write_all(piece).unwrap();
            while stream.conn.wants_write() {
                stream.conn.write_tls(&mut wire).unwrap();
            }
        }
        wire.extend(&script.raw);
        stream.sock.pause = script.drips;
        if stream.sock.write_all(&wire).is_err() {
            return;
        }
        if let Some((pause, rest)) = &script.rest {
            std::thread::sleep(*pause);
            if stream.write_all(rest).is_err() || stream.flush().is_err() {
                return;
            }
        }
        if script.closes {
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
        if script.closes || script.hangs_up {
            return;
        }
    }
}

fn is_whole(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&request[..end]).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    request.len() >= end + 4 + length.map_or(0, |length| length.parse().unwrap())
}

/// Five operations of one step.
fn five(script: Script, step: Json) -> Outcome {
    within(300.0, script, step)
}

fn within(timeout_s: f64, script: Script, step: Json) -> Outcome {
    let (port, certificate) = start(script);
    let mut plan = plan(port, 600.0, json!([operation("op", json!([step]))]));
    plan["target"]["host"] = json!("localhost");
    plan["target"]["authority"] = json!(format!("localhost:{port}"));
    plan["target"]["tls"] = json!({"ca": {"file": "its own", "text": certificate}});
    plan["load"]["operations"] = json!(5);
    plan["load"]["timeout_s"] = json!(timeout_s);
    run(plan)
}

fn page(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

#[test]
fn requests_and_answers_go_through_one_connection() {
    let step = get("/", json!({"expect": {"status": [200], "contains": ["the end"]}}));
    let outcome = five(Script::keeping(page("the end")), step);
    assert_eq!((outcome.ok(0), outcome.failures()), (5, Vec::new()));
    let connects: u64 = outcome.windows.iter().map(|window| window.connects).sum();
    let [agreed] = &outcome.summary.tls[..] else { panic!("{:?}", outcome.summary.tls) };
    assert_eq!((connects, agreed.protocol.as_str(), agreed.full), (1, "TLS 1.3", 1));
    let timed: u64 = outcome.windows.iter().flat_map(|window| &window.handshake_full.count).sum();
    assert_eq!(timed, 1);
}

/// What the handshake brings is no answer; the answer's own records are.
#[test]
fn the_first_byte_is_told_from_the_last_and_from_the_handshake() {
    let answer = page("the end");
    let (head, body) = answer.split_at(answer.len() - 7);
    let script = Script { rest: Some((Duration::from_millis(200), body.to_vec())), ..Script::keeping(head) };
    let outcome = five(script, get("/", json!({})));
    let (first, service) = (outcome.times(0, |o| &o.first_byte), outcome.times(0, |o| &o.service));
    assert_eq!((first.count(), outcome.ok(0)), (5, 5));
    let ms = |micros: Option<f64>| micros.unwrap() / 1e3;
    assert!(ms(first.quantile(0.0)) < 200.0 && ms(service.quantile(0.0)) >= 200.0);
    // By step it is without connecting and the handshake, also of a single request.
    let steps: Vec<_> = outcome.of(0).flat_map(|o| &o.steps).collect();
    let count = |counts: &[u64]| counts.iter().sum::<u64>();
    let firsts: u64 = steps.iter().map(|s| count(&s.first_byte.count)).sum();
    let handshakes: u64 = steps.iter().map(|s| count(&s.handshake.count)).sum();
    assert_eq!((firsts, handshakes), (5, 1));
}

#[test]
fn a_body_of_many_turns_arrives_whole_whether_it_is_looked_at_or_not() {
    let answer = page(&format!("{}the end", "x".repeat(12 << 20)));
    for expect in [json!({"status": [200], "contains": ["the end"]}), json!({"status": [200]})] {
        let outcome = five(Script::keeping(answer.clone()), get("/", json!({"expect": expect})));
        assert_eq!((outcome.ok(0), outcome.failures()), (5, Vec::new()));
        assert!(outcome.counter(0, "bytes_in") > 5 * answer.len() as u64, "records have heads");
    }
}

#[test]
fn an_upload_that_waits_for_the_socket_arrives_whole() {
    let step = json!({"method": "POST", "path": "/", "body": {"kind": "multipart", "parts": [
        {"kind": "file", "name": "f", "filename": "a.bin", "content_type": "image/png", "bytes": 9_000_000}]}});
    let outcome = five(Script::keeping(page("")), step);
    assert_eq!((outcome.ok(0), outcome.failures()), (5, Vec::new()));
    assert!(outcome.counter(0, "bytes_out") > 45_000_000);
}

#[test]
fn an_answer_that_ends_with_its_connection_must_end_tls_too() {
    let endless = b"HTTP/1.1 200 OK\r\n\r\nthe end".to_vec();
    let ended = Script { closes: true, ..Script::keeping(endless.clone()) };
    let outcome = five(ended, get("/", json!({})));
    assert_eq!((outcome.ok(0), outcome.failures()), (5, Vec::new()));
    let cut = Script { hangs_up: true, ..Script::keeping(endless) };
    let outcome = five(cut, get("/", json!({})));
    assert_eq!((outcome.ok(0), outcome.failures()), (0, vec![("closed", 5)]));
    assert!(outcome.summary.examples[0].said.contains("without the end of TLS"));
    // An answer that says how long it is cannot be cut unnoticed.
    let whole = Script { hangs_up: true, ..Script::keeping(page("the end")) };
    assert_eq!(five(whole, get("/", json!({}))).ok(0), 5);
}

#[test]
fn a_record_that_does_not_hold_is_told_behind_a_part_of_an_answer() {
    let mut answer = page("the end");
    answer.truncate(answer.len() - 1);
    // A record's head and 32 bytes that nobody encrypted; the connection stays open.
    let raw = [&[23, 3, 3, 0, 32][..], &[0; 32]].concat();
    let outcome = five(Script { raw: raw.clone(), ..Script::keeping(answer) }, get("/", json!({})));
    assert_eq!((outcome.ok(0), outcome.failures()), (0, vec![("tls", 5)]));
    // Behind a whole one it costs the connection, and not the answer.
    let outcome = five(Script { raw, ..Script::keeping(page("the end")) }, get("/", json!({})));
    assert_eq!((outcome.ok(0), outcome.failures()), (5, Vec::new()));
}

#[test]
fn a_handshake_and_an_answer_that_drip_are_read_to_their_end() {
    let drop = Some(Duration::ZERO);
    for (expect, closes) in
        [(json!({"status": [200], "contains": ["the end"]}), false), (json!({"status": [200]}), true)]
    {
        let script = Script { closes, shakes: drop, drips: drop, ..Script::keeping(page("the end")) };
        let outcome = five(script, get("/", json!({"expect": expect})));
        assert_eq!((outcome.ok(0), outcome.failures()), (5, Vec::new()));
    }
}

#[test]
fn what_drips_too_slowly_is_cut_by_the_time_out() {
    let slow = Some(Duration::from_millis(1));
    let head = format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "b".repeat(50_000)).into_bytes();
    let body = page(&"x".repeat(50_000));
    for (script, said) in [
        (Script { shakes: slow, ..Script::keeping(page("the end")) }, "GET /: no TLS handshake in time"),
        (Script { drips: slow, ..Script::keeping(head) }, "GET /: no whole answer in time"),
        (Script { drips: slow, ..Script::keeping(body) }, "GET /: no whole answer in time"),
    ] {
        let outcome = within(0.3, script, get("/", json!({})));
        assert_eq!((outcome.ok(0), outcome.failures()), (0, vec![("timeout", 5)]), "{said}");
        // On a busy machine one handshake may take as long; those that drip take longer always.
        assert!(outcome.summary.examples.iter().any(|example| example.said == said), "{said}");
    }
}
