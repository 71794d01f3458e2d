//! Proof that Olio, RUBiS, their store, its typed records, SQLite, SURGE and the codec need neither the
//! standard library nor the C library: a program without them runs some hundred statements, loads data sets
//! into memory and serves a page of each, and generates files and serves one.
//!
//! If any crate in the tree pulled in `std`, the build would fail: its panic handler would be a second one.
//! If SQLite called the C library, the program would not link. What is left of the operating system are three
//! system calls.
#![no_std]
#![no_main]

extern crate alloc;

mod memory;
mod platform;
mod transcript;

use alloc::sync::Arc;

use loadstone_http::{Method, Request, Response, Service};
use loadstone_olio::host::{Host, HostError, StoredFile};
use loadstone_olio::loader::{self, LoadOptions, Profile};
use loadstone_olio::{Olio, Options};
use loadstone_sqlite as _;
use loadstone_store::vfs::{MemoryVfs, provide_entropy, register};
use loadstone_store::{Db, Kind, Options as StoreOptions};
use loadstone_surge::Surge;

/// What every process of Loadstone's answers; see `crates/store/tests/statements.rs`.
const ANSWERS: &str = include_str!("../statements.txt");

/// The program; its exit code, 0 when everything came.
fn run() -> i32 {
    match prove() {
        Ok(()) => 0,
        Err(message) => platform::fail(message),
    }
}

fn prove() -> Result<(), &'static str> {
    provide_entropy(|bytes| bytes.fill(7));
    register("nostd", MemoryVfs::new()).map_err(|_| "the VFS was refused")?;
    answer_statements()?;
    store_records()?;
    if serve()?.min(serve_rubis()?) <= 1000 {
        return Err("a page is too short");
    }
    if serve_surge()? { Ok(()) } else { Err("a file of SURGE has not its size") }
}

/// Runs the statements and compares every answer.
fn answer_statements() -> Result<(), &'static str> {
    let db = Db::open("statements.db", &store()).map_err(|_| "the database did not open")?;
    let found = transcript::transcript(&db);
    if let Some((found, _)) = found.lines().zip(ANSWERS.lines()).find(|(found, written)| found != written) {
        platform::fail(found);
        return Err("was not written down");
    }
    if found.len() == ANSWERS.len() {
        Ok(())
    } else {
        Err("there are more or fewer answers than were written down")
    }
}

/// Typed records: inserted, updated, deleted, each compared; then in bulk.
fn store_records() -> Result<(), &'static str> {
    use loadstone_stress::{Machine, Task};
    for (words, file) in [("sql record=3000 iterations=50", "records.db"), ("bulk iterations=500", "bulk.db")]
    {
        let task = Task::from_arguments(words.split(' ')).map_err(|_| "the task was refused")?;
        let mut lines = 0;
        let mut machine =
            Machine { now_ns: &mut || 0, line: &mut |_| lines += 1, open: &mut |_| Db::open(file, &store()) };
        task.run(&mut machine).map_err(|_| "a record is not as it was written")?;
        if lines < 3 {
            return Err("results are missing");
        }
    }
    Ok(())
}

fn store() -> StoreOptions {
    StoreOptions { vfs: Some("nostd".into()), ..StoreOptions::memory() }
}

/// Loads the smallest data set and asks for the home page; its length in bytes.
fn serve() -> Result<usize, &'static str> {
    let store = store();
    // The connection stays open, as in a server: workers open their own.
    let db = Db::open("olio.db", &store).map_err(|_| "the database did not open")?;
    let load = LoadOptions::new(loader::MIN_ACCOUNTS, Profile::Cloudstone2008);
    loader::load(&db, &load, &mut |_, _| {}).map_err(|_| "the loader failed")?;
    let options = Options { store, ..Options::new("olio.db") };
    let site = Olio::open(options, Arc::new(Nowhere)).map_err(|_| "the site did not open")?;
    let mut worker = site.handler().map_err(|_| "the site did not start")?;
    let mut response = Response::new();
    worker.handle(&Request::new(Method::Get, "/"), &mut response);
    if response.status == 200 { Ok(response.body.len()) } else { Err("the home page failed") }
}

/// Loads RUBiS's smallest data set and asks for an auction; its page's length in bytes.
fn serve_rubis() -> Result<usize, &'static str> {
    use loadstone_rubis::{Options, Rubis, loader};
    let store = store();
    let db = Db::open("rubis.db", &store).map_err(|_| "the database did not open")?;
    loader::load(&db, &loader::LoadOptions::new(0.001), &mut |_, _| {}).map_err(|_| "the loader failed")?;
    let options = Options { store, ..Options::new("rubis.db") };
    let site = Rubis::open(options, Arc::new(Nowhere)).map_err(|_| "the auctions did not open")?;
    let mut worker = site.handler().map_err(|_| "the auctions did not start")?;
    let mut response = Response::new();
    worker.handle(&Request::new(Method::Get, "/items/501"), &mut response);
    if response.status == 200 { Ok(response.body.len()) } else { Err("the auction's page failed") }
}

/// Generates SURGE's smallest file set and asks for its first page; whether that has its size.
fn serve_surge() -> Result<bool, &'static str> {
    let surge = Surge::new(&loadstone_surge::Profile::MEASURED, 10, 1).map_err(|_| "no file set was made")?;
    let (size, _) = surge.files().document(1).ok_or("there is no page")?;
    let mut worker = surge.handler().map_err(|_| "the files are not served")?;
    let mut response = Response::new();
    worker.handle(&Request::new(Method::Get, "/d/1"), &mut response);
    Ok(response.status == 200 && response.body.len() == size as usize)
}

/// Surroundings with nothing in them: time stands still, uploads are refused, nothing is cached.
struct Nowhere;

impl loadstone_rubis::Host for Nowhere {
    fn now_s(&self) -> u64 {
        0
    }

    fn entropy(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

impl Host for Nowhere {
    fn now_s(&self) -> u64 {
        0
    }

    fn entropy(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }

    fn media_put(&self, _name: &str, _bytes: &[u8]) -> Result<(), HostError> {
        Err(HostError { kind: Kind::Full, sentence: "no room for uploads".into() })
    }

    fn media_get(&self, _name: &str) -> Result<Option<StoredFile>, HostError> {
        Ok(None)
    }

    fn media_remove(&self, _name: &str) -> Result<(), HostError> {
        Ok(())
    }

    fn cache_get(&self, _key: &str) -> Option<Arc<[u8]>> {
        None
    }

    fn cache_put(&self, _key: &str, _value: Arc<[u8]>, _ttl_s: u32) {}

    fn cache_remove(&self, _key: &str) {}
}
