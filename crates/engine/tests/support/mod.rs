//! A scripted server and short runs against it.
#![allow(dead_code, reason = "every test binary uses a part of it")]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use loadstone_engine::{CAUSES, COUNTERS, OperationWindow, Run, Sparse, Summary, Window};
use loadstone_stats::Histogram;
use loadstone_workload::Plan;
use serde_json::{Value as Json, json};

/// A request as the server saw it.
#[derive(Debug, Clone)]
pub struct Seen {
    pub method: String,
    pub path: String,
    /// Field lines, lower-case names.
    pub fields: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Number of the connection, and of the request on it, from 0.
    pub connection: usize,
    pub nth: usize,
    pub at: Instant,
}

impl Seen {
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// What the server does with a request.
pub enum Reply {
    /// Sends these pieces, one after the other, and waits for the next request.
    Send(Vec<Vec<u8>>),
    /// The same, each piece after so many milliseconds.
    Slowly(Vec<(u64, Vec<u8>)>),
    /// Sends this byte by byte, with a pause after each, and waits for the next request.
    Drip(Vec<u8>, Duration),
    /// Sends this and closes.
    SendAndClose(Vec<u8>),
    /// Closes with unread or unsent data, which resets the connection.
    Reset,
    /// Sends the first, then the second for as long as it is taken.
    Endless(&'static str, &'static str),
    /// Answers never.
    Silence,
}

/// A whole answer with this status, extra field lines and body.
pub fn answer(status: u16, fields: &str, body: &str) -> Reply {
    let length = body.len();
    Reply::Send(vec![
        format!("HTTP/1.1 {status} X\r\n{fields}Content-Length: {length}\r\n\r\n{body}").into_bytes(),
    ])
}

/// An answer whose head comes after so many milliseconds, and its body after some more.
pub fn slowly(head_ms: u64, body_ms: u64, fields: &str, body: &str) -> Reply {
    let head = format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: {}\r\n\r\n", body.len());
    Reply::Slowly(vec![(head_ms, head.into_bytes()), (body_ms, body.as_bytes().to_vec())])
}

pub fn page(body: &str) -> Reply {
    answer(200, "Content-Type: text/html\r\n", &format!("<!doctype html><html><body>{body}</body></html>"))
}

/// A server on a port of its own, one thread a connection.
pub struct Server {
    pub port: u16,
    pub seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    pub fn start(script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (script, log) = (Arc::new(script), seen.clone());
        std::thread::spawn(move || {
            let connections = AtomicUsize::new(0);
            for stream in listener.incoming() {
                let (script, log) = (script.clone(), log.clone());
                let connection = connections.fetch_add(1, Ordering::Relaxed);
                std::thread::spawn(move || serve(stream.unwrap(), connection, &*script, &log));
            }
        });
        Self { port, seen }
    }

    pub fn requests(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub fn paths(&self) -> Vec<String> {
        self.requests().iter().map(|r| format!("{} {}", r.method, r.path)).collect()
    }
}

fn serve(stream: TcpStream, connection: usize, script: &dyn Fn(&Seen) -> Reply, log: &Mutex<Vec<Seen>>) {
    stream.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    for nth in 0.. {
        let Some(request) = read_request(&mut reader, connection, nth) else { return };
        log.lock().unwrap().push(request.clone());
        match script(&request) {
            Reply::Send(pieces) => {
                for piece in pieces {
                    if writer.write_all(&piece).is_err() {
                        return;
                    }
                }
            }
            Reply::Slowly(pieces) => {
                for (pause, piece) in pieces {
                    std::thread::sleep(Duration::from_millis(pause));
                    if writer.write_all(&piece).is_err() {
                        return;
                    }
                }
            }
            Reply::Drip(bytes, pause) => {
                if !drip(&mut writer, &bytes, pause) {
                    return;
                }
            }
            Reply::SendAndClose(bytes) => {
                let _ = writer.write_all(&bytes);
                return;
            }
            Reply::Reset => {
                // Closing with received bytes unread sends a reset; the request's last bytes are in the
                // reader only.
                rustix::net::sockopt::set_socket_linger(&writer, Some(Duration::ZERO)).unwrap();
                return;
            }
            Reply::Endless(head, filler) => {
                let pieces = filler.repeat(65_536 / filler.len());
                let _ = writer.write_all(head.as_bytes());
                while writer.write_all(pieces.as_bytes()).is_ok() {}
                return;
            }
            Reply::Silence => std::thread::sleep(Duration::from_secs(60)),
        }
    }
}

/// Sends bytes one at a time, with a pause after each; whether all were taken.
pub fn drip(writer: &mut impl Write, bytes: &[u8], pause: Duration) -> bool {
    bytes.iter().all(|byte| {
        let taken = writer.write_all(&[*byte]).is_ok();
        std::thread::sleep(pause);
        taken
    })
}

fn read_request(reader: &mut impl BufRead, connection: usize, nth: usize) -> Option<Seen> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
    let at = Instant::now();
    let mut words = line.split(' ');
    let (method, path) = (words.next()?.to_string(), words.next()?.to_string());
    let mut fields = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        fields.push((name.to_ascii_lowercase(), value.to_string()));
    }
    let length = fields.iter().find(|(n, _)| n == "content-length").map_or(0, |(_, v)| v.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Seen { method, path, fields, body, connection, nth, at })
}

