//! The container around whatever is served: its settings and its running server.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use loadstone_container::{self as container, Admission, Config, Connector, StartError};
use loadstone_http::Service;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;

use crate::run::seconds;
use crate::watch::{WatchSettings, refused, tls};

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

/// Options of the container; absent ones are its defaults.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub struct ContainerSettings {
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
}

impl ContainerSettings {
    /// Whether clients speak TLS with the server itself.
    pub fn has_tls(&self) -> bool {
        self.tls_cert.is_some()
    }
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

/// A server of `service`.
pub fn start(py: Python<'_>, config: Config, service: Arc<dyn Service>) -> PyResult<Server> {
    let started = py.detach(|| container::Server::start(config, service));
    let server = started.map_err(|error| match error {
        StartError::Configuration(sentence) => PyValueError::new_err(sentence),
        _ => PyOSError::new_err(error.to_string()),
    })?;
    Ok(Server { server: Arc::new(server) })
}

pub fn parse<'j, T: Deserialize<'j>>(json: &'j str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| PyValueError::new_err(format!("options: {error}")))
}

/// What `name` stands for, or a sentence that names the choices.
pub fn choice<T>(what: &str, name: &str, value: Option<T>, choices: &str) -> PyResult<T> {
    value.ok_or_else(|| PyValueError::new_err(format!("no {what} `{name}`; there are {choices}")))
}

pub fn config(settings: &ContainerSettings) -> PyResult<Config> {
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
