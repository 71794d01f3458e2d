//! What every test of the suite starts with.

use std::sync::Arc;
use std::time::{Duration, Instant};

use loadstone_container::{Config, Connector, Server};

use crate::app::App;

/// Runs a test once for each connector.
pub fn each(test: impl Fn(Config)) {
    for_all(&Connector::ALL, test);
}

/// For those whose application may block: other requests go on meanwhile, as many as there are workers.
pub fn each_that_may_block(test: impl Fn(Config)) {
    for_all(&[Connector::Hybrid, Connector::Threaded], test);
}

fn for_all(connectors: &[Connector], test: impl Fn(Config)) {
    for &connector in connectors {
        println!("connector: {}", connector.name());
        let address = "127.0.0.1:0".parse().unwrap();
        let workers = if connector == Connector::Threaded { 32 } else { 2 };
        test(Config {
            address,
            connector,
            workers,
            tls: crate::transport::certificate(),
            ..Config::default()
        });
    }
}

/// Starts the test application; its gate is closed.
pub fn start(config: Config) -> (Server, Arc<App>) {
    let app = Arc::new(App::default());
    (Server::start(config, app.clone()).unwrap(), app)
}

/// Waits until a condition that another thread brings about holds.
#[track_caller]
pub fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !condition() {
        assert!(Instant::now() < deadline, "not within a minute: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
