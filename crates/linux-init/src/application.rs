//! The application behind the container: the same services that a process and an image serve.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::thread::park;

use loadstone_container::{Config, Server};

use crate::settings::{App, Settings};
use crate::sites::Site;

/// The program of [`App::Stress`], and where it reads its words.
const STRESS: (&str, &str) = ("/stress", "@/proc/cmdline");

/// Serves until the machine ends, or measures until all is measured.
///
/// # Errors
/// A sentence when the data are not there, nothing listens, or the measurements ended badly.
pub fn run(settings: &Settings) -> Result<(), String> {
    match settings.app {
        App::Stress => stress(),
        App::Site(site) => serve(settings, site),
    }
}

fn stress() -> Result<(), String> {
    let (program, words) = STRESS;
    let status = Command::new(program).arg(words).status().map_err(|error| format!("{program}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{program}: {status}")) }
}

fn serve(settings: &Settings, site: &dyn Site) -> Result<(), String> {
    let config = Config {
        address: SocketAddr::from((Ipv4Addr::UNSPECIFIED, settings.port)),
        connector: settings.connector,
        workers: settings.workers,
        ..Config::default()
    };
    let service = site.open(Path::new(&settings.folder), &settings.words)?;
    let server = Server::start(config, service).map_err(|error| error.to_string())?;
    let address = settings.address.map_or(server.address().ip(), |(address, _)| address.into());
    println!("serving {} at {address}:{}", site.name(), server.address().port());
    loop {
        park();
    }
}
