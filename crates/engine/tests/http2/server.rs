//! A server of HTTP/2 that does what a script says, frame by frame; one thread a connection.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// A request as the server saw it.
#[derive(Debug, Clone)]
pub struct Seen {
    pub fields: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Number of the connection, and of the request on it, from 0.
    pub connection: usize,
    pub nth: usize,
    pub stream: u32,
}

impl Seen {
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    pub fn path(&self) -> &str {
        self.field(":path").unwrap()
    }
}

/// What the server does about a request.
pub enum Reply {
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Keeps them until so many requests of the connection wait, and sends all at once.
    Together(usize, Vec<u8>),
    /// Sends them byte by byte, with a pause after each; what is asked meanwhile waits.
    Drip(Duration, Vec<u8>),
    /// Sends them after a while.
    After(Duration, Vec<u8>),
    /// Sends the first, and the second a while later.
    Slowly(Vec<u8>, Duration, Vec<u8>),
    /// Sends them and closes.
    SendAndClose(Vec<u8>),
    /// Closes with unread data, which resets the connection.
    Reset,
}

pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut out = (payload.len() as u32).to_be_bytes()[1..].to_vec();
    out.extend([kind, flags]);
    out.extend(stream.to_be_bytes());
    out.extend(payload);
    out
}

/// A whole answer on the stream of `request`.
pub fn answer(request: &Seen, status: u16, fields: &[(&str, &str)], body: &str) -> Vec<u8> {
    let status = status.to_string();
    let mut head = Vec::new();
    for (name, value) in [(":status", status.as_str())].iter().chain(fields) {
        // A literal that is not indexed, its texts as they are.
        head.push(0);
        for text in [name, value] {
            assert!(text.len() < 127);
            head.push(text.len() as u8);
            head.extend(text.as_bytes());
        }
    }
    let mut out = frame(HEADERS, END_HEADERS, request.stream, &head);
    let pieces: Vec<&[u8]> = body.as_bytes().chunks(16_384).collect();
    for (number, piece) in pieces.iter().enumerate() {
        let end = if number + 1 == pieces.len() { END_STREAM } else { 0 };
        out.extend(frame(DATA, end, request.stream, piece));
    }
    if pieces.is_empty() {
        out.extend(frame(DATA, END_STREAM, request.stream, &[]));
    }
    out
}

/// An answer of which the content comes so much later than the head.
pub fn slowly(request: &Seen, pause: Duration, fields: &[(&str, &str)], body: &str) -> Reply {
    let mut head = answer(request, 200, fields, body);
    let length = 9 + u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
    let rest = head.split_off(length);
    Reply::Slowly(head, pause, rest)
}

pub fn ok(request: &Seen) -> Vec<u8> {
    answer(request, 200, &[], "ok")
}

/// A page with these images.
pub fn page(request: &Seen, images: impl Iterator<Item = String>) -> Vec<u8> {
    let images: String = images.map(|path| format!("<img src={path}>")).collect();
    answer(request, 200, &[("content-type", "text/html")], &format!("<!doctype html>{images}"))
}

pub fn reset(request: &Seen, code: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, request.stream, &code.to_be_bytes())
}

pub fn goaway(last: u32, code: u32) -> Vec<u8> {
    frame(GOAWAY, 0, 0, &[last.to_be_bytes(), code.to_be_bytes()].concat())
}

pub struct Server {
    pub port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
    /// Most requests of one connection that waited for an answer at once.
    most: Arc<AtomicUsize>,
}

impl Server {
    pub fn start(script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::with(&[], script)
    }

    /// A server that begins with these settings.
    pub fn with(settings: &[(u16, u32)], script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, most) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let settings: Vec<u8> = settings
            .iter()
            .flat_map(|(name, value)| [&name.to_be_bytes()[..], &value.to_be_bytes()].concat())
            .collect();
        let (script, log, highest) = (Arc::new(script), seen.clone(), most.clone());
        std::thread::spawn(move || {
            for (connection, stream) in listener.incoming().enumerate() {
                let (script, log, highest) = (script.clone(), log.clone(), highest.clone());
                let settings = settings.clone();
                std::thread::spawn(move || {
                    let socket = stream.unwrap();
                    socket.set_nodelay(true).unwrap();
                    let answers = Arc::new(Answers {
                        socket: Mutex::new(socket.try_clone().unwrap()),
                        open: AtomicUsize::new(0),
                    });
                    answers.send(&frame(SETTINGS, 0, 0, &settings));
                    let serving = Serving { connection, script: &*script, log: &log, highest: &highest };
                    let _ = serving.serve(socket, &answers);
                });
            }
        });
        Self { port, seen, most }
    }

    pub fn requests(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        self.requests().iter().map(|one| one.connection + 1).max().unwrap_or(0)
    }

    pub fn most_at_once(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

/// The sending side of a connection.
struct Answers {
    socket: Mutex<TcpStream>,
    open: AtomicUsize,
}

impl Answers {
    /// Whether the client is still there.
    fn send(&self, bytes: &[u8]) -> bool {
        self.socket.lock().unwrap().write_all(bytes).is_ok()
    }

    /// The same, as what so many requests have waited for.
    fn answer(&self, bytes: &[u8], requests: usize) {
        self.open.fetch_sub(requests, Ordering::SeqCst);
        self.send(bytes);
    }
}

struct Serving<'a> {
    connection: usize,
    script: &'a (dyn Fn(&Seen) -> Reply + Send + Sync),
    log: &'a Mutex<Vec<Seen>>,
    highest: &'a AtomicUsize,
}

