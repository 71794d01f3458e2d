//! What only TLS has: handshakes, versions, resumption, certificates and their exchange.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use loadstone_container::{Config, Tls};
use rustls::{ClientConfig, ClientConnection, HandshakeKind, StreamOwned};

use crate::authority::{Identity, folder, ours};
use crate::client::Client;
use crate::{each, eventually, start};

const GET: &[u8] = b"GET /hello HTTP/1.1\r\nHost: test\r\n\r\n";

type Session = StreamOwned<ClientConnection, TcpStream>;

fn open(address: SocketAddr, config: &Arc<ClientConfig>) -> Session {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    StreamOwned::new(ClientConnection::new(config.clone(), "test".try_into().unwrap()).unwrap(), stream)
}

/// Whether a request is answered.
fn ask(session: &mut Session) -> std::io::Result<bool> {
    session.write_all(GET)?;
    let mut answer = Vec::new();
    while !answer.ends_with(b"hello") {
        let mut piece = [0; 4096];
        let count = session.read(&mut piece)?;
        if count == 0 {
            return Ok(false);
        }
        answer.extend_from_slice(&piece[..count]);
    }
    Ok(answer.starts_with(b"HTTP/1.1 200 OK\r\n"))
}

#[test]
fn both_versions_are_spoken_and_sessions_resumed() {
    each(|config| {
        let (server, _) = start(config);
        for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
            let mut client = ours().trusting_only(version);
            client.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
            let client = Arc::new(client);
            for expected in [HandshakeKind::Full, HandshakeKind::Resumed] {
                let mut session = open(server.address(), &client);
                assert!(ask(&mut session).unwrap());
                assert_eq!(session.conn.protocol_version(), Some(version.version));
                assert_eq!(session.conn.alpn_protocol(), Some(&b"http/1.1"[..]));
                assert_eq!(session.conn.handshake_kind(), Some(expected), "{:?}", version.version);
            }
        }
        assert_eq!(server.counters().failed_handshakes, 0);
    });
}

#[test]
fn failed_handshakes_are_counted_and_harm_nobody() {
    each(|config| {
        let (server, _) = start(config);
        let mut well = Client::connect(server.address());
        assert_eq!(well.get("/hello").text(), "hello");
        let mut plain = TcpStream::connect(server.address()).unwrap();
        plain.write_all(GET).unwrap();
        let mut answer = Vec::new();
        let _ = plain.read_to_end(&mut answer);
        // An alert of the level `fatal`, and the end.
        assert_eq!((answer[0], answer[5]), (21, 2), "{answer:?}");
        eventually("it is counted", || server.counters().failed_handshakes == 1);
        let stranger = Arc::new(Identity::new("stranger").trusting());
        assert!(ask(&mut open(server.address(), &stranger)).is_err());
        let mut other = ours().trusting();
        other.alpn_protocols = vec![b"h2".to_vec()];
        assert!(ask(&mut open(server.address(), &Arc::new(other))).is_err());
        drop(TcpStream::connect(server.address()).unwrap());
        eventually("all are counted", || server.counters().failed_handshakes == 4);
        assert_eq!(well.get("/hello").text(), "hello");
        assert_eq!((server.counters().bad_requests, server.counters().requests), (0, 2));
    });
}

#[test]
fn a_stalled_handshake_has_the_time_of_a_head() {
    each(|config| {
        let mut config = config;
        config.timeouts.head = Duration::from_millis(60);
        let (server, _) = start(config);
        let mut stalled = TcpStream::connect(server.address()).unwrap();
        // The beginning of a handshake record of 512 bytes.
        stalled.write_all(&[22, 3, 1, 2, 0, 1]).unwrap();
        assert_eq!(stalled.read(&mut [0; 16]).unwrap(), 0);
        let counters = server.counters();
        assert_eq!((counters.closed_by_timeout, counters.failed_handshakes), (1, 1));
    });
}

#[test]
fn a_certificate_is_exchanged_without_closing_a_connection() {
    each(|config| {
        let (old, new) = (Identity::new("old"), Identity::new("new"));
        let folder = folder(config.connector.name());
        let (certificate, key) = (folder.join("cert.pem"), folder.join("key.pem"));
        let install = |identity: &Identity| {
            std::fs::copy(&identity.certificate, &certificate).unwrap();
            std::fs::copy(&identity.key, &key).unwrap();
        };
        install(&old);
        let tls = Arc::new(Tls::load(&certificate, &key).unwrap());
        let (server, _) = start(Config { tls: Some(tls), ..config });
        let trusts_old = Arc::new(old.trusting());
        let mut before = open(server.address(), &trusts_old);
        assert!(ask(&mut before).unwrap());

        std::fs::copy(&new.certificate, &certificate).unwrap();
        let refused = server.reload().unwrap_err().to_string();
        assert!(refused.contains("key.pem is not the key of the first certificate in"), "{refused}");
        assert!(ask(&mut open(server.address(), &Arc::new(old.trusting()))).unwrap());

        install(&new);
        server.reload().unwrap();
        assert!(ask(&mut before).unwrap());
        assert!(ask(&mut open(server.address(), &Arc::new(new.trusting()))).unwrap());
        assert!(ask(&mut open(server.address(), &Arc::new(old.trusting()))).is_err());
        assert!(ask(&mut before).unwrap());
    });
}

#[test]
fn files_that_hold_something_else_are_named() {
    let folder = folder("broken");
    let (empty, nonsense) = (folder.join("empty.pem"), folder.join("nonsense.pem"));
    std::fs::write(&empty, "").unwrap();
    std::fs::write(&nonsense, "-----BEGIN CERTIFICATE-----\nMAo=\n-----END CERTIFICATE-----\n").unwrap();
    let ours = ours();
    for (certificate, key, sentence) in [
        (&folder.join("none.pem"), &ours.key, "cannot read "),
        (&ours.certificate, &folder.join("none.pem"), "cannot read "),
        (&empty, &ours.key, "empty.pem holds no certificate in PEM"),
        (&ours.certificate, &empty, "empty.pem holds no private key in PEM"),
        (&nonsense, &ours.key, "nonsense.pem cannot be used: "),
        (&ours.key, &ours.certificate, "key.pem holds no certificate in PEM"),
    ] {
        let refused = Tls::load(certificate, key).unwrap_err().to_string();
        assert!(refused.contains(sentence), "{refused}");
    }
}
