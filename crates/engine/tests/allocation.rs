//! In steady state nothing is allocated for a request, and nothing is kept.

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use loadstone_engine::Run;
use serde_json::{Value as Json, json};
use support::{get, operation, plan};

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
/// Bytes allocated and not freed.
static LIVE: AtomicU64 = AtomicU64::new(0);
/// The largest block ever asked for.
static LARGEST: AtomicU64 = AtomicU64::new(0);

struct Counting;

// SAFETY: everything is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        LIVE.fetch_add(layout.size() as u64, Ordering::Relaxed);
        LARGEST.fetch_max(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        LIVE.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        LIVE.fetch_add(size as u64, Ordering::Relaxed);
        LIVE.fetch_sub(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The counter is the process's: one measurement at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A server that allocates nothing between requests: it answers whatever ends with an empty line.
fn constant_server(answer: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || answer_all(stream.unwrap(), answer));
        }
    });
    port
}

fn answer_all(mut stream: TcpStream, answer: &[u8]) {
    let mut buffer = [0; 4_096];
    while let Ok(1..) = stream.read(&mut buffer) {
        if stream.write_all(answer).is_err() {
            return;
        }
    }
}

/// The whole process in the second second of a flat-out run.
#[derive(Debug)]
struct Steady {
    requests: u64,
    allocations: u64,
    /// Bytes more at its end than at its beginning.
    growth: i64,
}

fn steady(answer: &'static [u8], mut operation: Json, draws: Json) -> Steady {
    let _guard = ONE_AT_A_TIME.lock();
    operation["draw"] = draws;
    let mut plan = plan(constant_server(answer), 3.0, json!([operation]));
    plan["load"]["users"] = json!(4);
    plan["browser"]["warm_share"] = json!(1);
    plan["pacing"]["law"]["value_s"] = json!(0);
    let run = Run::start(serde_json::from_value(plan).unwrap()).unwrap();
    let next = || run.next(Duration::from_secs(60)).unwrap();
    // The first second connects and grows what is reused from then on.
    let warm = next();
    assert!(
        warm.operations.iter().all(|o| o.failed.iter().all(|count| *count == 0)),
        "{:?}",
        warm.operations
    );
    drop(warm);
    let now = || (ALLOCATIONS.load(Ordering::Relaxed), LIVE.load(Ordering::Relaxed) as i64);
    let (allocations, live) = now();
    let measured = next();
    assert_eq!(measured.connects, 0, "connections stay");
    let requests = measured.requests;
    drop(measured);
    let (allocations_after, live_after) = now();
    Steady { requests, allocations: allocations_after - allocations, growth: live_after - live }
}

fn is_none_per_request(steady: &Steady) {
    // Windows are built and sent once a second, whatever the number of requests, which is small on a busy machine:
    // one or two hundred allocations. One for each request would be more.
    let few = (200 + steady.requests / 4).min(600);
    assert!(steady.requests > 0 && steady.allocations < few, "{steady:?}");
    // A block of the channel may come or go.
    assert!(steady.growth < 2_000, "{steady:?}");
}

#[test]
fn more_users_than_there_can_be_are_refused_before_memory_is_taken() {
    let _guard = ONE_AT_A_TIME.lock();
    let mut plan = plan(1, 3.0, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["load"]["users"] = json!(u32::MAX);
    LARGEST.store(0, Ordering::Relaxed);
    let plan = serde_json::from_value(plan).unwrap();
    // Without a limit of open files nothing refuses them.
    let refused = rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum.is_some();
    assert!(!refused || Run::start(plan).is_err_and(|said| said.contains("4294967295 users")));
    assert!(LARGEST.load(Ordering::Relaxed) < 4 << 20);
}

#[test]
fn a_static_page() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello";
    is_none_per_request(&steady(answer, operation("op", json!([get("/", json!({}))])), json!([])));
}

#[test]
fn sessions_that_come_and_go() {
    let _guard = ONE_AT_A_TIME.lock();
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    let mut plan = plan(constant_server(answer), 3.0, json!([operation("op", json!([get("/", json!({}))]))]));
    let load =
        json!({"sessions_per_s": 40, "ramp_up_s": 0, "steady_s": 3, "ramp_down_s": 0, "timeout_s": 60});
    plan["load"] = load;
    plan["session"]["max_operations"] = json!(200);
    plan["mix"]["op"] = json!({"op": 0.5, "back": 0.5});
    plan["pacing"]["law"]["value_s"] = json!(0);
    let run = Run::start(serde_json::from_value(plan).unwrap()).unwrap();
    let next = || run.next(Duration::from_secs(60)).unwrap();
    drop(next());
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let measured = next();
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    // The server makes a thread for each session, which takes some; its requests, hundreds of times as many,
    // take none.
    let begun: u64 = measured.sessions.iter().map(|s| s.begun).sum();
    assert!(
        allocations < 600 + 30 * begun,
        "{allocations} of {begun} sessions, {} requests",
        measured.requests
    );
}

#[test]
fn operations_that_arrive_at_a_rate() {
    let _guard = ONE_AT_A_TIME.lock();
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    let mut plan = plan(constant_server(answer), 3.0, json!([operation("op", json!([get("/", json!({}))]))]));
    plan["load"] = json!({"requests_per_s": 3_000, "connections": 4, "ramp_up_s": 0, "steady_s": 3,
        "ramp_down_s": 0, "timeout_s": 60});
    let run = Run::start(serde_json::from_value(plan).unwrap()).unwrap();
    let next = || run.next(Duration::from_secs(60)).unwrap();
    drop(next());
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let requests = next().requests;
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    assert!(requests > 1_000 && allocations < 600, "{allocations} of {requests} requests");
}

#[test]
fn a_page_with_values_cookies_links_and_revalidated_files() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: s=1\r\nETag: \"a\"\r\nContent-Length: 96\r\n\r\n\
        <html><link rel=stylesheet href=/assets/a.css><a href=/e/15></a><a href=/e/16></a>Welcome</html>";
    let step = json!({"method": "POST", "path": "/{n}/{e}", "page": true,
        "body": {"kind": "form", "fields": [["text", "{text}"]]},
        "expect": {"status": [200], "contains": ["Welcome"]},
        "extract": [{"name": "es", "from": {"kind": "links", "pattern": "/e/{int}"}}]});
    let draws = json!([
        {"name": "n", "value": {"kind": "int", "low": 1, "high": 1_000_000}},
        {"name": "text", "value": {"kind": "words", "low": 5, "high": 50}},
        {"name": "e", "value": {"kind": "choose", "from": "es"}}]);
    is_none_per_request(&steady(answer, operation("op", json!([step])), draws));
}
