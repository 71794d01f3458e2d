//! A client that reads and writes raw bytes, and fails instead of waiting for ever.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use loadstone_http::{BodyFraming, ChunkedDecoder, Method, ResponseHead};

/// A response as received.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub keep_alive: bool,
    /// Header fields as received.
    pub fields: String,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

/// What a client speaks through.
pub trait Stream: Read + Write + Send {
    /// Says that nothing more will be sent.
    fn finish(&mut self);
}

pub struct Client {
    stream: Box<dyn Stream>,
    received: Vec<u8>,
}

impl Client {
    pub fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream: crate::transport::speak(stream), received: Vec::new() }
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).unwrap();
    }

    /// Sends bytes of which the server may refuse the rest.
    pub fn try_send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.stream.write_all(bytes.as_ref());
    }

    pub fn finish(&mut self) {
        self.stream.finish();
    }

    pub fn get(&mut self, path: &str) -> Reply {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: test\r\n\r\n"));
        self.reply()
    }

    pub fn reply(&mut self) -> Reply {
        self.reply_to(Method::Get)
    }

    #[track_caller]
    pub fn reply_to(&mut self, method: Method) -> Reply {
        loop {
            if let Some((reply, used)) = parse(&self.received, method) {
                self.received.drain(..used);
                return reply;
            }
            assert!(self.fill() > 0, "closed in a response: {:?}", String::from_utf8_lossy(&self.received));
        }
    }

    /// Whether the server closes in order, without another byte.
    #[track_caller]
    pub fn assert_closed(&mut self) {
        assert_eq!(self.fill(), 0, "{:?}", String::from_utf8_lossy(&self.received));
        assert!(self.received.is_empty());
    }

    /// Whether the connection ends, in order or cut.
    pub fn is_cut(&mut self) -> bool {
        match self.stream.read(&mut [0; 64]) {
            Ok(count) => count == 0,
            Err(error) => error.kind() == ErrorKind::ConnectionReset,
        }
    }

    /// All that still comes, and whether the connection ends in order.
    pub fn rest_and_end(&mut self) -> (Vec<u8>, bool) {
        let mut piece = [0; 64 * 1024];
        let end = loop {
            match self.stream.read(&mut piece) {
                Ok(0) => break true,
                Ok(count) => self.received.extend_from_slice(&piece[..count]),
                Err(_) => break false,
            }
        };
        (std::mem::take(&mut self.received), end)
    }

    #[track_caller]
    fn fill(&mut self) -> usize {
        let mut piece = [0; 64 * 1024];
        let count = self.stream.read(&mut piece).unwrap();
        self.received.extend_from_slice(&piece[..count]);
        count
    }
}

fn parse(bytes: &[u8], method: Method) -> Option<(Reply, usize)> {
    let (head, length) = ResponseHead::parse(bytes).unwrap()?;
    let (body, used) = match head.framing(method) {
        BodyFraming::None => (Vec::new(), 0),
        BodyFraming::Length(body) => (bytes.get(length..length + body as usize)?.to_vec(), body as usize),
        BodyFraming::Chunked => {
            let (mut decoder, mut body) = (ChunkedDecoder::new(), Vec::new());
            let used = decoder.decode(&bytes[length..], |data| body.extend_from_slice(data)).unwrap();
            decoder.is_done().then_some((body, used))?
        }
        BodyFraming::Close => panic!("only the end of the connection tells: see `rest`"),
    };
    let fields = String::from_utf8(head.headers.as_bytes().to_vec()).unwrap();
    Some((Reply { status: head.status, keep_alive: head.keep_alive, fields, body }, length + used))
}
