//! Sessions on the wire: rustls as a client, of both versions.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;
use std::io::{ErrorKind, Read, Write};
use std::sync::OnceLock;

use rustls::pki_types::ServerName;
use rustls::{
    ClientConfig, ClientConnection, HandshakeKind, RootCertStore, SupportedProtocolVersion, version,
};
use smoltcp::iface::SocketHandle;
use smoltcp::socket::tcp::State;

use super::{World, get};
use crate::tls::{LIFETIME_S, SESSIONS, Tls};

const LAST: &str = "GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
const VERSIONS: [&SupportedProtocolVersion; 2] = [&version::TLS12, &version::TLS13];

/// A certificate that is its own authority, and its key, in PEM, and what a client needs to trust it.
fn authority() -> &'static (String, String, RootCertStore) {
    static AUTHORITY: OnceLock<(String, String, RootCertStore)> = OnceLock::new();
    AUTHORITY.get_or_init(|| {
        let own = rcgen::generate_simple_self_signed(alloc::vec!["localhost".into()]).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(own.cert.der().clone()).unwrap();
        (own.cert.pem(), own.signing_key.serialize_pem(), roots)
    })
}

fn world(words: &str, loss: Option<usize>) -> World {
    let (certificate, key, _) = authority();
    let tls = Tls::new(certificate.as_bytes(), key.as_bytes(), || 784_111_777).unwrap();
    World::set_up(words, loss, 4, |server| server.secure(tls))
}

fn configuration(version: &'static SupportedProtocolVersion) -> Arc<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .unwrap()
        .with_root_certificates(authority().2.clone())
        .with_no_client_auth();
    config.alpn_protocols = alloc::vec![b"http/1.1".to_vec()];
    Arc::new(config)
}

/// A client with a session.
struct Client {
    socket: SocketHandle,
    session: ClientConnection,
    heard: Vec<u8>,
    /// How the session ended, once it has.
    end: Option<Result<(), ErrorKind>>,
}

impl Client {
    fn new(world: &mut World, version: &'static SupportedProtocolVersion, bytes: usize) -> Self {
        Self::with(world, &configuration(version), bytes)
    }

    /// With the sessions that it has had by this configuration before.
    fn with(world: &mut World, config: &Arc<ClientConfig>, bytes: usize) -> Self {
        let name = ServerName::try_from("localhost").unwrap();
        let session = ClientConnection::new(config.clone(), name).unwrap();
        Self { socket: world.connect_with(bytes), session, heard: Vec::new(), end: None }
    }

    fn say(&mut self, text: &str) {
        self.session.writer().write_all(text.as_bytes()).unwrap();
    }

    /// A millisecond, in which it reads so many bytes.
    fn step(&mut self, world: &mut World, most: usize) {
        world.step();
        let socket = world.socket(self.socket);
        if socket.may_send() && self.session.wants_write() {
            let mut wire = Vec::new();
            self.session.write_tls(&mut wire).unwrap();
            assert_eq!(socket.send_slice(&wire), Ok(wire.len()), "there is room");
        }
        let mut buffer = alloc::vec![0; most];
        let count = socket.recv_slice(&mut buffer);
        let is_over = count.is_err() && !matches!(socket.state(), State::SynSent | State::SynReceived);
        let mut came = &buffer[..count.unwrap_or(0)];
        while !came.is_empty() || is_over {
            if self.session.read_tls(&mut came).unwrap() == 0 && !is_over {
                break;
            }
            if self.session.process_new_packets().is_err() {
                self.end = Some(Err(ErrorKind::InvalidData));
                return;
            }
            match self.session.reader().read_to_end(&mut self.heard) {
                Ok(_) => self.end = Some(Ok(())),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => self.end = Some(Err(error.kind())),
            }
            if is_over {
                break;
            }
        }
    }

    /// Goes on for so many milliseconds, or until `enough` or its end.
    fn hear(&mut self, world: &mut World, ms: usize, enough: impl Fn(&[u8]) -> bool) -> String {
        for _ in 0..ms {
            self.step(world, 1 << 16);
            if self.end.is_some() || enough(&self.heard) {
                break;
            }
        }
        String::from_utf8(core::mem::take(&mut self.heard)).unwrap()
    }

