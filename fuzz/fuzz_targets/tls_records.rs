//! A server of TLS 1.2 or 1.3 whose bytes are changed, cut, repeated and left out on their way to the engine, or that
//! begins with any bytes at all: the engine refuses with a sentence or goes on, and an answer arrives as it was sent or
//! not at all. Bytes that nobody changes are an answer like any other.
#![no_main]

use std::cell::RefCell;
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};

use libfuzzer_sys::fuzz_target;
use loadstone_engine::records::{Broken, Records, Session, Wire};
use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection};

const QUESTION: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// As large as the engine's: twice what is received at once.
const BUFFER: usize = 256 << 10;
/// More rounds than any handshake has.
const ROUNDS: usize = 32;

/// Of TLS 1.2 and 1.3, and who trusts them.
struct Authority {
    servers: [Arc<ServerConfig>; 2],
    client: Arc<ClientConfig>,
}

fn authority() -> &'static Authority {
    static AUTHORITY: OnceLock<Authority> = OnceLock::new();
    AUTHORITY.get_or_init(|| {
        let own = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let servers = [&rustls::version::TLS12, &rustls::version::TLS13].map(|version| {
            let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
            let config = ServerConfig::builder_with_provider(provider.clone())
                .with_protocol_versions(&[version])
                .unwrap()
                .with_no_client_auth()
                .with_single_cert(vec![own.cert.der().clone()], key)
                .unwrap();
            Arc::new(config)
        });
        let mut roots = RootCertStore::empty();
        roots.add(own.cert.der().clone()).unwrap();
        let client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        Authority { servers, client: Arc::new(client) }
    })
}

thread_local! {
    /// Of a thread, as in the engine.
    static BUFFERS: RefCell<(Records, Vec<u8>)> = RefCell::new((Records::new(true), vec![0; BUFFER]));
}

/// What becomes of a piece of the server's bytes: (its length, what, where, to which value).
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

/// The engine's side of the connection.
struct Engine {
    socket: UnixStream,
    session: Box<Session>,
    wire: Wire,
    heard: Vec<u8>,
    ended: bool,
}

impl Engine {
    /// Does what there is to do; whether the connection lives.
    fn go_on(&mut self) -> bool {
        BUFFERS.with_borrow_mut(|(records, buffer)| {
            let socket = self.socket.as_fd();
            if self.session.handshake().is_none() {
                match self.session.shake_hands(socket, records, &mut self.wire) {
                    Ok(false) => return true,
                    Ok(true) => {
                        let sent = self.session.send(socket, QUESTION, &mut self.wire);
                        // A server that is gone takes nothing.
                        if !sent.is_ok_and(|sent| sent == QUESTION.len()) {
                            return false;
                        }
                    }
                    Err(why) => return is_alive(why),
                }
            }
            while !self.ended {
                match self.session.receive(socket, buffer, records, &mut self.wire) {
                    Ok(received) => {
                        self.heard.extend_from_slice(&buffer[..received.length]);
                        self.ended = received.length == 0;
                    }
                    Err(why) => return is_alive(why),
                }
            }
            true
        })
    }
}

/// Nothing more comes for now, or the connection has broken, and somebody can be told why.
fn is_alive(why: Broken) -> bool {
    match why {
        Broken::Socket(why) => why.kind() == ErrorKind::WouldBlock,
        Broken::Tls(said) => {
            assert!(!said.is_empty());
            false
        }
    }
}

fuzz_target!(|input: (u8, u8, Vec<u8>, Vec<Fate>)| {
    let (kind, length, raw, fates) = input;
    let authority = authority();
    let (ours, theirs) = UnixStream::pair().unwrap();
    ours.set_nonblocking(true).unwrap();
    theirs.set_nonblocking(true).unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(authority.client.clone(), name).unwrap();
    let mut engine = Engine {
        socket: ours,
        session: Session::new(client),
        wire: Wire::default(),
        heard: Vec::new(),
        ended: false,
    };
    let mut server = ServerConnection::new(authority.servers[usize::from(kind & 1)].clone()).unwrap();
    let answer = vec![b'x'; usize::from(length) * 200 + 1];
    let changed = !raw.is_empty() || fates.iter().any(|fate| fate.1 % 16 < 4);
    let (written, lives) = walk(&mut engine, &mut server, &theirs, &answer, raw, fates);
    theirs.shutdown(Shutdown::Write).unwrap();
    let lives = lives && engine.go_on();
    assert!(answer.starts_with(&engine.heard), "what was heard is not what was sent");
    assert!(!lives || engine.wire.received == written || engine.session.said_goodbye());
    assert!(changed || lives && engine.heard == answer && engine.session.said_goodbye());
    // Whoever asks a broken connection again is told so again, and hears nothing new.
    let heard = engine.heard.len();
    assert!(engine.go_on() == lives && engine.heard.len() == heard);
});

/// Moves bytes until neither side has any; how many the engine was sent, and whether its connection lives.
fn walk(
    engine: &mut Engine,
    server: &mut ServerConnection,
    mut theirs: &UnixStream,
    answer: &[u8],
    raw: Vec<u8>,
    fates: Vec<Fate>,
) -> (u64, bool) {
    let (mut fates, mut raw, mut written, mut asked, mut answered) = (fates.into_iter(), raw, 0, 0, false);
    for _ in 0..ROUNDS {
        if !engine.go_on() {
            return (written, false);
        }
        let mut said = [0; 16 << 10];
        while let Ok(length @ 1..) = theirs.read(&mut said) {
            let mut said = &said[..length];
            while !said.is_empty() {
                server.read_tls(&mut said).unwrap();
                if server.process_new_packets().is_err() {
                    return (written, true);
                }
                asked += server.reader().read(&mut [0; QUESTION.len()]).unwrap_or(0);
            }
        }
        if asked == QUESTION.len() && !std::mem::replace(&mut answered, true) {
            server.writer().write_all(answer).unwrap();
            server.send_close_notify();
        }
        let mut wire = std::mem::take(&mut raw);
        while server.wants_write() {
            server.write_tls(&mut wire).unwrap();
        }
        let mut rest = &wire[..];
        while !rest.is_empty() {
            let fate = fates.next().unwrap_or((255, 255, 0, 0));
            let (piece, later) = rest.split_at((usize::from(fate.0) * 8 + 1).min(rest.len()));
            rest = later;
            let piece = on_the_way(piece, fate);
            // What the engine has left before fits beside this.
            theirs.write_all(&piece).unwrap();
            written += piece.len() as u64;
            if !engine.go_on() {
                return (written, false);
            }
        }
    }
    (written, true)
}
