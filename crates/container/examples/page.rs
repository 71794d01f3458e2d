//! Serves fixed pages from memory, to compare the container with other servers:
//! `/` is 166 bytes, `/10k` is 10 KB.
//!
//!     cargo run --release -p loadstone-container --example page -- 127.0.0.1:8080 [workers]

use std::sync::Arc;

use loadstone_container::{Config, Server};
use loadstone_http::{Handler, Request, Response, Service};

static SMALL: [u8; 166] = [b'x'; 166];
static LARGE: [u8; 10 * 1024] = [b'x'; 10 * 1024];

struct Page;

impl Service for Page {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        Ok(Box::new(Page))
    }
}

impl Handler for Page {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        match request.path {
            "/" => response.html(&SMALL[..]),
            "/10k" => response.html(&LARGE[..]),
            _ => response.not_found(),
        };
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:8080".into()).parse()?;
    let workers = arguments.next().map_or(Ok(0), |count| count.parse())?;
    let server = Server::start(Config { address, workers, ..Config::default() }, Arc::new(Page))?;
    println!("http://{}", server.address());
    loop {
        std::thread::park();
    }
}
