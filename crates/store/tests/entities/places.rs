//! Where entities are tried: SQLite in files, in memory and on a block device, and on servers when there are
//! any.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use loadstone_store::vfs::block::{BlockVfs, FormatOptions, MemoryDevice};
use loadstone_store::vfs::{MemoryVfs, register};
use loadstone_store::{Db, Dialect, Journal, Options};

/// An empty database of its own; gone with the test.
pub struct Place {
    /// A file or a URL.
    path: String,
    options: Options,
    remove: Remove,
}

enum Remove {
    Nothing,
    Folder(String),
    Database { url: String, name: String },
}

impl Place {
    /// One of each kind. Servers are those that `LOADSTONE_TEST_DATABASES` names between blanks;
    /// `tests/parity/test_stores.py` starts them.
    pub fn all() -> Vec<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("entities_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let mut places = vec![
            Self::in_a_file(&format!("{name}_wal"), Journal::Wal),
            Self::in_a_file(&format!("{name}_delete"), Journal::Delete),
            Self::in_memory(&name),
            Self::on_a_device(&name, true),
            Self::on_a_device(&name, false),
        ];
        let urls = std::env::var("LOADSTONE_TEST_DATABASES").unwrap_or_default();
        places.extend(urls.split_whitespace().map(|url| Self::on_a_server(url, &name)));
        places
    }

    pub fn open(&self) -> Db {
        Db::open(&self.path, &self.options).unwrap()
    }

    fn in_a_file(name: &str, journal: Journal) -> Self {
        let folder = std::env::temp_dir().join(name).to_str().unwrap().to_owned();
        std::fs::create_dir_all(&folder).unwrap();
        let options = Options { journal, ..patient() };
        Self { path: format!("{folder}/test.db"), options, remove: Remove::Folder(folder) }
    }

    fn in_memory(name: &str) -> Self {
        register(name, MemoryVfs::new()).unwrap();
        let options =
            Options { vfs: Some(name.into()), busy_timeout: Duration::from_secs(30), ..Options::memory() };
        Self { path: "test.db".into(), options, remove: Remove::Nothing }
    }

    /// On a disk in memory, with its log or with SQLite's journal.
    fn on_a_device(name: &str, atomic: bool) -> Self {
        let mut device = MemoryDevice::new(4096);
        BlockVfs::format(&mut device, &FormatOptions { atomic, ..FormatOptions::default() }).unwrap();
        let name = format!("{name}_{atomic}");
        register(&name, BlockVfs::mount(device).unwrap()).unwrap();
        let options = Options { vfs: Some(name), busy_timeout: Duration::from_secs(30), ..Options::block() };
        Self { path: "test.db".into(), options, remove: Remove::Nothing }
    }

    fn on_a_server(url: &str, name: &str) -> Self {
        let server = Db::open(url, &patient()).unwrap();
        server.exec_batch(format!("CREATE DATABASE {name}").leak()).unwrap();
        let path = format!("{}/{name}", url.rsplit_once('/').unwrap().0);
        Self { path, options: patient(), remove: Remove::Database { url: url.into(), name: name.into() } }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        match &self.remove {
            Remove::Nothing => {}
            Remove::Folder(folder) => std::fs::remove_dir_all(folder).unwrap(),
            Remove::Database { url, name } => {
                let server = Db::open(url, &patient()).unwrap();
                let force = if server.dialect() == Dialect::Postgres { " WITH (FORCE)" } else { "" };
                server.exec_batch(format!("DROP DATABASE {name}{force}").leak()).unwrap();
            }
        }
    }
}

fn patient() -> Options {
    Options { busy_timeout: Duration::from_secs(30), ..Options::default() }
}
