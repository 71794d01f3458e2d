//! Our container with one of its connectors: `serve-loadstone ADDRESS:PORT DATABASE event|hybrid|threaded`.

use std::sync::Arc;
use std::time::Duration;

use loadstone_container::{Config, Connector, Server, Timeouts};
use loadstone_http::{Handler, Request, Response, Service};
use peers::{Items, LARGE, SMALL};

struct Pages {
    database: String,
}

struct Page {
    items: Option<Items>,
}

impl Service for Pages {
    fn handler(&self) -> Result<Box<dyn Handler>, String> {
        let open = || Items::open(&self.database).map_err(|error| error.to_string());
        let items = if self.database.is_empty() { None } else { Some(open()?) };
        Ok(Box::new(Page { items }))
    }
}

impl Handler for Page {
    fn handle(&mut self, request: &Request<'_>, response: &mut Response) {
        match (request.path, &self.items) {
            ("/", _) => response.html(&SMALL[..]),
            ("/10k", _) => response.html(&LARGE[..]),
            ("/item", Some(items)) => {
                match items.page(peers::item_of(request.query), std::mem::take(response.buffer())) {
                    Ok(Some(page)) => response.html(page),
                    Ok(None) => response.not_found(),
                    Err(error) => response.status(500).text(format!("{error}\n")),
                }
            }
            _ => response.not_found(),
        };
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (address, database) = peers::arguments();
    let name = std::env::args().nth(3).unwrap_or_default();
    let connector = Connector::ALL.into_iter().find(|c| c.name() == name).ok_or("unknown connector")?;
    // A thread for each of the 64 connections and some to spare, or the threaded connector shortens its
    // keep-alive.
    let workers = if connector == Connector::Threaded { 96 } else { 0 };
    let timeouts = Timeouts { idle: Duration::from_secs(300), ..Timeouts::default() };
    let config =
        Config { address, connector, workers, timeouts, backlog: peers::BACKLOG, ..Config::default() };
    let _server = Server::start(config, Arc::new(Pages { database }))?;
    loop {
        std::thread::park();
    }
}
