//! The application of the tests.

use std::fs::File;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use loadstone_http::{Body, FilePart, Handler, Produce, Request, Response, Service};

/// What `/big` answers.
pub const BIG: usize = 16 * 1024 * 1024;

/// A gate at which `/wait` stops, and the number of requests that stand there.
#[derive(Default)]
pub struct Gate {
    state: Mutex<(bool, usize)>,
    change: Condvar,
}

impl Gate {
    pub fn open(&self) {
        self.state.lock().unwrap().0 = true;
        self.change.notify_all();
    }

    pub fn waiting(&self) -> usize {
        self.state.lock().unwrap().1
    }

    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.1 += 1;
        let mut state = self.change.wait_while(state, |state| !state.0).unwrap();
        state.1 -= 1;
    }
}

#[derive(Default)]
pub struct App {
    pub gate: Arc<Gate>,
    /// Handlers made so far.
    pub handlers: Mutex<usize>,
    /// What `/file?START-END` answers from.
    pub file: Arc<Mutex<Option<Arc<File>>>>,
    /// Bytes of streams made so far.
    pub streamed: Arc<AtomicUsize>,
    /// Whether making another handler panics.
    pub broken: AtomicBool,
}

impl Service for App {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        assert!(!self.broken.load(Ordering::SeqCst), "no handler, as the test wants");
        *self.handlers.lock().unwrap() += 1;
        Ok(Box::new(Page {
            gate: self.gate.clone(),
            file: self.file.clone(),
            streamed: self.streamed.clone(),
            poisoned: false,
        }))
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        assert!(
            !self.poisoned || std::thread::panicking(),
            "a broken handler breaks when it is dropped, too"
        );
    }
}

struct Page {
    gate: Arc<Gate>,
    file: Arc<Mutex<Option<Arc<File>>>>,
    streamed: Arc<AtomicUsize>,
    poisoned: bool,
}

/// Pieces of `x`, and how it ends.
struct Pieces {
    left: usize,
    bytes: usize,
    end: String,
    gate: Arc<Gate>,
    streamed: Arc<AtomicUsize>,
}

impl Produce for Pieces {
    fn produce(&mut self, into: &mut Vec<u8>) -> Result<bool, String> {
        if self.left == 0 {
            match self.end.as_str() {
                "error" => return Err("as the test wants".into()),
                "panic" => panic!("the stream panics, as the test wants"),
                "gate" => self.gate.pass(),
                _ => {}
            }
            return Ok(false);
        }
        self.left -= 1;
        self.streamed.fetch_add(self.bytes, Ordering::SeqCst);
        into.resize(into.len() + self.bytes, b'x');
        Ok(true)
    }
}

impl Handler for Page {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        assert!(!self.poisoned, "a handler that panicked was used again");
        match request.path {
            "/hello" => drop(response.text("hello")),
            "/echo" => response.buffer().extend_from_slice(request.body),
            "/query" => drop(response.text(request.query.to_owned())),
            "/wait" => {
                self.gate.pass();
                response.text("waited");
            }
            "/big" => response.buffer().resize(BIG, b'x'),
            "/parts" => {
                for part in request.multipart().unwrap() {
                    let part = part.unwrap();
                    let line = format!("{} {:?} {}\n", part.name, part.filename, part.data.len());
                    response.buffer().extend_from_slice(line.as_bytes());
                }
            }
            "/file" => {
                let (start, end) = request.query.split_once('-').unwrap();
                let (start, end): (u64, u64) = (start.parse().unwrap(), end.parse().unwrap());
                let file = self.file.lock().unwrap().clone().unwrap();
                response.body = Body::File(FilePart { file, start, bytes: (end - start) as usize });
            }
            "/stream" => {
                let mut words = request.query.split('-');
                let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap();
                let (left, bytes) = (number(), number());
                let end = words.next().unwrap_or("").into();
                let (gate, streamed) = (self.gate.clone(), self.streamed.clone());
                response.stream("text/plain", Pieces { left, bytes, end, gate, streamed });
            }
            "/tagged" => drop(response.html("<p>tagged</p>".repeat(500)).header("ETag", "\"v1\"")),
            "/none" => drop(response.status(204)),
            "/close" => drop(response.text("bye").close()),
            "/panic" => {
                self.poisoned = true;
                response.header("X-Half", "done");
                panic!("the application panics, as the test wants");
            }
            _ => drop(response.not_found()),
        }
    }
}
