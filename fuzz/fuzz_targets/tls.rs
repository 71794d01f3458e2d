//! A client of TLS 1.2 or 1.3 whose bytes are changed, cut, repeated and left out on their way to a session:
//! the session refuses or goes on, keeps no more than a record, and an answer arrives as it was sent or not at
//! all. Bytes that nobody changes are a session like any other.
#![no_main]

use std::cell::Cell;
use std::io::{Read, Write};
use std::sync::{Arc, OnceLock};

use libfuzzer_sys::fuzz_target;
use loadstone_appliance::tls::{Session, Tls};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore};

/// The server's PEM, and what a client needs to trust it.
struct Authority {
    certificate: String,
    key: String,
    clients: [Arc<ClientConfig>; 2],
}

fn authority() -> &'static Authority {
    static AUTHORITY: OnceLock<Authority> = OnceLock::new();
    AUTHORITY.get_or_init(|| {
        let own = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(own.cert.der().clone()).unwrap();
        let clients = [&rustls::version::TLS12, &rustls::version::TLS13].map(|version| {
            let provider = Arc::new(rustls::crypto::ring::default_provider());
            let config = ClientConfig::builder_with_provider(provider)
                .with_protocol_versions(&[version])
                .unwrap()
                .with_root_certificates(roots.clone())
                .with_no_client_auth();
            Arc::new(config)
        });
        Authority { certificate: own.cert.pem(), key: own.signing_key.serialize_pem(), clients }
    })
}

thread_local! {
    /// Made once: a key takes longer to read than a session.
    static TLS: Cell<Option<Tls>> = const { Cell::new(None) };
}

fn now_s() -> u64 {
    1_800_000_000
}

/// What becomes of a piece of the client's bytes: (its length, what, where, to which value).
type Fate = (u8, u8, u16, u8);

fn on_the_way(bytes: &[u8], (_, kind, place, value): Fate) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = usize::from(place) % bytes.len().max(1);
    match kind % 16 {
        0 if !bytes.is_empty() => bytes[at] = value,
        1 => drop(bytes.split_off(at)),
        2 => bytes.extend_from_within(..),
        3 => bytes.insert(at, value),
        _ => {}
    }
    bytes
}

/// Takes what there is for the application; whether the session lives.
fn feed(session: &mut Session, bytes: &[u8], heard: &mut Vec<u8>) -> bool {
    let mut at = 0;
    while at < bytes.len() {
        match session.receive(&bytes[at..]) {
            Ok(count) => at += count,
            Err(_) => return false,
        }
        assert!(session.plain().len() <= 1 << 15 && session.outgoing().len() <= 1 << 16);
        heard.extend_from_slice(session.plain());
        session.take(session.plain().len());
    }
    true
}

fuzz_target!(|input: (u8, Vec<u8>, Vec<Fate>)| {
    let (version, question, fates) = input;
    let authority = authority();
    let mut tls = TLS.take().unwrap_or_else(|| {
        Tls::new(authority.certificate.as_bytes(), authority.key.as_bytes(), now_s).unwrap()
    });
    walk(&mut tls, authority, version, question, fates);
    TLS.set(Some(tls));
});

fn walk(tls: &mut Tls, authority: &Authority, version: u8, question: Vec<u8>, fates: Vec<Fate>) {
    let mut session = tls.session();
    let name = ServerName::try_from("localhost").unwrap();
    let mut client =
        ClientConnection::new(authority.clients[usize::from(version & 1)].clone(), name).unwrap();
    client.writer().write_all(&question).unwrap();
    let answer = vec![b'x'; usize::from(version) * 200 + 1];
    let (mut heard, mut answered, mut sent, mut alive) = (Vec::new(), Vec::new(), 0, true);
    let changed = fates.iter().any(|fate| fate.1 % 16 < 4);
    let mut fates = fates.into_iter();
    for _ in 0..64 {
        let mut wire = Vec::new();
        while client.wants_write() {
            client.write_tls(&mut wire).unwrap();
        }
        let mut rest = &wire[..];
        while alive && !rest.is_empty() {
            let fate = fates.next().unwrap_or((255, 255, 0, 0));
            let (piece, later) = rest.split_at((usize::from(fate.0) * 8 + 1).min(rest.len()));
            rest = later;
            alive = feed(&mut session, &on_the_way(piece, fate), &mut heard);
        }
        let mut back = session.outgoing().to_vec();
        session.sent(back.len());
        if alive && heard.len() == question.len() && sent < answer.len() {
            sent += tls.send(&mut session, (&answer[sent..], &[]), 1 << 15, |record| {
                back.extend_from_slice(record);
                record.len()
            });
        }
        let mut back = &back[..];
        while !back.is_empty() && client.read_tls(&mut back).unwrap() > 0 {
            if client.process_new_packets().is_err() {
                assert!(changed);
                return;
            }
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = client.reader().read(&mut piece) {
                answered.extend_from_slice(&piece[..count]);
            }
        }
    }
    assert_eq!(answered, answer[..answered.len()]);
    assert!(changed || alive && heard == question && (question.is_empty() || answered == answer));
}
