//! The server of a folder.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use loadstone_files::{Files, Options};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::run::seconds;
use crate::site::{ServeSettings, Server, config, parse, start};

#[pyfunction]
pub fn serve_files(
    py: Python<'_>,
    folder: &str,
    cache_bytes: u64,
    valid_s: f64,
    options_json: &str,
) -> PyResult<Server> {
    let settings: ServeSettings = parse(options_json)?;
    if settings.is_for_olio() {
        return Err(PyValueError::new_err(
            "options: cache, password, people, full_image and memory are Olio's",
        ));
    }
    let config = config(&settings)?;
    let kept: Duration = seconds(valid_s)?;
    let files = Files::open(Path::new(folder), &Options { cache_bytes, valid: kept })
        .map_err(|error| PyOSError::new_err(error.to_string()))?;
    start(py, config, Arc::new(files))
}
