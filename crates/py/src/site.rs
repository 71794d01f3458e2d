//! The built-in application: its data sets and its server.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use loadstone_container::{self as container, Admission, Config, Connector, StartError};
use loadstone_http::Service;
use loadstone_olio::dates::Day;
use loadstone_olio::host::{FileHost, Host, MemoryHost, SharedHost};
use loadstone_olio::loader::{self, LoadError, LoadOptions, Profile};
use loadstone_olio::{CacheLevel, Olio, Options};
use loadstone_stats::{Era, username};
use loadstone_store::{self as store, Dialect};
use pyo3::exceptions::{PyFileExistsError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;

use crate::disk::Disk;
use crate::people::{PeopleSettings, passwords};
use crate::run::seconds;
use crate::watch::{WatchSettings, refused, tls};

/// Bytes of rows, fragments and pages that a site keeps at most.
const CACHE_BYTES: usize = 64 << 20;
/// Bytes of uploads that a site in memory takes.
const MEMORY_UPLOAD_BYTES: usize = 4 << 30;
/// Name of the VFS behind a site in memory; a process serves one.
const MEMORY_VFS: &str = "memory";

/// Options of the loader; absent ones are the loader's defaults.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub struct LoadSettings {
    seed: Option<u64>,
    base_day: Option<String>,
    media_scale: Option<f64>,
    password: Option<String>,
    minimal_indexes: bool,
    names: Option<String>,
    /// Olio's tables in a server's database make room.
    replace: bool,
}

/// A number of workers, or `auto`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Workers {
    Number(usize),
    Word(String),
}

impl Default for Workers {
    fn default() -> Self {
        Self::Number(0)
    }
}

/// Options of the server; absent ones are the container's and the site's defaults.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub struct ServeSettings {
    address: Option<String>,
    connector: Option<String>,
    workers: Workers,
    fixed_keep_alive: bool,
    queue: usize,
    admission: Option<String>,
    refuse: bool,
    compress: u32,
    max_connections: usize,
    backlog: Option<u32>,
    /// Seconds of `timeouts.idle`.
    keep_alive_s: Option<f64>,
    tls_cert: Option<PathBuf>,
    tls_key: Option<PathBuf>,
    /// Absent: nobody watches.
    watch: WatchSettings,
    cache: Option<String>,
    pub password: Option<String>,
    pub people: PeopleSettings,
    full_image: bool,
    memory: Option<MemorySettings>,
}

impl ServeSettings {
    /// Whether there is an option that no other application has.
    pub fn is_for_olio(&self) -> bool {
        self.is_for_olio_alone() || self.password.is_some() || self.people.are_said()
    }

    /// As [`Self::is_for_olio`], but for RUBiS, which has users with passwords as well.
    pub fn is_for_olio_alone(&self) -> bool {
        self.cache.is_some() || self.full_image || self.memory.is_some()
    }

    /// Whether clients speak TLS with the server itself.
    pub fn has_tls(&self) -> bool {
        self.tls_cert.is_some()
    }
}

/// A data set made in memory at start.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MemorySettings {
    accounts: u64,
    profile: String,
    #[serde(default)]
    options: LoadSettings,
}

#[pyclass(module = "loadstone._core")]
pub struct Server {
    server: Arc<container::Server>,
}

#[pymethods]
impl Server {
    fn address(&self) -> (String, u16) {
        let address = self.server.address();
        (address.ip().to_string(), address.port())
    }

    fn metrics_address(&self) -> Option<(String, u16)> {
        self.server.metrics_address().map(|address| (address.ip().to_string(), address.port()))
    }

    fn reload(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.server.reload()).map_err(refused)
    }

    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let now = self.server.counters();
        let dict = PyDict::new(py);
        for (name, _, count) in now.named() {
            dict.set_item(name, count)?;
        }
        Ok(dict)
    }

    fn abandon(&self) {
        // A server that still has an owner is never dropped, and only dropping it waits.
        std::mem::forget(self.server.clone());
    }

    fn drain(&self, py: Python<'_>, timeout_s: f64) -> PyResult<bool> {
        let timeout: Duration = seconds(timeout_s)?;
        Ok(py.detach(|| self.server.drain(timeout)))
    }
}

