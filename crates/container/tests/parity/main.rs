//! One suite for every connector: real sockets on the loopback, no sleeping.

mod app;
mod client;
mod lifecycle;
mod load;
mod protocol;
mod timeouts;

use std::sync::Arc;
use std::time::{Duration, Instant};

use app::App;
use loadstone_container::{Config, Connector, Server};

/// Runs a test once for each connector.
fn each(test: impl Fn(Config)) {
    for connector in Connector::ALL {
        println!("connector: {}", connector.name());
        let address = "127.0.0.1:0".parse().unwrap();
        test(Config { address, connector, workers: 2, ..Config::default() });
    }
}

/// Starts the test application; its gate is closed.
fn start(config: Config) -> (Server, Arc<App>) {
    let app = Arc::new(App::default());
    (Server::start(config, app.clone()).unwrap(), app)
}

/// Waits until a condition that another thread brings about holds.
#[track_caller]
fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !condition() {
        assert!(Instant::now() < deadline, "not within 10 s: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
