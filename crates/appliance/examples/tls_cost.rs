//! What TLS takes of a processor, as a process: the server's part of a handshake and of a megabyte.
//!
//!     cargo run --release -p loadstone-appliance --features tls --example tls_cost
//!
//! The code is that of an image. A process may use AVX, whose registers an image does not have, so records
//! are a little faster here. The least of many rounds counts: other work of the machine only adds to one.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use loadstone_appliance::tls::{Session, Tls};
use rustls::client::Resumption;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, SupportedProtocolVersion, version};

const ROUNDS: usize = 300;
const MEGABYTE: usize = 1_000_000;

fn main() {
    let own = rcgen::generate_simple_self_signed(vec!["localhost".into()]).expect("a name");
    let mut roots = RootCertStore::empty();
    roots.add(own.cert.der().clone()).expect("a certificate");
    let (certificate, key) = (own.cert.pem(), own.signing_key.serialize_pem());
    let mut tls =
        Tls::new(certificate.as_bytes(), key.as_bytes(), now_s).expect("a certificate with its key");
    for (name, version) in [("TLS 1.2", &version::TLS12), ("TLS 1.3", &version::TLS13)] {
        let config = client(version, &roots);
        let rounds = (0..ROUNDS).map(|_| round(&mut tls, &config)).collect::<Vec<_>>();
        let least =
            |part: fn(&Parts) -> Duration| rounds.iter().map(part).min().expect("rounds").as_secs_f64();
        println!(
            "{name}: handshake {:.0} us (key on P-256), megabyte to the client {:.0} us, from it {:.0} us",
            least(|parts| parts.handshake) * 1e6,
            least(|parts| parts.sealed) * 1e6,
            least(|parts| parts.opened) * 1e6,
        );
    }
}

fn now_s() -> u64 {
    std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs())
}

fn client(version: &'static SupportedProtocolVersion, roots: &RootCertStore) -> Arc<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .expect("ring has both")
        .with_root_certificates(roots.clone())
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    Arc::new(config)
}

/// Time that the server took for each part.
struct Parts {
    handshake: Duration,
    sealed: Duration,
    opened: Duration,
}

fn round(tls: &mut Tls, config: &Arc<ClientConfig>) -> Parts {
    let name = ServerName::try_from("localhost").expect("a name");
    let mut client = ClientConnection::new(config.clone(), name).expect("a configuration");
    let begun = Instant::now();
    let mut session = tls.session();
    let mut handshake = begun.elapsed();
    while client.is_handshaking() {
        handshake += hear(&mut session, &mut client);
        let mut back = session.outgoing();
        while !back.is_empty() {
            client.read_tls(&mut back).expect("a buffer");
            client.process_new_packets().expect("an honest server");
        }
        session.sent(session.outgoing().len());
    }
    handshake += hear(&mut session, &mut client);
    session.sent(session.outgoing().len());

    let content = vec![b'x'; MEGABYTE];
    let begun = Instant::now();
    let mut sent = 0;
    while sent < content.len() {
        sent += tls.send(&mut session, (&content[sent..], &[]), usize::MAX, <[u8]>::len);
    }
    let sealed = begun.elapsed();

    let mut opened = Duration::ZERO;
    for piece in content.chunks(10_000) {
        client.writer().write_all(piece).expect("a buffer");
        opened += hear(&mut session, &mut client);
    }
    Parts { handshake, sealed, opened }
}

/// Has the server hear what the client says; the time that it takes.
fn hear(session: &mut Session, client: &mut ClientConnection) -> Duration {
    let mut wire = Vec::new();
    while client.wants_write() {
        client.write_tls(&mut wire).expect("a buffer");
    }
    let begun = Instant::now();
    let mut at = 0;
    while at < wire.len() {
        at += session.receive(&wire[at..]).expect("an honest client");
        session.take(session.plain().len());
    }
    begun.elapsed()
}
