//! The application behind the container: the same services that a process and an image serve.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread::park;

use loadstone_container::{Config, Server};
use loadstone_files::Files;
use loadstone_http::Service;
use loadstone_olio::Olio;
use loadstone_olio::host::FileHost;
use loadstone_rubis::Rubis;
use loadstone_surge::{Profile, Surge};
use loadstone_web::system::System;

use crate::settings::{App, Settings};

/// As much as an image's site keeps.
const CACHE_BYTES: usize = 4 << 20;

/// The program of [`App::Stress`], and where it reads its words.
const STRESS: (&str, &str) = ("/stress", "@/proc/cmdline");

/// Serves until the machine ends, or measures until all is measured.
///
/// # Errors
/// A sentence when the data are not there, nothing listens, or the measurements ended badly.
pub fn run(settings: &Settings) -> Result<(), String> {
    if settings.app == App::Stress { stress() } else { serve(settings) }
}

fn stress() -> Result<(), String> {
    let (program, words) = STRESS;
    let status = Command::new(program).arg(words).status().map_err(|error| format!("{program}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{program}: {status}")) }
}

fn serve(settings: &Settings) -> Result<(), String> {
    let config = Config {
        address: SocketAddr::from((Ipv4Addr::UNSPECIFIED, settings.port)),
        connector: settings.connector,
        workers: settings.workers,
        ..Config::default()
    };
    let server = Server::start(config, service(settings)?).map_err(|error| error.to_string())?;
    let address = settings.address.map_or(server.address().ip(), |(address, _)| address.into());
    println!("serving {} at {address}:{}", settings.app.name(), server.address().port());
    loop {
        park();
    }
}

fn service(settings: &Settings) -> Result<Arc<dyn Service>, String> {
    let folder = Path::new(&settings.folder);
    Ok(match settings.app {
        App::Files => {
            let files = Files::open(folder, &loadstone_files::Options::default());
            Arc::new(files.map_err(|error| format!("{}: {error}", folder.display()))?)
        }
        App::Surge => Arc::new(Surge::new(&Profile::MEASURED, settings.files, settings.seed)?),
        App::Olio => {
            let database = folder.join(loadstone_olio::loader::DATABASE);
            let uploads = folder.join(loadstone_olio::loader::UPLOADS);
            let host = FileHost::new(uploads, CACHE_BYTES).map_err(|error| error.to_string())?;
            let mut options = loadstone_olio::Options::new(database.to_string_lossy());
            options.store.access = loadstone_store::Access::ReadWrite;
            Arc::new(Olio::open(options, Arc::new(host))?)
        }
        App::Rubis => {
            let database = folder.join(loadstone_rubis::loader::DATABASE);
            let mut options = loadstone_rubis::Options::new(database.to_string_lossy());
            options.store.access = loadstone_store::Access::ReadWrite;
            Arc::new(Rubis::open(options, Arc::new(System::new()?))?)
        }
        App::Stress => return Err("`stress` serves nothing".into()),
    })
}