    fn ask(&mut self, world: &mut World, request: &str, last: &str) -> String {
        self.say(request);
        self.hear(world, 60_000, |heard| heard.ends_with(last.as_bytes()))
    }
}

#[test]
fn sessions_serve_one_request_after_the_other() {
    for version in VERSIONS {
        let mut world = world("", None);
        let mut client = Client::new(&mut world, version, 32 * 1024);
        assert!(client.ask(&mut world, &get("/a"), "/a:").starts_with("HTTP/1.1 200 OK\r\n"));
        assert_eq!(client.session.protocol_version(), Some(version.version));
        assert_eq!(client.session.alpn_protocol(), Some(&b"http/1.1"[..]));
        let head = "POST /c HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
        assert_eq!(client.ask(&mut world, head, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
        assert!(client.ask(&mut world, "ok", "ok").ends_with("/c:ok"));
        let many: String = (0..40).map(|number| get(&alloc::format!("/{number}"))).collect();
        assert_eq!(client.ask(&mut world, &many, "/39:").matches("HTTP/1.1 200 OK").count(), 40);
        assert_eq!((world.server.counters.accepted, world.server.counters.requests), (1, 42));
    }
}

/// One request on a connection of its own; how the handshake went.
fn once(world: &mut World, config: &Arc<ClientConfig>) -> HandshakeKind {
    let mut client = Client::with(world, config, 32 * 1024);
    let request = "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assert!(client.ask(world, request, "never").ends_with("/a:"));
    assert_eq!(client.end, Some(Ok(())));
    client.session.handshake_kind().unwrap()
}

#[test]
fn a_client_takes_its_session_up_again() {
    for version in VERSIONS {
        let mut world = world("", None);
        let (one, other) = (configuration(version), configuration(version));
        let kinds = [&one, &one, &other, &one, &other].map(|config| once(&mut world, config));
        use HandshakeKind::{Full, Resumed};
        assert_eq!(kinds, [Full, Resumed, Full, Resumed, Resumed], "{version:?}");
    }
}

#[test]
fn sessions_are_kept_for_an_hour_and_so_many_of_them() {
    static NOW_S: AtomicU64 = AtomicU64::new(784_111_777);
    let (certificate, key, _) = authority();
    for version in VERSIONS {
        let tls = Tls::new(certificate.as_bytes(), key.as_bytes(), || NOW_S.load(Relaxed)).unwrap();
        let mut world = World::set_up("", None, 4, |server| server.secure(tls));
        let first = configuration(version);
        once(&mut world, &first);
        NOW_S.fetch_add(LIFETIME_S, Relaxed);
        assert_eq!(once(&mut world, &first), HandshakeKind::Full, "an hour later");
        for _ in 0..SESSIONS {
            once(&mut world, &configuration(version));
        }
        assert_eq!(once(&mut world, &first), HandshakeKind::Full, "others came in between");
        assert_eq!(once(&mut world, &first), HandshakeKind::Resumed);
    }
}

#[test]
fn bytes_arrive_whole_on_a_wire_that_loses_some() {
    for version in VERSIONS {
        let mut world = world("rx=4096 tx=4096", Some(7));
        let mut client = Client::new(&mut world, version, 32 * 1024);
        let body = "y".repeat(30_000);
        let post =
            alloc::format!("POST /c HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let echo = alloc::format!("/c:{body}");
        assert!(client.ask(&mut world, &post, &echo).ends_with(&echo));
        let answer = client.ask(&mut world, LAST, "never");
        assert_eq!(answer.split_once("\r\n\r\n").unwrap().1, "x".repeat(100_000));
        assert_eq!(client.end, Some(Ok(())), "the end was announced");
    }
}

#[test]
fn a_slow_reader_gets_every_byte_and_the_end() {
    for version in VERSIONS {
        let mut world = world("tx=2048", None);
        let mut client = Client::new(&mut world, version, 4096);
        client.say(LAST);
        for _ in 0..60_000 {
            client.step(&mut world, 5);
            if client.end.is_some() {
                break;
            }
        }
        assert_eq!(client.end, Some(Ok(())), "{} bytes", client.heard.len());
        assert!(client.heard.len() > 100_000);
    }
}

#[test]
fn content_that_breaks_off_is_no_end() {
    let mut world = world("tx=8192", None);
    let mut client = Client::new(&mut world, &version::TLS13, 32 * 1024);
    client.say("GET /half HTTP/1.0\r\n\r\n");
    let answer = client.hear(&mut world, 1000, |_| false);
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert_eq!(client.end, Some(Err(ErrorKind::UnexpectedEof)));
}

#[test]
fn a_client_that_says_its_last_word_first_gets_its_answer() {
    let mut world = world("", None);
    let mut client = Client::new(&mut world, &version::TLS13, 32 * 1024);
    assert!(client.ask(&mut world, &get("/a"), "/a:").ends_with("/a:"));
    client.say(&get("/large"));
    client.session.send_close_notify();
    let answer = client.hear(&mut world, 2000, |_| false);
    assert!(answer.len() > 100_000 && client.end == Some(Ok(())), "{} bytes", answer.len());
}

#[test]
fn the_idle_are_told_of_the_end() {
    let mut world = world("", None);
    let mut client = Client::new(&mut world, &version::TLS13, 32 * 1024);
    client.ask(&mut world, &get("/a"), "/a:");
    client.hear(&mut world, 59_000, |_| false);
    assert_eq!((client.end, world.server.counters.closed_idle), (None, 0));
    client.hear(&mut world, 2_000, |_| false);
    assert_eq!((client.end, world.server.counters.closed_idle), (Some(Ok(())), 1));
}

#[test]
fn who_speaks_no_tls_is_told_and_left() {
    let mut world = world("", None);
    let stranger = world.connect();
    world.send(stranger, get("/a").as_bytes());
    let heard = world.receive(stranger, 2000, |_| false);
    // An alert, fatal.
    assert_eq!((heard[0], heard[5], heard.len()), (21, 2, 7), "{heard:?}");
    assert!(!world.socket(stranger).may_recv());
    assert_eq!(world.server.counters.requests, 0);
    let mut client = Client::new(&mut world, &version::TLS12, 32 * 1024);
    assert!(client.ask(&mut world, &get("/a"), "/a:").ends_with("/a:"));
}

#[test]
fn a_handshake_has_the_time_of_a_head() {
    let mut world = world("", None);
    let (silent, slow) = (world.connect(), world.connect());
    let mut client = Client::new(&mut world, &version::TLS13, 1024);
    let mut hello = Vec::new();
    client.session.write_tls(&mut hello).unwrap();
    // A drop each two hundred milliseconds does not make the time any longer.
    for drop in hello.chunks(2).take(48) {
        world.send(slow, drop);
        world.receive(slow, 200, |_| false);
    }
    assert!(world.socket(slow).may_recv() && world.socket(silent).may_recv());
    world.receive(slow, 1000, |_| false);
    assert!(!world.socket(slow).may_recv() && !world.socket(silent).may_recv());
    assert_eq!(world.server.counters.slow, [3, 0, 0], "with the one that said nothing at all");
}

#[test]
fn a_session_begins_when_there_is_memory_for_it() {
    let mut world = world("", None);
    world.step();
    world.spare.store(0, Relaxed);
    let mut client = Client::new(&mut world, &version::TLS13, 32 * 1024);
    client.say(&get("/a"));
    assert_eq!(client.hear(&mut world, 3000, |_| false), "");
    assert!(client.session.is_handshaking() && client.end.is_none());
    world.spare.store(4 << 20, Relaxed);
    assert!(client.hear(&mut world, 3000, |heard| heard.ends_with(b"/a:")).ends_with("/a:"));
}

#[test]
fn what_is_no_certificate_or_key_is_refused() {
    let (certificate, key, _) = authority();
    let other = rcgen::KeyPair::generate().unwrap().serialize_pem();
    for (certificate, key, why) in [
        ("", key.as_str(), "no certificate in PEM"),
        (key, key, "no certificate in PEM"),
        (certificate, "", "no private key in PEM"),
        (certificate, "-----BEGIN PRIVATE KEY-----\nAA*=\n-----END PRIVATE KEY-----\n", "private key in PEM"),
        (certificate, &other, "the key is not that of the first certificate"),
    ] {
        let refused = Tls::new(certificate.as_bytes(), key.as_bytes(), || 0).unwrap_err();
        assert!(refused.contains(why), "{refused}");
    }
}
