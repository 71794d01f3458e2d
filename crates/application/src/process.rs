//! An application as an ordinary process, behind the container.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use alloc::{format, vec};
use core::net::{Ipv4Addr, SocketAddr};
use std::fs::File;
use std::io::Read;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::thread::park;
use std::time::{SystemTime, UNIX_EPOCH};

use loadstone_container::{Config, Connector, Server};

use crate::{Host, Open, Surroundings};

/// Clock, entropy and log of the operating system.
pub(crate) const HOST: Host = Host { now_s, entropy, report: |sentence| std::eprintln!("{sentence}") };

const DEVICE: &str = "/dev/urandom";
const PORT: u16 = 8080;
/// Where nothing is kept.
const NONE: &str = "none";

/// What the arguments say.
struct Settings {
    port: u16,
    connector: Connector,
    /// A file; none: in memory.
    database: Option<String>,
    words: Vec<(String, String)>,
}

/// The whole program of a process: serves the application `name` at a port of 127.0.0.1 as its arguments say,
/// until the process is ended.
///
/// Arguments: `--port N` (8080; 0: a free one), `--connector hybrid|threaded|event`, `--database FILE|none`
/// (`NAME.db`), and words `NAME.key=value`, the same as on an image's command line. Where it serves, it says
/// on standard error; when it cannot, it ends with 2.
pub fn serve(name: &str, open: Open) -> ExitCode {
    let served =
        Settings::read(name, std::env::args().skip(1)).and_then(|settings| start(name, settings, open));
    match served {
        Ok(server) => {
            std::eprintln!("{name}: serving at http://{}", server.address());
            loop {
                park();
            }
        }
        Err(sentence) => {
            std::eprintln!("{name}: {sentence}");
            ExitCode::from(2)
        }
    }
}

fn start(name: &str, settings: Settings, open: Open) -> Result<Server, String> {
    let Settings { port, connector, database, words } = settings;
    #[cfg(feature = "store")]
    let service = Surroundings::new(name, words, HOST, || match &database {
        Some(file) => Ok(crate::Database::new(file, loadstone_store::Options::default())),
        None => crate::exercise::in_memory(name),
    });
    #[cfg(not(feature = "store"))]
    let service = {
        drop(database);
        Surroundings::new(name, words, HOST)
    };
    let service = service.open(open)?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let config = Config { address, connector, ..Config::default() };
    Server::start(config, Arc::from(service)).map_err(|error| error.to_string())
}

impl Settings {
    fn read(name: &str, arguments: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut settings = Self {
            port: PORT,
            connector: Connector::default(),
            database: Some(format!("{name}.db")),
            words: vec![],
        };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            if let Some((key, value)) = argument.split_once('=').filter(|_| !argument.starts_with('-')) {
                settings.words.push((key.to_string(), value.to_string()));
                continue;
            }
            let value = arguments.next().unwrap_or_default();
            settings.set(&argument, &value).ok_or_else(|| {
                format!(
                    "`{argument} {value}` is not understood; there are --port N, --connector \
                     hybrid|threaded|event, --database FILE|none, and words {name}.key=value"
                )
            })?;
        }
        Ok(settings)
    }

    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "--port" => self.port = value.parse().ok()?,
            "--connector" => self.connector = Connector::ALL.into_iter().find(|one| one.name() == value)?,
            "--database" if value == NONE => self.database = None,
            "--database" if !value.is_empty() => self.database = Some(value.to_string()),
            _ => return None,
        }
        Some(())
    }
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// # Panics
/// When the device gives no bytes: a key from anything else would be worse.
fn entropy(bytes: &mut [u8]) {
    static SOURCE: OnceLock<File> = OnceLock::new();
    let mut source = SOURCE.get_or_init(|| File::open(DEVICE).expect("there is an entropy device"));
    source.read_exact(bytes).expect("the entropy device gives bytes");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[&str]) -> Result<Settings, String> {
        Settings::read("guestbook", arguments.iter().map(|argument| argument.to_string()))
    }

    #[test]
    fn arguments_are_read() {
        let found = read(&[]).unwrap();
        assert_eq!((found.port, found.database.as_deref()), (8080, Some("guestbook.db")));
        let found = read(&["--port", "0", "guestbook.title=a=b", "--database", "none"]).unwrap();
        assert_eq!((found.port, found.database.as_deref()), (0, None));
        assert_eq!(found.words, [("guestbook.title".into(), "a=b".into())]);
        assert_eq!(read(&["--connector", "event"]).unwrap().connector, Connector::Event);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for arguments in [
            &["--port", "x"][..],
            &["--port"],
            &["--help"],
            &["--connector", "fast"],
            &["--database"],
            &["x"],
        ] {
            let refusal = read(arguments).err().unwrap();
            assert!(refusal.contains(arguments[0]) && refusal.contains("--port N"), "{refusal}");
        }
    }
}
