//! The server of the relay.

use std::sync::Arc;

use loadstone_container as container;
use loadstone_relay::Relay;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::site::{ServeSettings, Server, config, parse};

#[pyfunction]
pub fn serve_relay(py: Python<'_>, url: &str, options_json: &str) -> PyResult<Server> {
    let settings: ServeSettings = parse(options_json)?;
    if settings.is_for_olio() {
        return Err(PyValueError::new_err("options: cache, password, full_image and memory are Olio's"));
    }
    let config = config(&settings)?;
    let relay = Relay::new(url).map_err(PyValueError::new_err)?;
    let start = || container::Server::start(config, Arc::new(relay));
    let server = py.detach(start).map_err(|error| PyOSError::new_err(error.to_string()))?;
    Ok(Server::of(server))
}