#[pyfunction]
#[pyo3(signature = (place, accounts, profile, options_json, progress))]
pub fn load_olio<'py>(
    py: Python<'py>,
    place: &str,
    accounts: u64,
    profile: &str,
    options_json: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let settings: LoadSettings = parse(options_json)?;
    let options = load_options(accounts, profile, &settings)?;
    let disk = Disk::open(place)?;
    let loaded = reporting(py, progress, |report| {
        if let Some(disk) = &disk {
            loader::create_on(&disk.options(store::Access::Create), &options, report)
        } else if is_shared(place) {
            loader::create_shared(place, settings.replace, &options, report)
        } else {
            loader::create(place, &options, report)
        }
    })?;
    rows(py, &loaded.map_err(load_error)?.tables())
}

#[pyfunction]
pub fn serve_olio(py: Python<'_>, place: &str, options_json: &str) -> PyResult<Server> {
    let settings: ServeSettings = parse(options_json)?;
    let config = config(&settings)?;
    let (options, host) = py.detach(|| site(place, &settings))?;
    let olio = py.detach(|| Olio::open(options, host)).map_err(PyOSError::new_err)?;
    start(py, config, Arc::new(olio))
}

/// A server of `service`.
pub fn start(py: Python<'_>, config: Config, service: Arc<dyn Service>) -> PyResult<Server> {
    let started = py.detach(|| container::Server::start(config, service));
    let server = started.map_err(|error| match error {
        StartError::Configuration(sentence) => PyValueError::new_err(sentence),
        _ => PyOSError::new_err(error.to_string()),
    })?;
    Ok(Server { server: Arc::new(server) })
}

#[pyfunction]
pub fn without_password(place: &str) -> String {
    store::without_password(place)
}

#[pyfunction]
pub fn usernames(first: u64, count: u64) -> Vec<String> {
    (first..first.saturating_add(count)).map(|id| username(id, Era::Release)).collect()
}

pub fn parse<'j, T: Deserialize<'j>>(json: &'j str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| PyValueError::new_err(format!("options: {error}")))
}

/// What `name` stands for, or a sentence that names the choices.
pub fn choice<T>(what: &str, name: &str, value: Option<T>, choices: &str) -> PyResult<T> {
    value.ok_or_else(|| PyValueError::new_err(format!("no {what} `{name}`; there are {choices}")))
}

fn load_options(accounts: u64, profile: &str, settings: &LoadSettings) -> PyResult<LoadOptions> {
    let profile = choice("profile", profile, Profile::parse(profile), "cloudstone-2008 and olio-0.2")?;
    let mut options = LoadOptions::new(accounts, profile);
    options.seed = settings.seed.unwrap_or(options.seed);
    options.media_scale = settings.media_scale.unwrap_or(options.media_scale);
    options.minimal_indexes = settings.minimal_indexes;
    if let Some(day) = &settings.base_day {
        options.base_day = choice("day", day, Day::parse(day), "days such as 2008-10-22")?;
    }
    if let Some(scheme) = passwords(settings.password.as_deref())? {
        options.password = scheme;
    }
    if let Some(names) = &settings.names {
        let era = match names.as_str() {
            "release" => Some(Era::Release),
            "paper" => Some(Era::Paper),
            _ => None,
        };
        options.names = choice("kind of names", names, era, "release and paper")?;
    }
    Ok(options)
}

pub fn config(settings: &ServeSettings) -> PyResult<Config> {
    let mut config = Config {
        fixed_keep_alive: settings.fixed_keep_alive,
        queue: settings.queue,
        refuse: settings.refuse,
        compress: (settings.compress > 0).then_some(settings.compress.min(9)),
        max_connections: settings.max_connections,
        ..Config::default()
    };
    match &settings.workers {
        Workers::Number(workers) => config.workers = *workers,
        Workers::Word(word) => {
            config.auto =
                choice("number of workers", word, (word == "auto").then_some(true), "numbers and auto")?;
        }
    }
    if let Some(backlog) = settings.backlog {
        config.backlog = backlog;
    }
    if let Some(keep_alive_s) = settings.keep_alive_s {
        config.timeouts.idle = seconds(keep_alive_s)?;
    }
    if let Some(address) = &settings.address {
        config.address =
            choice("address", address, address.parse().ok(), "addresses such as 127.0.0.1:8080")?;
    }
    if let Some(name) = &settings.connector {
        let found = Connector::ALL.into_iter().find(|connector| connector.name() == name);
        config.connector = choice("connector", name, found, &Connector::ALL.map(Connector::name).join(", "))?;
    }
    if let Some(name) = &settings.admission {
        let found = Admission::ALL.into_iter().find(|policy| policy.name() == name);
        let names = Admission::ALL.map(Admission::name).join(", ");
        config.admission = Some(choice("admission policy", name, found, &names)?);
    }
    config.tls = tls(settings.tls_cert.as_deref(), settings.tls_key.as_deref())?;
    config.watch = settings.watch.open()?;
    Ok(config)
}

