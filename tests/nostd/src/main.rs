//! Proof that Olio, RUBiS, their store, SURGE and the codec need no standard library: a program without one loads
//! their data sets into memory and serves a page of each, and generates files and serves one.
//!
//! If any crate in the tree pulled in `std`, the build would fail: its panic handler would be a second one.
//! What is left of the operating system is the C library that SQLite asks for.
#![no_std]
#![no_main]

extern crate alloc;

mod platform;

use alloc::sync::Arc;

use loadstone_http::{Method, Request, Response, Service};
use loadstone_olio::host::{Host, HostError, StoredFile};
use loadstone_olio::loader::{self, LoadOptions, Profile};
use loadstone_olio::{Olio, Options};
use loadstone_store::vfs::{MemoryVfs, register};
use loadstone_store::{Db, Options as StoreOptions};
use loadstone_surge::Surge;

/// Called by the C library's start code; 0 when the page came.
#[unsafe(no_mangle)]
extern "C" fn main() -> i32 {
    let served = serve().and_then(|bytes| serve_rubis().map(|auctions| bytes.min(auctions)));
    match served.and_then(|bytes| serve_surge().map(|exact| (bytes, exact))) {
        Ok((_, false)) => platform::fail("a file of SURGE has not its size"),
        Ok((bytes, _)) if bytes > 1000 => 0,
        Ok(_) => platform::fail("a page is too short"),
        Err(message) => platform::fail(message),
    }
}

/// Loads the smallest data set and asks for the home page; its length in bytes.
fn serve() -> Result<usize, &'static str> {
    register("nostd", MemoryVfs::new()).map_err(|_| "the VFS was refused")?;
    let store = StoreOptions { vfs: Some("nostd".into()), ..StoreOptions::memory() };
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
    let store = StoreOptions { vfs: Some("nostd".into()), ..StoreOptions::memory() };
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
        Err(HostError("no room for uploads".into()))
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