/// A plan of one user and these operations, that lasts `steady_s` after no ramp-up. Its mix goes round.
pub fn plan(port: u16, steady_s: f64, operations: Json) -> Json {
    let names: Vec<String> =
        operations.as_array().unwrap().iter().map(|o| o["name"].as_str().unwrap().to_string()).collect();
    let mix: serde_json::Map<String, Json> = names
        .iter()
        .enumerate()
        .map(|(i, name)| (name.clone(), json!({names[(i + 1) % names.len()].clone(): 1})))
        .collect();
    json!({
        "name": "test", "seed": 1,
        "target": {"host": "127.0.0.1", "port": port, "authority": format!("127.0.0.1:{port}"), "base_path": ""},
        "load": {"users": 1, "ramp_up_s": 0, "steady_s": steady_s, "ramp_down_s": 0, "timeout_s": 5},
        "slice": {"index": 0, "of": 1},
        "pacing": {"kind": "think", "law": {"kind": "fixed", "value_s": 0.02}},
        "session": {"first": names[0]},
        "browser": {"warm_share": 0, "revalidate": true, "cached": ["/assets/"], "user_agent": "test"},
        "operations": operations,
        "mix": mix
    })
}

/// An operation of these steps.
pub fn operation(name: &str, steps: Json) -> Json {
    json!({"name": name, "limit_s": 1, "steps": steps})
}

/// A GET, with more fields of the step.
pub fn get(path: &str, more: Json) -> Json {
    let mut step = json!({"method": "GET", "path": path});
    step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    step
}

/// What came of a run.
pub struct Outcome {
    pub windows: Vec<Window>,
    pub summary: Summary,
}

/// Runs a plan to its end.
pub fn run(plan: Json) -> Outcome {
    finish(&Run::start(serde_json::from_value::<Plan>(plan).unwrap()).unwrap())
}

/// How long a machine may stand still before times taken on it say nothing.
const STANDSTILL: Duration = Duration::from_millis(15);
/// A machine that has no quiet moment in so many runs judges nothing.
const TRIES: usize = 12;

/// What came of a run whose times are judged: one during which the machine stood still is made again. `run`
/// makes everything anew, its server, too. None on a machine that always stands still: its times say nothing.
pub fn steadily(run: impl Fn() -> Outcome) -> Option<Outcome> {
    for _ in 0..TRIES {
        let (outcome, longest) = watched(&run);
        if longest < STANDSTILL {
            return Some(outcome);
        }
        println!("the machine stood still for {longest:?}: once more");
    }
    println!("not judged");
    None
}

/// What came of a run, and how long the machine stood still meanwhile.
pub fn watched<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| longest_standstill(&over));
        let outcome = run();
        over.store(true, Ordering::Relaxed);
        (outcome, watch.join().unwrap())
    })
}

/// By how much the longest of many short sleeps was too long.
fn longest_standstill(over: &AtomicBool) -> Duration {
    let sleep = Duration::from_millis(2);
    let mut longest = Duration::ZERO;
    while !over.load(Ordering::Relaxed) {
        let began = Instant::now();
        std::thread::sleep(sleep);
        longest = longest.max(began.elapsed() - sleep);
    }
    longest
}

/// Takes the windows of a run to its end.
pub fn finish(run: &Run) -> Outcome {
    let mut windows = Vec::new();
    let summary = loop {
        windows.extend(run.next(Duration::from_millis(50)));
        if let Some(summary) = run.summary() {
            break summary;
        }
    };
    let seconds: Vec<u32> = windows.iter().map(|w| w.second).collect();
    assert!(
        seconds.iter().copied().eq(0..seconds.len() as u32),
        "windows in order, none missing: {seconds:?}"
    );
    Outcome { windows, summary }
}

impl Outcome {
    pub fn of(&self, operation: u32) -> impl Iterator<Item = &OperationWindow> {
        self.windows.iter().flat_map(|w| &w.operations).filter(move |o| o.operation == operation)
    }

    pub fn ok(&self, operation: u32) -> u64 {
        self.of(operation).map(|o| o.ok).sum()
    }

    /// Failures by cause, those that occurred.
    pub fn failures(&self) -> Vec<(&'static str, u64)> {
        let sum =
            |cause: usize| self.windows.iter().flat_map(|w| &w.operations).map(|o| o.failed[cause]).sum();
        let all = CAUSES.iter().enumerate().map(|(i, cause)| (*cause, sum(i)));
        all.filter(|(_, count)| *count > 0).collect()
    }

    pub fn counter(&self, operation: u32, name: &str) -> u64 {
        let index = COUNTERS.iter().position(|c| *c == name).unwrap();
        self.of(operation).map(|o| o.counters[index]).sum()
    }

    /// A histogram of one operation over all windows and phases.
    pub fn times(&self, operation: u32, kind: fn(&OperationWindow) -> &Sparse) -> Histogram {
        let mut times = Histogram::new();
        for sparse in self.of(operation).map(kind) {
            for (bucket, count) in sparse.bucket.iter().zip(&sparse.count) {
                times.add(*bucket as usize, *count);
            }
        }
        times
    }
}
