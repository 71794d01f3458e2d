//! Certificates, access log and metrics of a server.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use loadstone_container::{AccessLog, LogFormat, Tls, Watch};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::server::choice;

/// Access log and metrics; absent ones are not kept.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub struct WatchSettings {
    /// `-` is the standard output.
    log: Option<PathBuf>,
    log_format: Option<String>,
    metrics: Option<String>,
}

impl WatchSettings {
    /// Opens what is to be written.
    pub fn open(&self) -> PyResult<Option<Arc<Watch>>> {
        let mut format = LogFormat::default();
        if let Some(name) = &self.log_format {
            let found = LogFormat::ALL.into_iter().find(|format| format.name() == name);
            let names = LogFormat::ALL.map(LogFormat::name).join(" and ");
            format = choice("format of an access log", name, found, &names)?;
        }
        let mut metrics = None;
        if let Some(address) = &self.metrics {
            let found = address.parse().ok();
            metrics =
                Some(choice("address for metrics", address, found, "addresses such as 127.0.0.1:9100")?);
        }
        let mut log = None;
        if let Some(path) = &self.log {
            let path = Some(path.clone()).filter(|path| path.as_os_str() != "-");
            log = Some(AccessLog::open(path, format).map_err(refused)?);
        }
        Ok((log.is_some() || metrics.is_some()).then(|| Arc::new(Watch::new(log, metrics))))
    }
}

/// The certificate of these files, if there are any.
pub fn tls(certificate: Option<&Path>, key: Option<&Path>) -> PyResult<Option<Arc<Tls>>> {
    match (certificate, key) {
        (Some(certificate), Some(key)) => Ok(Some(Arc::new(Tls::load(certificate, key).map_err(refused)?))),
        (None, None) => Ok(None),
        _ => Err(PyValueError::new_err("a certificate needs its key, and a key its certificate")),
    }
}

/// What the user said cannot be done.
pub fn refused(error: impl std::error::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}
