//! The server of the relay.

use std::sync::Arc;

use loadstone_relay::Relay;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::site::{ServeSettings, Server, config, parse, start};

#[pyfunction]
pub fn serve_relay(py: Python<'_>, url: &str, options_json: &str) -> PyResult<Server> {
    let settings: ServeSettings = parse(options_json)?;
    if settings.is_for_olio() {
        return Err(PyValueError::new_err(
            "options: cache, password, people, full_image and memory are Olio's",
        ));
    }
    let config = config(&settings)?;
    let relay = Relay::new(url).map_err(PyValueError::new_err)?;
    start(py, config, Arc::new(relay))
}
