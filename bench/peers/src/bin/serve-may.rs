//! may_minihttp with one worker: `serve-may ADDRESS:PORT`.

use std::io;

use may_minihttp::{HttpServer, HttpService, Request, Response};
use peers::{LARGE, SMALL};

#[derive(Clone)]
struct Page;

impl HttpService for Page {
    fn call(&mut self, request: Request, response: &mut Response) -> io::Result<()> {
        response.header("Content-Type: text/html; charset=utf-8");
        match request.path() {
            "/" => response.body(text(&SMALL)),
            "/10k" => response.body(text(&LARGE)),
            _ => drop(response.status_code(404, "Not Found")),
        }
        Ok(())
    }
}

fn text(page: &'static [u8]) -> &'static str {
    std::str::from_utf8(page).expect("pages are ASCII")
}

fn main() {
    let (address, _) = peers::arguments();
    may::config().set_workers(1);
    // TCP_NODELAY is not to be had, and makes no difference: it writes each response at once.
    HttpServer(Page).start(address).expect("the server starts").join().expect("it runs for ever");
}