impl Serving<'_> {
    fn serve(&self, mut socket: TcpStream, answers: &Arc<Answers>) -> std::io::Result<()> {
        let mut preface = [0; 24];
        socket.read_exact(&mut preface)?;
        assert_eq!(&preface, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        let mut hpack = loona_hpack::Decoder::new();
        let (mut begun, mut kept, mut nth) = (HashMap::new(), Vec::new(), 0);
        loop {
            let mut head = [0; 9];
            socket.read_exact(&mut head)?;
            let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
            socket.read_exact(&mut payload)?;
            let (kind, flags) = (head[3], head[4]);
            let stream = u32::from_be_bytes(head[5..].try_into().unwrap());
            match kind {
                HEADERS => {
                    assert!(flags & END_HEADERS != 0, "the head of a test's request is short");
                    let fields = hpack.decode(&payload).expect("HPACK");
                    begun.insert(stream, (texts(fields), Vec::new()));
                }
                DATA => {
                    begun.get_mut(&stream).unwrap().1.extend(&payload);
                    if !payload.is_empty() {
                        let more = (payload.len() as u32).to_be_bytes();
                        answers.send(&frame(WINDOW_UPDATE, 0, 0, &more));
                        answers.send(&frame(WINDOW_UPDATE, 0, stream, &more));
                    }
                }
                SETTINGS if flags == 0 => drop(answers.send(&frame(SETTINGS, 1, 0, &[]))),
                PING if flags == 0 => drop(answers.send(&frame(PING, 1, 0, &payload))),
                _ => {}
            }
            if !matches!(kind, HEADERS | DATA) || flags & END_STREAM == 0 {
                continue;
            }
            let (fields, body) = begun.remove(&stream).unwrap();
            let seen = Seen { fields, body, connection: self.connection, nth, stream };
            nth += 1;
            self.highest.fetch_max(answers.open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            self.log.lock().unwrap().push(seen.clone());
            match (self.script)(&seen) {
                Reply::Send(bytes) => answers.answer(&bytes, 1),
                Reply::Together(count, bytes) => {
                    kept.push(bytes);
                    if kept.len() == count {
                        answers.answer(&std::mem::take(&mut kept).concat(), count);
                    }
                }
                Reply::Drip(pause, bytes) => {
                    for byte in &bytes {
                        std::thread::sleep(pause);
                        if !answers.send(std::slice::from_ref(byte)) {
                            return Ok(());
                        }
                    }
                    answers.answer(&[], 1);
                }
                Reply::After(delay, bytes) => {
                    let answers = answers.clone();
                    std::thread::spawn(move || {
                        std::thread::sleep(delay);
                        answers.answer(&bytes, 1);
                    });
                }
                Reply::Slowly(head, delay, rest) => {
                    answers.send(&head);
                    let answers = answers.clone();
                    std::thread::spawn(move || {
                        std::thread::sleep(delay);
                        answers.answer(&rest, 1);
                    });
                }
                Reply::SendAndClose(bytes) => {
                    answers.send(&bytes);
                    return socket.shutdown(std::net::Shutdown::Both);
                }
                Reply::Reset => {
                    rustix::net::sockopt::set_socket_linger(&socket, Some(Duration::ZERO))?;
                    answers.socket.lock().unwrap().shutdown(std::net::Shutdown::Read)?;
                    return Ok(());
                }
            }
        }
    }
}

fn texts(fields: Vec<(Vec<u8>, Vec<u8>)>) -> Vec<(String, String)> {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    fields.into_iter().map(|(name, value)| (text(name), text(value))).collect()
}