/// Whether a place is a database on a server, by its URL; else it is a folder.
pub fn is_shared(place: &str) -> bool {
    Dialect::of(place) != Dialect::Sqlite
}

/// The site's options and surroundings: on files, on a database server, or with a data set made in memory.
fn site(place: &str, settings: &ServeSettings) -> PyResult<(Options, Arc<dyn Host>)> {
    let host_error = |error: loadstone_olio::host::HostError| PyOSError::new_err(error.to_string());
    // A disk without a data set must not get an empty database.
    let disk = Disk::keep(place, store::Access::ReadWrite)?;
    if let Some(store) = &disk {
        loader::make_uploads_on(store).map_err(load_error)?;
    }
    let (mut options, host): (Options, Arc<dyn Host>) = match &settings.memory {
        Some(memory) => {
            let load = load_options(memory.accounts, &memory.profile, &memory.options)?;
            loader::create_in_memory(MEMORY_VFS, &load, &mut |_, _| ()).map_err(load_error)?;
            let mut options = Options::new(loader::DATABASE);
            options.store = store::Options { vfs: Some(MEMORY_VFS.into()), ..store::Options::memory() };
            (options, Arc::new(MemoryHost::new(MEMORY_UPLOAD_BYTES, CACHE_BYTES).map_err(host_error)?))
        }
        None if disk.is_some() || is_shared(place) => {
            let mut options = Options::new(if disk.is_some() { loader::DATABASE } else { place });
            options.store = disk.unwrap_or(options.store);
            let place = options.database.clone();
            let host = SharedHost::new(&place, options.store.clone(), CACHE_BYTES).map_err(host_error)?;
            (options, Arc::new(host))
        }
        None => {
            let folder = Path::new(place);
            let mut options = Options::new(folder.join(loader::DATABASE).to_string_lossy());
            // A mistyped folder must not become an empty database.
            options.store.access = store::Access::ReadWrite;
            let uploads = folder.join(loader::UPLOADS);
            (options, Arc::new(FileHost::new(uploads, CACHE_BYTES).map_err(host_error)?))
        }
    };
    if let Some(level) = &settings.cache {
        options.cache =
            choice("cache level", level, CacheLevel::parse(level), "none, query, fragment and page")?;
    }
    options.passwords = passwords(settings.password.as_deref())?;
    options.rules = settings.people.rules()?;
    options.origin = settings.people.origin(settings.has_tls())?;
    options.full_image = settings.full_image;
    Ok((options, host))
}

/// Runs a loader with the GIL released but for its reports to `progress`; what that raised comes first.
pub fn reporting<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    load: impl FnOnce(loader::Progress<'_>) -> T + Send,
) -> PyResult<T> {
    let mut raised = None;
    let loaded = py.detach(|| {
        load(&mut |done, total| {
            let Some(progress) = progress.as_ref().filter(|_| raised.is_none()) else { return };
            raised = Python::attach(|py| progress.call1(py, (done, total)).err());
        })
    });
    raised.map_or(Ok(loaded), Err)
}

pub fn load_error(error: LoadError) -> PyErr {
    match error {
        LoadError::Invalid(_) => PyValueError::new_err(error.to_string()),
        LoadError::Exists(_) => PyFileExistsError::new_err(error.to_string()),
        _ => PyOSError::new_err(error.to_string()),
    }
}

/// Rows by table.
pub fn rows<'py>(py: Python<'py>, tables: &[(&'static str, u64)]) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (table, rows) in tables {
        dict.set_item(table, rows)?;
    }
    Ok(dict)
}
